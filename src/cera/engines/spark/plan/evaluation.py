"""Expressions of the algebra as DataFrames, over tables of events.

Everything is a native column expression except the parts in `fallbacks`: patterns that columns cannot state, heads with
`all`, and a few functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never

from pyspark.sql import Column, SparkSession

from cera.algebra.certain_variables import certain_variables
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
    RelativeTimers,
    Renaming,
    Selection,
    Stream,
    TemporalJoin,
    Union,
)
from cera.algebra.operators import Relation as RelationOperator
from cera.algebra.plan import Plan, rules_with_timers
from cera.algebra.relevance import Relevance
from cera.engines.spark.plan import joins
from cera.engines.spark.plan.absence import are_few, without_any
from cera.engines.spark.plan.deriving import derive, derive_sliding
from cera.engines.spark.plan.joins import Buckets, Pair, Strategy
from cera.engines.spark.plan.patterns import match_table
from cera.engines.spark.plan.scopes import Environment, RowScope
from cera.engines.spark.plan.sides import Sources, anchor_side, side_of
from cera.engines.spark.plan.sliding import sliding_window
from cera.engines.spark.plan.states import with_ends_of_states
from cera.engines.spark.plan.timers import bounded, tick_table, timed, windowed
from cera.engines.spark.plan.undefined_counts import counted
from cera.engines.spark.tables.event_tables import EventTable
from cera.engines.spark.tables.queries import query
from cera.engines.spark.tables.relations import EVENT, Relation, Timer, attribute, column, component, union
from cera.engines.spark.values.cells import TYPES
from cera.engines.spark.values.expressions import compile_condition, compile_filter
from cera.model.events.states import OPENING
from cera.model.expressions.expression import Different, TimerQuery
from cera.model.matching.patterns import Pattern
from cera.model.time.interval import Time


@dataclass
class Evaluation:
    """Expressions of a plan over the tables of incoming events. `joins` says how each join was made.

    `derived` are the events of rules, and `relations` the rows of the other points, as far as they are known. Absolute
    timers tick from the first to the last event of `recording`, which is all incoming events if it is None.
    """

    plan: Plan
    environment: Environment
    stream: tuple[EventTable, ...]
    until: Time | None = None
    max_duration: int | None = None
    recording: tuple[EventTable, ...] | None = None
    derived: dict[str, tuple[EventTable, ...]] = field(default_factory=dict)
    relations: dict[str, Relation] = field(default_factory=dict)
    ticks: dict[TimerQuery, EventTable] = field(default_factory=dict)
    relevance: Relevance = field(init=False)
    joins: list[tuple[Expression, Strategy]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.stream = tuple(replace(table, frame=query(table.frame)) for table in self.stream)
        self.relevance = Relevance(self.plan, self.max_duration)

    @property
    def spark(self) -> SparkSession:
        return self.environment.spark

    @property
    def recorded(self) -> tuple[EventTable, ...]:
        """The tables of the events that came in."""
        return self.stream if self.recording is None else self.recording

    def events(self, construction: Construction) -> EventTable:
        """Returns the events that a construction derives."""
        certain = certain_variables(construction.input, self.plan)
        table = self._slid(construction, certain)
        if table is None:
            table = derive(construction, self.relation(construction.input), self.environment, certain)
        if self.until is not None:
            table = replace(table, frame=table.frame.where(column("end") <= self.until))
        return table

    @property
    def sources(self) -> Sources:
        return Sources(self.plan, self.environment, self._tables)

    def _slid(self, construction: Construction, certain: frozenset[str]) -> EventTable | None:
        """Returns the events that a rule derives over a sliding window, if it has one."""
        window = sliding_window(construction, self.sources, points=self.max_duration == 0)
        if window is None:
            return None
        found = derive_sliding(construction, window, self.environment, certain)
        if found is None:
            return None
        table, strategy = found
        self.joins.append((window.join, strategy))
        return table

    def relation(self, expression: Expression) -> Relation:
        match expression:
            case Matching():
                return self._matching(expression.identifier, expression.pattern, self.matched(expression))
            case AbsoluteTimers():
                return self._matching(expression.identifier, expression.timer.pattern, (self._ticks(expression.timer),))
            case Reference():
                return self.relations[expression.name]
            case Join(right=RelativeTimers() as timer):
                relation = self.relation(expression.left)
                return timed(relation, timer.identifier, Timer(timer.kind, timer.duration, timer.anchor))
            case Join(right=PeriodicWindows() as windows):
                return windowed(self.relation(expression.left), windows.identifier, windows.period, windows.over)
            case Join(right=BoundedWindows() as windows):
                return bounded(self.relation(expression.left), windows.identifier, windows.bounds)
            case Join(right=RelationOperator() as rows):
                return self._lookup(self.relation(expression.left), rows, expression)
            case Join():
                return self._join(expression)
            case Selection():
                relation = self.relation(expression.input)
                if isinstance(expression.condition, Different):
                    left, right = expression.condition.left, expression.condition.right
                    return relation.where(relation.differ(left.identifier, right.identifier))
                if self.environment.tally is not None:
                    certain = certain_variables(expression.input, self.plan)
                    relation = counted(relation, expression.condition, certain, self.environment)
                return relation.where(compile_filter(expression.condition, RowScope(relation, self.environment)))
            case Projection():
                return self.relation(expression.input).projected(expression.attributes)
            case TemporalJoin() | AntiSemiJoin():
                return self._window(expression)
            case Gathering():
                return self.relation(expression.input).gathered(expression.pairs, expression.dropped)
            case Merging():
                return self.relation(expression.input)
            case Renaming():
                identifiers = {old: new for new, old in expression.identifiers}
                variables = {old: new for new, old in expression.variables}
                return self.relation(expression.input).renamed(identifiers, variables)
            case Union():
                return union([self.relation(part) for part in expression.inputs])
            case Stream() | Construction() | RelationOperator():
                raise AssertionError(f"{type(expression).__name__} is no relation with rows of its own")
            case RelativeTimers() | PeriodicWindows() | BoundedWindows():
                raise AssertionError(f"{type(expression).__name__} is no relation with rows of its own")
            case _:
                assert_never(expression)

    def matched(self, matching: Matching) -> Sequence[EventTable]:
        """Returns the tables in which a pattern is matched."""
        return self._tables(matching.source)

    def _ticks(self, timer: TimerQuery) -> EventTable:
        """Returns the occurrences of a timer, which are made once."""
        if timer not in self.ticks:
            rules = rules_with_timers(self.plan)
            self.ticks[timer] = tick_table(timer, self.recorded, self.environment, self.until, rules)
        return self.ticks[timer]

    def _tables(self, source: Expression) -> Sequence[EventTable]:
        match source:
            case Stream():
                return self.stream
            case Reference():
                return self.derived[source.name]
            case Union():
                return [table for part in source.inputs for table in self._tables(part)]
            case _:
                raise AssertionError(f"nothing is matched in a {type(source).__name__}")

    def _matching(self, identifier: str, pattern: Pattern, tables: Sequence[EventTable]) -> Relation:
        found: list[Relation] = []
        for table in tables:
            frame = match_table(table, identifier, pattern, self.environment.fallback)
            if frame is not None and table.prefix == OPENING:
                frame = with_ends_of_states(frame, identifier, table)
            if frame is not None:
                found.append(Relation(frame, _components(frame.columns), (identifier,)))
        return union(found) if found else self._nothing(identifier)

    def _nothing(self, identifier: str) -> Relation:
        types = ", ".join(f"`{attribute(identifier, part)}` bigint" for part in EVENT)
        return Relation(self.spark.createDataFrame([], types), {}, (identifier,))

    def _join(self, join: Join) -> Relation:
        left, right = self.relation(join.left), self.relation(join.right)
        span = self.relevance.join_span(join)
        buckets = None
        if span is not None:
            buckets = Buckets(attribute(span.left, "end"), attribute(span.right, "end"), span.before, span.after)
        self._note(join, left, right, buckets)
        return joins.natural_join(left, right, buckets)

    def _lookup(self, left: Relation, rows: RelationOperator, join: Join) -> Relation:
        """Returns the rows with what they find in a relation; a small one is broadcast by Spark."""
        right = self._matching(rows.identifier, rows.pattern, self.environment.lookups.get(rows.name, ()))
        shared = not rows.schema.data.isdisjoint(left.variables)
        self.joins.append((join, joins.strategy(shared, None)))
        return joins.lookup_join(left, right, rows.identifier, rows.at)

    def _window(self, operator: TemporalJoin | AntiSemiJoin) -> Relation:
        left, right = self.relation(operator.left), self.relation(operator.right)
        length = self.relevance.window_length(operator)
        buckets = None
        if length is not None:
            times = attribute(operator.window, "end"), attribute(operator.element, "end")
            buckets = Buckets(*times, before=length, after=0)
        if operator.containment in ("holding", "sharing", "common"):  # a state may have begun long before
            buckets = None

        def conditions(pair: Pair) -> list[Column]:
            scope = RowScope(pair, self.environment)
            found = [compile_condition(condition, scope) for condition in operator.condition]
            for name in sorted(operator.excluded):
                halves = [(column(attribute(name, h)), pair.right_event(operator.element, h)) for h in ("h1", "h2")]
                found.append((halves[0][0] != halves[0][1]) | (halves[1][0] != halves[1][1]))
            return found

        plain = operator.containment == "inside" and not operator.condition
        if isinstance(operator, AntiSemiJoin) and buckets is not None and plain:
            found = self._without_any(operator, left, buckets)
            if found is not None:
                self.joins.append((operator, "broadcast"))
                return found
        self._note(operator, left, right, buckets)
        if isinstance(operator, AntiSemiJoin):
            names = (operator.window, operator.element)
            return joins.anti_join(left, right, *names, conditions, buckets, operator.containment)
        how = (conditions, buckets, operator.containment)
        return joins.temporal_join(left, right, operator.window, operator.element, *how)

    def _without_any(self, operator: AntiSemiJoin, left: Relation, buckets: Buckets) -> Relation | None:
        """Returns the rows of the left side without an event in their windows, if these rows are few; else None."""
        right, anchors = side_of(operator.right, self.sources), anchor_side(operator.left, self.sources)
        if right is None or anchors is None or (right.selected and self.environment.tally is not None):
            return None
        if right.table.identity is None or not are_few(anchors.side):
            return None
        return without_any(left, anchors.side.identifier, right, operator, buckets)

    def _note(self, operator: Expression, left: Relation, right: Relation, buckets: Buckets | None) -> None:
        shared = bool(left.variables.keys() & right.variables.keys())
        self.joins.append((operator, joins.strategy(shared, buckets)))


def constructions(result: Expression) -> list[Construction]:
    """Returns the heads of a result, each with its body."""
    found = result.inputs if isinstance(result, Union) else (result,)
    return [part for part in found if isinstance(part, Construction)]


def _components(columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Returns the components of the variables among the columns of a matching."""
    found: dict[str, tuple[str, ...]] = {}
    for name in columns:
        variable, colon, kind = name.rpartition(":")
        if colon and kind in TYPES and component(variable, kind) == name:
            found[variable] = (*found.get(variable, ()), kind)
    return {name: tuple(kind for kind in TYPES if kind in kinds) for name, kinds in found.items()}
