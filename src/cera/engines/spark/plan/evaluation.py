"""Expressions of the algebra as DataFrames, over tables of events: lowered, then emitted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from pyspark.sql import SparkSession

from cera.algebra.operators import Construction, Expression, Matching, Reference, Stream, Union
from cera.algebra.plan import Plan, rules_with_timers
from cera.algebra.relevance import Relevance
from cera.engines.spark.plan.emission import Emission
from cera.engines.spark.plan.joins import Strategy
from cera.engines.spark.plan.lowering import NO_TICKS, Lowering
from cera.engines.spark.plan.physical import (
    Absence,
    AbsenceOfFew,
    Inside,
    Lookup,
    Node,
    Pairs,
    Root,
    Slide,
    inputs,
)
from cera.engines.spark.plan.scopes import Environment
from cera.engines.spark.plan.timers import tick_table
from cera.engines.spark.tables.event_tables import EventTable
from cera.engines.spark.tables.queries import query
from cera.engines.spark.tables.relations import Relation, column
from cera.model.expressions.expression import TimerQuery
from cera.model.time.interval import Time

T = TypeVar("T", bound=Root | Node)


@dataclass
class Evaluation:
    """Expressions of a plan over the tables of incoming events. `physical` is what each was lowered to.

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
    physical: list[Root | Node] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        if self.environment.session is not None:
            self.stream = tuple(replace(table, frame=query(table.frame)) for table in self.stream)
        if self.max_duration == 0:
            self.stream = tuple(replace(table, points=True) for table in self.stream)
        self.relevance = Relevance(self.plan, self.max_duration)

    @property
    def joins(self) -> list[tuple[Expression, Strategy]]:
        """How each join was made, in order."""
        return [join for node in self.physical for join in joins_of(node)]

    @property
    def spark(self) -> SparkSession:
        return self.environment.spark

    @property
    def recorded(self) -> tuple[EventTable, ...]:
        """The tables of the events that came in."""
        return self.stream if self.recording is None else self.recording

    @property
    def lowering(self) -> Lowering:
        return Lowering(self.plan, self.relevance, self.environment, self.matched, self.relations)

    @property
    def emission(self) -> Emission:
        return Emission(self.environment, self.relations, self._ticks)

    def events(self, construction: Construction) -> EventTable:
        """Returns the events that a construction derives."""
        table = self.emission.events(self._noted(self.lowering.events(construction)))
        if self.until is not None:
            table = replace(table, frame=table.frame.where(column("end") <= self.until))
        return table

    def relation(self, expression: Expression) -> Relation:
        return self.emission.relation(self._noted(self.lowering.relation(expression)))

    def _noted(self, node: T) -> T:
        self.physical.append(node)
        return node

    def matched(self, matching: Matching) -> Sequence[EventTable]:
        """Returns the tables in which a pattern is matched."""
        return self._tables(matching.source)

    def _ticks(self, timer: TimerQuery) -> EventTable:
        """Returns the occurrences of a timer, which are made once."""
        if timer not in self.ticks:
            if self.environment.session is None:
                return NO_TICKS
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


def constructions(result: Expression) -> list[Construction]:
    """Returns the heads of a result, each with its body."""
    found = result.inputs if isinstance(result, Union) else (result,)
    return [part for part in found if isinstance(part, Construction)]


def joins_of(node: Root | Node) -> Iterator[tuple[Expression, Strategy]]:
    """Yields the joins of a physical plan, from the events up, and how each is made."""
    for below in inputs(node):
        yield from joins_of(below)
    match node:
        case Pairs() | Inside() | Absence():
            yield node.operator, node.way.strategy
        case Lookup():
            yield node.join, node.way.strategy
        case AbsenceOfFew():
            yield node.operator, "broadcast"
        case Slide():
            yield node.window.join, "moving" if node.moved else "sliding"
        case _:
            return
