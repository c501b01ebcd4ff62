"""The connections of a network: how the new rows of an expression get to where they are used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, assert_never

from cera.algebra.operators import (
    AbsoluteTimers,
    AntiSemiJoin,
    BoundedWindows,
    Construction,
    Expression,
    Gathering,
    Join,
    Matching,
    Merging,
    PeriodicWindows,
    Projection,
    Reference,
    Relation,
    RelativeTimers,
    Renaming,
    Selection,
    Stream,
    TemporalJoin,
    Union,
    walk,
)
from cera.algebra.plan import Plan
from cera.algebra.relevance import Relevance
from cera.codegen.functions import indented
from cera.engines.local.forgetting import EndedGroups, EndingStage
from cera.engines.local.joins import Combinations, EndRange, FirstOf, Meet, PairColumns, Remember, StoreUse
from cera.engines.local.lookups import Lookup, LookupFinisher, index_of
from cera.engines.local.network import Finisher, Network
from cera.engines.local.python_source import Cells, SourceWriter
from cera.engines.local.recursion import RecursiveRule
from cera.engines.local.row_stages import (
    PRELUDE,
    BoundedWindowStage,
    Fit,
    Select,
    SlotStage,
    Stage,
    TimerStage,
    WindowStage,
)
from cera.engines.local.rows import Layout, Row, compile_pattern, gathered_layout, layout_of
from cera.engines.local.settling import SettledSlot
from cera.engines.local.settling_stages import ClosingStage, SettlingStage
from cera.engines.local.state import State
from cera.engines.local.timers import awaited_columns
from cera.engines.local.windows import Window, compile_window, shared_variables
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.relation_rows import RelationRows, named_rows
from cera.model.events.states import is_opening
from cera.model.expressions.expression import Expression as Condition
from cera.model.matching.patterns import Pattern
from cera.rules.analysis.unification import query_label
from cera.rules.earliest import Earliest
from cera.rules.settlements import ClosingEvent, OnlyPartner, Settlement, settles_answers


class Connections:
    """The network under construction: connects the expressions of a plan."""

    def __init__(
        self,
        plan: Plan,
        relevance: Relevance,
        evaluator: Evaluator,
        recursion_limit: int,
        relations: Mapping[str, RelationRows],
    ) -> None:
        self.recursion_limit = recursion_limit
        self.relations = relations
        self.plan = plan
        self.relevance = relevance
        self.evaluator = evaluator
        self.network = Network()
        #: The rule whose expressions are being connected, and what settles its answers.
        self.rule = ""
        self.settlements: tuple[Settlement, ...] = ()
        #: The stores that the rule has made, each with the variables of its key.
        self.own_stores: list[tuple[StoreUse, tuple[str, ...]]] = []
        self.consumers: dict[str, list[Stage]] = {}
        self.queries: dict[str | None, list[tuple[Pattern, Stage]]] = {}
        self._window_stores: dict[tuple[Expression, tuple[int, ...]], StoreUse] = {}

    def layout(self, expression: Expression) -> Layout:
        return layout_of(expression, self.plan)

    def recursive_rule(self, construction: Construction, layout: Layout) -> RecursiveRule | None:
        """Returns what a step must know of a rule that depends on itself; None for others."""
        name = construction.rule
        cycle = next((frozenset(rules) for rules in self.plan.recursion if name in rules), None)
        if cycle is None:
            return None
        spanning = tuple(layout.event(identifier) for identifier in self.relevance.spanning(construction, cycle))
        return RecursiveRule(name, construction.head.span, cycle, spanning, self.recursion_limit)

    def connect(self, expression: Expression, then: Stage) -> None:
        """Connects an expression to a stage, which is called with each of its new rows."""
        match expression:
            case Matching():
                self.queries.setdefault(query_label(expression.pattern), []).append((expression.pattern, then))
            case AbsoluteTimers():
                self.network.timers.append((expression.timer, compile_pattern(expression.timer.pattern), then))
            case Reference():
                self.consumers[expression.name].append(then)
            case Renaming():
                self.connect(expression.input, then)
            case Projection():
                self.connect(expression.input, fitting(self.layout(expression.input), self.layout(expression), then))
            case Selection():
                self._selection(expression, then)
            case Join(right=RelativeTimers() as timer):
                anchor = self.layout(expression.left).event(timer.anchor)
                self.connect(expression.left, TimerStage(timer.kind, timer.duration, anchor, then))
            case Join(right=PeriodicWindows() as windows):
                left = self.layout(expression.left)
                over = [left.event(identifier) for identifier in windows.over]
                self.connect(expression.left, WindowStage(windows.period, over, then))
            case Join(right=BoundedWindows() as windows):
                left = self.layout(expression.left)
                positions = {name: left.event(name) for name in windows.over}
                self.connect(expression.left, BoundedWindowStage(windows.bounds, positions, then))
            case Join(right=Relation() as relation):
                self._lookup(expression.left, relation, then)
            case Join():
                self._join(expression, then)
            case TemporalJoin() | AntiSemiJoin():
                self._window(expression, then)
            case Gathering():
                self._gathering(expression, then)
            case Stream() | Construction() | Relation() | Merging() | Union():
                raise AssertionError(f"{type(expression).__name__} cannot stand here")
            case RelativeTimers() | PeriodicWindows() | BoundedWindows():
                raise AssertionError(f"{type(expression).__name__} cannot stand here")
            case _:
                assert_never(expression)

    def slot(self, finisher: Finisher) -> int:
        self.network.finishers.append(finisher)
        return len(self.network.finishers) - 1

    def connect_to_slot(
        self, expression: Expression, wanted: Layout | None = None, *, one_body: bool = False
    ) -> Callable[[int], None]:
        """Connects an expression to a slot whose number is set later: its windows must get their slots first. With
        `one_body`, no other expression is connected to it.
        """
        slots: list[int] = []
        layout = self.layout(expression)
        # rows that come out of a window have waited before it
        timers = [] if accumulates(expression) else awaited_columns(expression, self.plan)
        if wanted is not None and timers:
            timers = [wanted.columns.index(layout.columns[position]) for position in timers]
        settled = self._settled(slots, timers, expression, layout if wanted is None else wanted)
        ready: Stage = SlotStage(slots, timers)
        if settled is not None:
            ready = SettlingStage(settled, timers, self.network, one_body=one_body)
        self.connect(expression, ready if wanted is None else fitting(layout, wanted, ready))
        if settled is not None:
            self._close(settled)
        return slots.append

    def _settled(
        self, slots: list[int], timers: list[int], expression: Expression, layout: Layout
    ) -> SettledSlot | None:
        """Returns what settles the rows that wait for their timers in a slot; None if nothing does."""
        settlements = tuple(each for each in self.settlements if settles_answers(each))
        if not timers or not settlements:
            return None
        slot = SettledSlot(layout, settlements, slots, _only_window(expression) in layout.identifiers)
        self.network.settled_slots.append(slot)
        return slot

    def _close(self, slot: SettledSlot) -> None:
        """Connects the events that come last, after all that gives rows to the slot."""
        for number, settlement in enumerate(slot.settlements):
            if isinstance(settlement, ClosingEvent):
                stage = ClosingStage(slot, number, settlement, self.network)
                self.queries.setdefault(query_label(settlement.pattern), []).append((settlement.pattern, stage))

    def forget_groups(self) -> None:
        """Has the stores of the rule forget the groups of which an event says that they are over.

        Rows that wait look into windows when these end, so what windows hold is only forgotten if no row waits then.
        """
        for settlement in self.settlements:
            if not isinstance(settlement, ClosingEvent) or not settlement.forgets:
                continue
            stores = [
                (store, names)
                for store, names in self.own_stores
                if set(settlement.by) <= set(names) and (settlement.settles or not store.windows)
            ]
            if stores:
                groups = EndedGroups(len(self.network.ended_groups), settlement.by, stores)
                self.network.ended_groups.append(groups)
                stage = EndingStage(groups, settlement, self.network)
                self.queries.setdefault(query_label(settlement.pattern), []).append((settlement.pattern, stage))

    def _selection(self, selection: Selection, then: Stage) -> None:
        conditions: list[Condition] = []
        inner: Expression = selection
        while isinstance(inner, Selection):
            conditions.append(inner.condition)
            inner = inner.input
        self.connect(inner, Select(conditions[::-1], self.layout(inner), self.evaluator, then))

    def _gathering(self, gathering: Gathering, then: Stage) -> None:
        """Connects Γ: the rows stay as they are, but for the order of their columns."""
        layout = self.layout(gathering.input)
        _, positions = gathered_layout(layout, gathering)
        in_place = positions == [*range(len(layout.columns))]
        self.connect(gathering.input, then if in_place else Fit(positions, then))

    def _join(self, join: Join, then: Stage) -> None:
        left, right = self.layout(join.left), self.layout(join.right)
        shared = shared_variables(left, right)
        left_horizon, right_horizon = self.relevance.join_horizons(join)
        left_store, right_store = self._join_store(left_horizon), self._join_store(right_horizon)
        sides = ((left_store, left), (right_store, right))
        slacks, needs_open = self.relevance.join_slacks(join), self.relevance.join_needs_open(join)
        for (store, layout), slack_of, needed in zip(sides, slacks, needs_open, strict=True):
            if store is not None:
                store.with_state = {layout.event(state): slack for state, slack in slack_of.items()}
                if needed is not None:
                    opening = None if needed.opening is None else layout.event(needed.opening)
                    store.with_open = (needed.label, opening)
                self.own_stores.append((store, tuple(shared)))
        of_left, of_right = _events(join.left), _events(join.right)
        new = [i for i, column in enumerate(right.columns) if column not in left]
        left_key, right_key = [left.data(name) for name in shared], [right.data(name) for name in shared]
        from_left = PairColumns(new, len(right.columns), of_left, of_right, from_left=True)
        from_right = PairColumns(new, len(left.columns), of_right, of_left, from_left=False)
        into_left, into_right = self.relevance.join_reaches(join)
        limit = Combinations(self.rule, self.plan.answer_limit, (*left.identifiers, *right.identifiers))
        in_right, in_left = EndRange(into_right, left), EndRange(into_left, right)
        meet_right = Meet(left_store, right_store, left_key, from_left, in_right, limit, then)
        meet_left = Meet(right_store, left_store, right_key, from_right, in_left, limit, then)
        if left_store is None:
            meet_right.gate = self._gate(join.right)
        if right_store is None:
            meet_left.gate = self._gate(join.left)
        first: Stage = meet_right
        if join.earliest is not None:
            first = self._first_of(join.earliest, left, shared, left_store, meet_right)
        else:
            for side, meet in ((join.left, meet_right), (join.right, meet_left)):
                meet.only_for = self.network if self._is_only_partner(side, shared) else None
        self.connect(join.left, first)
        self.connect(join.right, meet_left)

    def _is_only_partner(self, side: Expression, key: Sequence[str]) -> bool:
        """Returns whether the rows of one side of a join are single events, of which there is at most one that those of
        the other side can meet."""
        events = self.layout(side).identifiers
        partners = [each for each in self.settlements if isinstance(each, OnlyPartner)]
        return self._is_single(side) and any([each.event] == [*events] and {*each.by} <= {*key} for each in partners)

    def _is_single(self, expression: Expression) -> bool:
        """Returns whether an event that matches in one way gives one row at most."""
        match expression:
            case Matching():
                return True
            case Selection() | Projection() | Renaming():
                return self._is_single(expression.input)
            case Reference():
                return self._is_single(self.plan.by_name[expression.name].expression)
            case _:
                return False

    def _first_of(
        self, earliest: Earliest, layout: Layout, key: list[str], own: StoreUse | None, then: Meet
    ) -> FirstOf:
        """Returns the stage for rows of which only those with the first of some events are needed.

        Where the rows that are stored for the join have the same key, these say which was the first.
        """
        data = [name for name in layout.variables if name not in earliest.own]
        others = [layout.event(name) for name in layout.identifiers if name != earliest.identifier]
        event = layout.event(earliest.identifier)
        if own is not None and not others and earliest.period is None and sorted(data) == sorted(key):
            return FirstOf(own, then.key, None, event, earliest.edge, None, then)
        store = self._store(0 if own is None else own.horizon)
        if own is not None:
            store.with_state, store.with_open = own.with_state, own.with_open
        values = [layout.data(name) for name in data]
        return FirstOf(store, values, others, event, earliest.edge, earliest.period, then)

    def _gate(self, expression: Expression) -> str | None:
        """Returns the label of the openings that an expression consists of, if it is such."""
        match expression:
            case Renaming():
                return self._gate(expression.input)
            case Reference():
                return self._gate(self.plan.by_name[expression.name].expression)
            case Matching():
                label = query_label(expression.pattern)
                return label if label is not None and is_opening(label) else None
            case _:
                return None

    def _lookup(self, left: Expression, relation: Relation, then: Stage) -> None:
        """Connects rows to a relation, which is read-only and no part of the state.

        Where its versions change with time, rows are looked up when their timers have ended.
        """
        own, rows = self.layout(left), self.layout(relation)
        shared = shared_variables(own, rows)
        new = [rows.data(name) for name in rows.variables if name not in shared]
        index = index_of(relation, named_rows(self.relations, relation.name), rows.variables, shared)
        key, at = [own.data(name) for name in shared], [own.event(name) for name in relation.at]
        lookup = Lookup(index, key, at, new, then)
        if relation.refreshed and awaited_columns(left, self.plan):
            self.connect_to_slot(left)(self.slot(LookupFinisher(lookup)))
        else:
            self.connect(left, lookup)

    def _join_store(self, horizon: int | None) -> StoreUse | None:
        """Returns a new store; None where a row could never be used later (a horizon below zero)."""
        return None if horizon is not None and horizon < 0 else self._store(horizon)

    def _store(self, horizon: int | None) -> StoreUse:
        store = StoreUse(len(self.network.stores), horizon)
        self.network.stores.append(store)
        return store

    def window(self, operator: TemporalJoin | AntiSemiJoin) -> Window:
        """Returns the window of an operator; operators with the same right side and key share a store."""
        left, right = self.layout(operator.left), self.layout(operator.right)
        horizon = self.relevance.window_horizon(operator)
        positions = tuple(right.data(name) for name in shared_variables(left, right))
        relation = operator.right
        while isinstance(relation, Renaming):  # rows are the same under other names
            relation = relation.input
        store = self._window_stores.get((relation, positions))
        if store is None:
            store = self._window_stores[relation, positions] = self._store(None if horizon is None else max(horizon, 0))
            self.connect(operator.right, Remember(store, positions))
            self.own_stores.append((store, tuple(shared_variables(left, right))))
            store.with_state = self._needed_with_state(operator, right)
        else:
            store.horizon = None if horizon is None or store.horizon is None else max(horizon, store.horizon)
            slacks = self._needed_with_state(operator, right)
            both = store.with_state.keys() & slacks.keys()
            store.with_state = {at: max(store.with_state[at], slacks[at]) for at in both}
        store.windows += 1
        return Window(operator, left, right, store)

    def _needed_with_state(self, operator: TemporalJoin | AntiSemiJoin, right: Layout) -> dict[int, int]:
        """Returns the columns of openings with whose states a row is no longer needed, and how much later."""
        slack = self.relevance.window_slack(operator)
        if slack is None:
            return {}
        beside = [name for name in right.identifiers if name != operator.element]  # the opening of the state
        return {right.event(name): slack for name in beside or [operator.element]}

    def _window(self, operator: TemporalJoin | AntiSemiJoin, then: Stage) -> None:
        """Connects a window, which is looked into when it has ended and the step has all its events."""
        probe = RowProbe(self.window(operator), self.evaluator, then)
        if accumulates(operator.left):
            self.connect(operator.left, probe)
        else:
            self.connect_to_slot(operator.left)(self.slot(SlotProbe(probe)))


class RowProbe(Stage):
    """A look into the window of a row: the rows in it are joined to the row, or the row goes on if there are none."""

    def __init__(self, window: Window, evaluator: Evaluator, then: Stage) -> None:
        self.window = window
        self.then = then
        self._found: Callable[[State, Row], Any] = compile_window(window, evaluator)

    def lines(self, cells: Cells, writer: SourceWriter) -> list[str]:
        found = f"{writer.name(self._found)}(state, {cells.tuple})"
        if isinstance(self.window.operator, AntiSemiJoin):
            return [f"if not {found}:", *indented(self.then.write(cells, writer))]
        row = writer.fresh("row")
        width = len(cells.columns) + len(self.window.new_columns)
        writer.depth += 1
        inner = self.then.write(Cells.of(row, width), writer)
        writer.depth -= 1
        return [f"for {row} in {found}:", *indented(inner)]


class SlotProbe(Finisher):
    """The finisher of a slot that looks into the windows of all its rows."""

    def __init__(self, probe: RowProbe) -> None:
        self.probe = probe

    def __call__(self, state: State, rows: list[Row]) -> None:
        self._probe(state, rows)

    @cached_property
    def _probe(self) -> Callable[[State, list[Row]], None]:
        writer = SourceWriter()
        writer.depth = 1
        lines = self.probe.lines(Cells.of("row", len(self.probe.window.left.columns)), writer)
        function: Callable[[State, list[Row]], None] = writer.function(
            "probe", "state, rows", [PRELUDE, "for row in rows:", *indented(lines)]
        )
        return function


def _events(expression: Expression) -> int:
    """Returns the number of events in a row of the expression, without timers that follow from them."""
    return sum(isinstance(part, Matching | AbsoluteTimers | Reference) for part in walk(expression))


def _only_window(expression: Expression) -> str | None:
    """Returns the one window of the clock that the rows of an expression wait for; None if they wait for others too."""
    found = [part for part in walk(expression) if isinstance(part, PeriodicWindows | RelativeTimers | BoundedWindows)]
    renamed = any(isinstance(part, Renaming | Reference) for part in walk(expression))
    return found[0].identifier if len(found) == 1 and isinstance(found[0], PeriodicWindows) and not renamed else None


def accumulates(expression: Expression) -> bool:
    return any(isinstance(part, TemporalJoin | AntiSemiJoin) for part in walk(expression))


def fitting(layout: Layout, wanted: Layout, then: Stage) -> Stage:
    """Returns the stage for rows of another layout; columns that they lack are None."""
    if layout == wanted:
        return then
    index = {column: i for i, column in enumerate(layout.columns)}
    return Fit([index.get(column) for column in wanted.columns], then)
