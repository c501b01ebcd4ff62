"""From a plan of the algebra to the physical plan of the event-by-event engine: all decisions are made here.

which rows are stored, by which key and for how long, and which windows share a store
which rows wait, for what, and what settles them before
whether a window is looked into row by row, for a slot, or straight for a head, and what is summed up in it
what one function can do at once for an event that is alone in its step
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard, assert_never

from cera.algebra import physical
from cera.algebra.layouts import Layout, gathered_layout, layout_of, shared_variables
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
from cera.algebra.physical import Node, PhysicalPlan, Wait
from cera.algebra.plan import Plan
from cera.algebra.relevance import Relevance
from cera.engines.local.alone import feeds_of
from cera.engines.local.head_source import is_written, summed_variables
from cera.engines.local.heads import bodies_of
from cera.engines.local.store_choice import ChosenStore, StoreChoice
from cera.engines.local.timers import asks_for_endings, awaited_columns, open_states
from cera.model.events.states import is_opening
from cera.model.expressions.constructs import free_variables, has_grouping
from cera.model.expressions.expression import Expression as Condition
from cera.model.matching.patterns import Pattern
from cera.rules.analysis.unification import head_label, query_label
from cera.rules.early_states import WHILE_OPEN
from cera.rules.settlements import ClosingEvent, OnlyPartner, RefutingEvent, Settlement, settles_answers
from cera.rules.states import opening_of


def lower(plan: Plan, relevance: Relevance) -> PhysicalPlan:
    """Returns the physical plan; stores keep their rows as long as the relevance says."""
    lowering = _Lowering(plan, relevance)
    points = tuple((point.name, lowering.point(point.name, point.expression, point.result)) for point in plan.points)
    stores = tuple(store.final for store in lowering.choice.stores)
    lowered = PhysicalPlan(points, stores, lowering.slots, _derived(plan), plan.semantics, plan.answer_limit)
    return replace(lowered, feeds=feeds_of(lowered))


def _derived(plan: Plan) -> frozenset[str] | None:
    heads = [e for p in plan.results for e in walk(p.expression) if isinstance(e, Construction) and not e.recipient]
    labels = [head_label(construction.head) for construction in heads]
    return None if None in labels else frozenset(label for label in labels if label)


@dataclass(frozen=True)
class _Waiting:
    """A `Wait` whose slot has no number yet."""

    timers: tuple[int, ...]
    layout: Layout
    settlements: tuple[Settlement, ...]
    of_one_window: bool
    input: Node
    state: tuple[int, int] | None

    def in_slot(self, slot: int) -> Wait:
        return Wait(slot, self.timers, self.layout, self.settlements, self.of_one_window, self.input, self.state)


class _Lowering:
    def __init__(self, plan: Plan, relevance: Relevance) -> None:
        self.plan = plan
        self.relevance = relevance
        self.choice = StoreChoice(relevance)
        #: The number of slots so far.
        self.slots = 0
        #: The number of events with which groups are over.
        self.forgettings = 0
        #: The rule that is being lowered, what settles its answers, and the stores that it has made.
        self.rule = ""
        self.settlements: tuple[Settlement, ...] = ()
        self.own_stores: list[ChosenStore] = []

    def layout(self, expression: Expression) -> Layout:
        return layout_of(expression, self.plan)

    def point(self, name: str, expression: Expression, result: bool) -> Node | physical.Rule:
        self.rule = name
        if not result:
            self.settlements, self.own_stores = (), []
            return self.node(expression)
        parts: list[physical.Derive | physical.Collect | physical.Forgetting] = []
        for construction in expression.inputs if isinstance(expression, Union) else (expression,):
            assert isinstance(construction, Construction)
            self.settlements, self.own_stores = construction.settlements, []
            parts.append(self._construction(construction))
            if not asks_for_endings(construction.input, self.plan):  # an ending would still find what is forgotten
                parts += self._forgettings()
        return physical.Rule(tuple(parts))

    # Rules.

    def _construction(self, construction: Construction) -> physical.Derive | physical.Collect:
        """Lowers a rule: the rows of its bodies are gathered, and its head makes events of them."""
        bodies = construction.input.inputs if isinstance(construction.input, Union) else (construction.input,)
        layout = self.layout(construction.input)
        if len(bodies) == 1 and isinstance(bodies[0], Merging) and _collects_last(bodies[0].input):
            return self._collect(construction, layout, bodies[0].input)
        # the windows below come first, so that their slots do: slots are finished in their order
        waiting: list[_Waiting] = []
        for body in bodies:
            assert isinstance(body, Merging)
            waiting.append(self._waiting(body.input, layout))
        gathers = has_grouping(construction.head) or bool(layout.matches)
        by_itself = not gathers and not construction.traced and len(bodies) == 1  # rows of several bodies lack events
        head = self._head(construction, layout, written=by_itself and is_written(construction.head))
        slot = self._slot()
        return physical.Derive(head, slot, tuple(each.in_slot(slot) for each in waiting))

    def _collect(self, construction: Construction, layout: Layout, operator: TemporalJoin) -> physical.Collect:
        window = self._window(operator)
        is_simple = self._is_simple(construction, operator, window)
        if is_simple:
            summed = summed_variables(construction.head) - set(window.left.variables)
            self.choice.stores[window.store].summed.update(window.right.data(name) for name in summed)
        waiting = self._waiting(operator.left)
        head = self._head(construction, layout, written=is_simple and is_written(construction.head))
        slot = self._slot()
        return physical.Collect(head, slot, window, waiting.in_slot(slot))

    def _is_simple(self, construction: Construction, operator: TemporalJoin, window: physical.Window) -> bool:
        """Returns whether all that lies in a window becomes one event, without looking at each row of it."""
        unconditional = not operator.condition and len(operator.excluded) <= 1 and operator.containment == "inside"
        practical = self.plan.semantics != "formal" and not any(body.openings for body in bodies_of(construction))
        return unconditional and practical and free_variables(construction.head).issubset(window.left.variables)

    def _head(self, construction: Construction, layout: Layout, *, written: bool) -> physical.Head:
        name = construction.rule
        cycle = next((frozenset(rules) for rules in self.plan.recursion if name in rules), None)
        if cycle is None:
            return physical.Head(construction, layout, None, written)
        spanning = tuple(layout.event(identifier) for identifier in self.relevance.spanning(construction, cycle))
        return physical.Head(construction, layout, physical.Recursion(cycle, spanning), written)

    def _forgettings(self) -> list[physical.Forgetting]:
        """Returns the stores of the rule that forget the groups of which an event says that they are over.

        Rows that wait look into windows when these end, so what windows hold is only forgotten if no row waits then.
        """
        found: list[physical.Forgetting] = []
        for settlement in self.settlements:
            if not isinstance(settlement, ClosingEvent) or not settlement.forgets:
                continue
            stores = tuple(
                (store.number, store.key)
                for store in self.own_stores
                if set(settlement.by) <= set(store.key) and (settlement.settles or not store.windows)
            )
            if stores:
                found.append(physical.Forgetting(self.forgettings, settlement, stores))
                self.forgettings += 1
        return found

    # Slots.

    def _slot(self) -> int:
        self.slots += 1
        return self.slots - 1

    def _waiting(self, expression: Expression, wanted: Layout | None = None) -> _Waiting:
        """Lowers an expression whose rows wait in a slot, with the columns that are wanted. The slot gets its number
        later, after those of its windows.
        """
        layout = self.layout(expression)
        # rows that come out of a window have waited before it
        timers = [] if _accumulates(expression) else awaited_columns(expression, self.plan)
        if wanted is not None and timers:
            timers = [wanted.columns.index(layout.columns[position]) for position in timers]
        columns = layout if wanted is None else wanted
        settling = tuple(each for each in self.settlements if settles_answers(each) or isinstance(each, RefutingEvent))
        settlements = settling if timers else ()
        of_one_window = bool(settlements) and _only_window(expression) in columns.identifiers
        states = open_states(expression, self.plan) & {*columns.identifiers} if settlements else set()
        state = next(((columns.event(name), columns.event(opening_of(name))) for name in sorted(states)), None)
        below = _fitting(layout, columns, self.node(expression))
        return _Waiting(tuple(timers), columns, settlements, of_one_window, below, state)

    # Relations.

    def node(self, expression: Expression) -> Node:
        """Lowers an expression whose new rows are handled one by one."""
        match expression:
            case Matching():
                return physical.Match(query_label(expression.pattern), expression.identifier, expression.pattern)
            case AbsoluteTimers():
                return physical.Ticks(expression.identifier, expression.timer)
            case Reference():
                return physical.Shared(expression.name)
            case Renaming():
                return self.node(expression.input)
            case Projection():
                layout, wanted = self.layout(expression.input), self.layout(expression)
                return _fitting(layout, wanted, self.node(expression.input))
            case Selection():
                return self._selection(expression)
            case Join(right=RelativeTimers() as timer):
                anchor = self.layout(expression.left).event(timer.anchor)
                below = self.node(expression.left)
                of_state = timer.duration == WHILE_OPEN
                return physical.Timer(timer.identifier, timer.kind, timer.duration, anchor, below, of_state)
            case Join(right=PeriodicWindows() as windows):
                layout = self.layout(expression.left)
                over = tuple(layout.event(identifier) for identifier in windows.over)
                return physical.ClockWindows(windows.identifier, windows.period, over, self.node(expression.left))
            case Join(right=BoundedWindows() as windows):
                layout = self.layout(expression.left)
                positions = tuple((name, layout.event(name)) for name in windows.over)
                below = self.node(expression.left)
                return physical.BoundedWindow(windows.identifier, windows.bounds, positions, below)
            case Join(right=Relation() as relation):
                return self._lookup(expression.left, relation)
            case Join():
                return self._join(expression)
            case TemporalJoin() | AntiSemiJoin():
                return self._probe(expression)
            case Gathering():  # the rows stay as they are, but for the order of their columns
                layout = self.layout(expression.input)
                wanted, picked = gathered_layout(layout, expression)
                in_place = picked == [*range(len(layout.columns))]
                below = self.node(expression.input)
                return below if in_place else physical.Pick(tuple(picked), below)
            case Stream() | Construction() | Relation() | Merging() | Union():
                raise AssertionError(f"{type(expression).__name__} cannot stand here")
            case RelativeTimers() | PeriodicWindows() | BoundedWindows():
                raise AssertionError(f"{type(expression).__name__} cannot stand here")
            case _:
                assert_never(expression)

    def _selection(self, selection: Selection) -> Node:
        conditions: list[Condition] = []
        inner: Expression = selection
        while isinstance(inner, Selection):
            conditions.append(inner.condition)
            inner = inner.input
        return physical.Filter(tuple(conditions[::-1]), self.layout(inner), self.node(inner))

    def _join(self, join: Join) -> physical.Pairs:
        left, right = self.layout(join.left), self.layout(join.right)
        shared = tuple(shared_variables(left, right))
        left_store, right_store = self.choice.for_join(join, left, right)
        self.own_stores += [store for store in (left_store, right_store) if store is not None]
        into_left, into_right = self.relevance.join_reaches(join)
        first = None
        if join.earliest is not None:
            first = self.choice.for_first(join.earliest, left, left_store, shared)
        new = tuple(i for i, column in enumerate(right.columns) if column not in left)
        left_gate = self._gate(join.right) if left_store is None else None
        right_gate = self._gate(join.left) if right_store is None else None
        below = self.node(join.left), self.node(join.right)
        return physical.Pairs(
            self.rule,
            physical.Side(
                below[0],
                left,
                None if left_store is None else left_store.number,
                tuple(map(left.data, shared)),
                _events(join.left),
                into_right,
                left_gate,
                first,
                first is None and self._is_only_partner(join.left, shared),
            ),
            physical.Side(
                below[1],
                right,
                None if right_store is None else right_store.number,
                tuple(map(right.data, shared)),
                _events(join.right),
                into_left,
                right_gate,
                None,
                first is None and self._is_only_partner(join.right, shared),
            ),
            new,
        )

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

    def _lookup(self, left: Expression, relation: Relation) -> physical.Lookup:
        """Lowers rows that are looked up in a relation, which is read-only and no part of the state.

        Where its versions change with time, rows are looked up when their timers have ended.
        """
        own, rows = self.layout(left), self.layout(relation)
        shared = tuple(shared_variables(own, rows))
        new = tuple(rows.data(name) for name in rows.variables if name not in shared)
        key, at = tuple(map(own.data, shared)), tuple(map(own.event, relation.at))
        below: Node | Wait
        if relation.refreshed and awaited_columns(left, self.plan):
            waiting = self._waiting(left)
            below = waiting.in_slot(self._slot())
        else:
            below = self.node(left)
        return physical.Lookup(relation, rows.variables, shared, key, at, new, below)

    def _window(self, operator: TemporalJoin | AntiSemiJoin) -> physical.Window:
        left, right = self.layout(operator.left), self.layout(operator.right)
        store, key, is_new = self.choice.for_window(operator, left, right)
        below = None
        if is_new:
            below = self.node(operator.right)
            self.own_stores.append(store)
        return physical.Window(operator, left, right, store.number, below, key)

    def _probe(self, operator: TemporalJoin | AntiSemiJoin) -> physical.Probe:
        """Lowers a window, which is looked into when it has ended and the step has all its events."""
        window = self._window(operator)
        refuting = self._refuting(operator)
        if _accumulates(operator.left):
            return physical.Probe(window, self.node(operator.left), refuting)
        waiting = self._waiting(operator.left)
        return physical.Probe(window, waiting.in_slot(self._slot()), refuting)

    def _refuting(self, operator: TemporalJoin | AntiSemiJoin) -> RefutingEvent | None:
        """Returns what says that the events of a window refute its rows for good; None if they need not."""
        if isinstance(operator, TemporalJoin):
            return None
        absent = self._matching(operator.right)
        for each in self.settlements:
            if isinstance(each, RefutingEvent) and each.window == operator.window and each.pattern == absent:
                return each
        return None

    def _matching(self, expression: Expression) -> Pattern | None:
        """Returns the pattern of the events that an expression consists of; None if it has others."""
        match expression:
            case Matching():
                return expression.pattern
            case Projection() | Renaming(variables=()):
                return self._matching(expression.input)
            case Reference():
                return self._matching(self.plan.by_name[expression.name].expression)
            case _:
                return None


def _collects_last(expression: Expression) -> TypeGuard[TemporalJoin]:
    """Returns whether an expression is one window over inputs that do not come from windows."""
    return isinstance(expression, TemporalJoin) and not _accumulates(expression.left)


def _accumulates(expression: Expression) -> bool:
    return any(isinstance(part, TemporalJoin | AntiSemiJoin) for part in walk(expression))


def _events(expression: Expression) -> int:
    """Returns the number of events in a row of the expression, without timers that follow from them."""
    return sum(isinstance(part, Matching | AbsoluteTimers | Reference) for part in walk(expression))


def _only_window(expression: Expression) -> str | None:
    """Returns the one window of the clock that the rows of an expression wait for; None if they wait for others too."""
    found = [part for part in walk(expression) if isinstance(part, PeriodicWindows | RelativeTimers | BoundedWindows)]
    renamed = any(isinstance(part, Renaming | Reference) for part in walk(expression))
    return found[0].identifier if len(found) == 1 and isinstance(found[0], PeriodicWindows) and not renamed else None


def _fitting(layout: Layout, wanted: Layout, below: Node) -> Node:
    """Returns the rows with the columns of another layout; those that they lack are None."""
    if layout == wanted:
        return below
    index = {column: i for i, column in enumerate(layout.columns)}
    return physical.Pick(tuple(index.get(column) for column in wanted.columns), below)
