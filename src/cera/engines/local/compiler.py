"""From a plan to its network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, TypeGuard, assert_never

from cera.algebra.operators import (
    AbsoluteTimers,
    AntiSemiJoin,
    Construction,
    Expression,
    Join,
    Matching,
    Merging,
    Projection,
    Reference,
    RelativeTimers,
    Renaming,
    Selection,
    Stream,
    TemporalJoin,
    Union,
    inputs,
    walk,
)
from cera.algebra.plan import Plan
from cera.algebra.relevance import Relevance
from cera.engines.local.conditions import compile_conditions
from cera.engines.local.deriving import Deriving
from cera.engines.local.feeds import compile_feeds
from cera.engines.local.heads import Head, Trace
from cera.engines.local.layouts import layout_of
from cera.engines.local.network import Emit, Network, Step
from cera.engines.local.occurrence import TimerOccurrence
from cera.engines.local.patterns import compile_pattern
from cera.engines.local.rows import Layout, Row
from cera.engines.local.stages import Broadcast, Ready, Remember, Select, Timed
from cera.engines.local.windows import compile_collection, compile_window
from cera.model.evaluation import Evaluator
from cera.model.expressions import Expression as Condition
from cera.model.interval import Interval
from cera.model.patterns import Pattern
from cera.model.timers import TIMERS, relative_timer
from cera.rules.unification import head_label, query_label

Key = Callable[[Row], Any]


def compile_plan(plan: Plan, relevance: Relevance, evaluator: Evaluator) -> Network:
    """The network of a plan; stores keep their rows as long as the relevance says."""
    compiler = _Compiler(plan, relevance, evaluator)
    for point in plan.points:
        if point.result:
            compiler.result(point.expression)
        else:
            consumers: list[Emit] = []
            compiler.consumers[point.name] = consumers
            compiler.connect(point.expression, Broadcast(consumers))
    compiler.feed()
    heads = [e for p in plan.results for e in walk(p.expression) if isinstance(e, Construction) and not e.recipient]
    labels = [head_label(construction.head) for construction in heads]
    compiler.network.derived_labels = None if None in labels else frozenset(label for label in labels if label)
    return compiler.network


def _accumulates(expression: Expression) -> bool:
    return any(isinstance(part, TemporalJoin | AntiSemiJoin) for part in walk(expression))


def _collects_last(expression: Expression) -> TypeGuard[TemporalJoin]:
    return isinstance(expression, TemporalJoin) and not _accumulates(expression.left)


class _Compiler:
    def __init__(self, plan: Plan, relevance: Relevance, evaluator: Evaluator) -> None:
        self.plan = plan
        self.relevance = relevance
        self.evaluator = evaluator
        self.network = Network()
        self.consumers: dict[str, list[Emit]] = {}
        self.queries: dict[str | None, list[tuple[Pattern, Emit]]] = {}
        self.windows: dict[tuple[Expression, tuple[int, ...]], int] = {}

    def layout(self, expression: Expression) -> Layout:
        return layout_of(expression, self.plan)

    def feed(self) -> None:
        """The patterns become functions when all is connected that uses them."""
        for label, queries in self.queries.items():
            if label is None:
                self.network.any_label.append(compile_feeds(queries))
            else:
                self.network.by_label[label] = compile_feeds(queries)

    # what is done at the end of a step

    def result(self, expression: Expression) -> None:
        """A rule: the rows of its bodies are gathered, and its head makes events of them."""
        constructions = expression.inputs if isinstance(expression, Union) else (expression,)
        for construction in constructions:
            assert isinstance(construction, Construction)
            self._construction(construction)

    def _construction(self, construction: Construction) -> None:
        bodies = construction.input.inputs if isinstance(construction.input, Union) else (construction.input,)
        layout = self.layout(construction.input)
        head = Head(construction, layout, self.evaluator, self.plan.semantics)
        if len(bodies) == 1 and isinstance(bodies[0], Merging) and _collects_last(bodies[0].input):
            self._collecting(Deriving(head, self.network), bodies[0].input)
            return
        pending = []
        for body in bodies:
            assert isinstance(body, Merging)
            pending.append((body.input, _fitting(self.layout(body.input), layout)))
        # the windows below come first, so that their slots do: slots are finished in their order
        gathering: list[Callable[[int], None]] = []
        for expression, fit in pending:
            gathering.append(self._connect_to_slot(expression, fit))
        slot = self.slot(Deriving(head, self.network).rows)
        for connect in gathering:
            connect(slot)

    def _collecting(self, deriving: Deriving, operator: TemporalJoin) -> None:
        """C[h](μ(R ⋈_{i⊒j} S)): the rows of one window are all those of one event trace, if R has no trace twice.

        Then they need not be gathered and grouped again.
        """
        window = self._compiled_window(operator)
        left, right = self.layout(operator.left), self.layout(operator.right)
        trace, make = Trace(left), deriving.window(left)
        shared = sorted(set(left.variables) & set(right.variables))
        store = self._window_store(operator, right, shared)
        collect = compile_collection(operator, left, right, shared, store, deriving)

        def finish(step: Step, rows: list[Row]) -> None:
            if len(rows) == 1 or len({trace(row) for row in rows}) == len(rows):
                for row in rows:
                    if collect is not None:
                        collect(step, row)
                    elif found := window(step, row):
                        make(step, found)
            else:
                deriving.rows(step, [joined for row in rows for joined in window(step, row)])

        self._connect_to_slot(operator.left, None)(self.slot(finish))

    def _connect_to_slot(self, expression: Expression, fit: Callable[[Row], Row] | None) -> Callable[[int], None]:
        """Connects an expression to a slot that is not known yet: its windows must get theirs before."""
        target: list[int] = []

        def emit_ready(step: Step, row: Row) -> None:
            step.make_ready(target[0], row if fit is None else fit(row))

        ready: Emit = Ready(target) if fit is None else emit_ready
        waits = self._timer_slots(self.layout(expression), expression)

        def emit_waiting(step: Step, row: Row) -> None:
            until = max([row[slot].end for slot in waits])
            step.wait(until, target[0], row if fit is None else fit(row))

        self.connect(expression, ready if _accumulates(expression) or not waits else emit_waiting)
        return target.append

    def slot(self, finisher: Callable[[Step, list[Row]], None]) -> int:
        self.network.finishers.append(finisher)
        return len(self.network.finishers) - 1

    def _timer_slots(self, layout: Layout, expression: Expression) -> list[int]:
        """The columns of relative timers that end after their anchors: only these can still lie ahead."""
        names = self._timers(expression)
        return [layout.event(name) for name in layout.identifiers if name in names]

    def _timers(self, expression: Expression) -> set[str]:
        match expression:
            case RelativeTimers():
                return {expression.identifier} if TIMERS[expression.kind][1][1] > 0 else set()
            case Matching():
                return set()
            case Reference():
                return self._timers(self.plan.by_name[expression.name].expression)
            case Renaming():
                new_names = {old: new for new, old in expression.identifiers}
                return {new_names.get(name, name) for name in self._timers(expression.input)}
            case _:
                return {name for part in inputs(expression) for name in self._timers(part)}

    # how rows get there

    def connect(self, expression: Expression, emit: Emit) -> None:
        """Has `emit` called with every new row of the expression."""
        match expression:
            case Matching():
                self.queries.setdefault(query_label(expression.pattern), []).append((expression.pattern, emit))
            case AbsoluteTimers():
                self.network.timers.append((expression.timer, compile_pattern(expression.timer.pattern), emit))
            case Reference():
                self.consumers[expression.name].append(emit)
            case Renaming():
                self.connect(expression.input, emit)
            case Projection():
                self.connect(
                    expression.input, _then(_fitting(self.layout(expression.input), self.layout(expression)), emit)
                )
            case Selection():
                self._selection(expression, emit)
            case Join(right=RelativeTimers() as timer):
                self.connect(expression.left, _timed(timer, self.layout(expression.left), emit))
            case Join():
                self._join(expression, emit)
            case TemporalJoin() | AntiSemiJoin():
                self._window(expression, emit)
            case Stream() | Construction() | RelativeTimers() | Merging() | Union():
                raise AssertionError(f"{type(expression).__name__} cannot stand here")
            case _:
                assert_never(expression)

    def _selection(self, selection: Selection, emit: Emit) -> None:
        conditions: list[Condition] = []
        inner: Expression = selection
        while isinstance(inner, Selection):
            conditions.append(inner.condition)
            inner = inner.input
        test = compile_conditions(conditions[::-1], self.layout(inner), self.evaluator)
        assert test is not None
        self.connect(inner, Select(test, emit))

    def _join(self, join: Join, emit: Emit) -> None:
        left, right = self.layout(join.left), self.layout(join.right)
        shared = sorted(set(left.variables) & set(right.variables))
        left_key, right_key = _key(left, shared), _key(right, shared)
        left_horizon, right_horizon = self.relevance.join_horizons(join)
        left_store, right_store = self._store(left_horizon), self._store(right_horizon)
        new = [i for i, column in enumerate(right.columns) if column not in left]
        extend = _picker(new)

        def from_left(step: Step, row: Row) -> None:
            key = left_key(row)
            stores = step.state.stores
            if left_store is not None:
                stores[left_store].add(key, step.now, row)
            if right_store is not None:
                bucket = stores[right_store].buckets.get(key)
                if bucket is not None:
                    for other in bucket.all():
                        emit(step, row + extend(other))

        def from_right(step: Step, row: Row) -> None:
            key = right_key(row)
            stores = step.state.stores
            if right_store is not None:
                stores[right_store].add(key, step.now, row)
            if left_store is not None:
                bucket = stores[left_store].buckets.get(key)
                if bucket is not None:
                    extra = extend(row)
                    for other in bucket.all():
                        emit(step, other + extra)

        self.connect(join.left, from_left)
        self.connect(join.right, from_right)

    def _store(self, horizon: int | None) -> int | None:
        """A new store; none where a row could never be used later (a horizon below zero)."""
        if horizon is not None and horizon < 0:
            return None
        self.network.horizons.append(horizon)
        return len(self.network.horizons) - 1

    def _window(self, operator: TemporalJoin | AntiSemiJoin, emit: Emit) -> None:
        """What lies in a window is looked up when the window has ended and the step has all its events."""
        window = self._compiled_window(operator)
        if isinstance(operator, AntiSemiJoin):

            def probe(step: Step, row: Row) -> None:
                if not window(step, row):
                    emit(step, row)
        else:

            def probe(step: Step, row: Row) -> None:
                for joined in window(step, row):
                    emit(step, joined)

        if _accumulates(operator.left):
            self.connect(operator.left, probe)
        else:

            def finish(step: Step, rows: list[Row]) -> None:
                for row in rows:
                    probe(step, row)

            self._connect_to_slot(operator.left, None)(self.slot(finish))

    def _compiled_window(self, operator: TemporalJoin | AntiSemiJoin) -> Callable[[Step, Row], Any]:
        left, right = self.layout(operator.left), self.layout(operator.right)
        shared = sorted(set(left.variables) & set(right.variables))
        store = self._window_store(operator, right, shared)
        return compile_window(operator, left, right, shared, store, self.evaluator)

    def _window_store(self, operator: TemporalJoin | AntiSemiJoin, right: Layout, shared: Sequence[str]) -> int:
        """The store of what can lie in windows; operators with the same right side and key share one."""
        horizon = self.relevance.window_horizon(operator)
        positions = tuple(right.data(name) for name in shared)
        relation, _ = _unrenamed(operator.right)
        known = self.windows.get((relation, positions))
        if known is not None:
            other = self.network.horizons[known]
            self.network.horizons[known] = None if horizon is None or other is None else max(horizon, other)
            return known
        self.network.horizons.append(None if horizon is None else max(horizon, 0))
        store = self.windows[relation, positions] = len(self.network.horizons) - 1
        self.connect(operator.right, Remember(store, positions))
        return store


def _unrenamed(expression: Expression) -> tuple[Expression, bool]:
    """The relation below renamings; rows are the same under other names."""
    renamed = False
    while isinstance(expression, Renaming):
        expression, renamed = expression.input, True
    return expression, renamed


def _timed(timer: RelativeTimers, layout: Layout, emit: Emit) -> Emit:
    """The row with its timer; nothing if the timer does not happen."""
    slot = layout.event(timer.anchor)
    kind, duration = timer.kind, timer.duration
    if not duration.months:
        return Timed(kind, duration, slot, emit)

    def by_calendar(step: Step, row: Row) -> None:
        anchor = row[slot]
        interval = relative_timer(kind, Interval(anchor.begin, anchor.end), duration)
        if interval is not None:
            emit(step, (*row, TimerOccurrence(interval.begin, interval.end, kind, duration, anchor)))

    return by_calendar


def _key(layout: Layout, variables: Sequence[str]) -> Key:
    """The values of some variables of a row, as what stores are indexed by."""
    slots = [layout.data(name) for name in variables]
    if not slots:
        return lambda row: None
    return itemgetter(*slots)


def _picker(positions: Sequence[int]) -> Callable[[Row], Row]:
    if not positions:
        return lambda row: ()
    if len(positions) == 1:
        [position] = positions
        return lambda row: (row[position],)
    return itemgetter(*positions)


def _fitting(layout: Layout, wanted: Layout) -> Callable[[Row], Row] | None:
    """How rows of one layout become rows of another; what they lack is None."""
    if layout == wanted:
        return None
    index = {column: i for i, column in enumerate(layout.columns)}
    positions = [index.get(column, -1) for column in wanted.columns]
    return lambda row: tuple([row[i] if i >= 0 else None for i in positions])


def _then(fit: Callable[[Row], Row] | None, emit: Emit) -> Emit:
    if fit is None:
        return emit
    return lambda step, row: emit(step, fit(row))
