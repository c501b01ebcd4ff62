"""The estimated cost of a join: the number of tuples it makes, from the form of the queries alone.

Without rates of the events only ratios matter. A relation of matched events has 1,000 tuples; then

    a pattern keeps          1/10 for each scalar or regular expression in it
    an equality keeps        1/10; any other condition on data 1/3; one on times 1/2
    a shared variable keeps  1/100 of the pairs
    a bound in time keeps    1/50 of the pairs: an event lies near one that is there already, by whatever conditions

With rates (`cera.model.events.rates`), a relation has as many tuples as come while these were sampled, and what is kept
follows from the number of different values, from sampled shares (`cera.optimizer.costs.shares`), and from how close in
time the events are.

A step of the join costs what it makes; an order costs the sum of its steps. "There is no general principle to tell
which plan is more efficient" (section 3.4.2): the numbers only put joins that select much before those that do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from cera.algebra.operators import AbsoluteTimers, Expression, Matching, Reference, Renaming, Selection
from cera.algebra.plan import Plan
from cera.model.events.rates import Rates
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Comparison
from cera.model.expressions.expression import Expression as Condition
from cera.model.matching import patterns
from cera.model.matching.patterns import Pattern, RegexPattern, ScalarPattern
from cera.optimizer.costs.shares import (
    condition_share,
    joined_share,
    matches_per_second,
    single_pattern,
    values_of,
)
from cera.rules.reasoning.time_consequences import time_network
from cera.rules.reasoning.time_constraints import TimeNetwork
from cera.rules.reasoning.time_points import TimePoint
from cera.rules.rule import Branch

EVENTS = 1000.0
CONSTANT = EQUALITY = 1 / 10
COMPARISON = 1 / 3
TIME_CONDITION = 1 / 2
SHARED_VARIABLE = 1 / 100
TIME_BOUND = 1 / 50


def size(expression: Expression, plan: Plan, rates: Rates | None = None) -> float:
    """Returns the estimated number of tuples of a relation of single events."""
    match expression:
        case Matching():
            if rates is not None:
                return matches_per_second(expression.pattern, rates) * rates.seconds
            return EVENTS * _kept_by_pattern(expression.pattern)
        case AbsoluteTimers():
            return EVENTS * _kept_by_pattern(expression.timer.pattern)
        case Selection():
            return size(expression.input, plan, rates) * _kept_by_selection(expression, plan, rates)
        case Renaming():
            return size(expression.input, plan, rates)
        case Reference():
            return size(plan.by_name[expression.name].expression, plan, rates)
        case _:
            return EVENTS


def _kept_by_selection(selection: Selection, plan: Plan, rates: Rates | None) -> float:
    if rates is None:
        return selectivity(selection.condition)
    values = values_of(selection.input, plan, rates)
    return condition_share(selection.condition, values, rates, single_pattern(selection.input, plan))


def selectivity(condition: Condition) -> float:
    if expressions.event_references(condition):
        return TIME_CONDITION
    equality = isinstance(condition, Comparison) and condition.operator == "="
    return EQUALITY if equality else COMPARISON


def _kept_by_pattern(pattern: Pattern) -> float:
    constants = sum(isinstance(part, ScalarPattern | RegexPattern) for part in patterns.walk(pattern))
    return float(CONSTANT**constants)


@dataclass(frozen=True)
class PartialJoin:
    """Some relations that are joined already: their attributes, and the relations that are bounded in time by them."""

    data: frozenset[str] = frozenset()
    intervals: frozenset[str] = frozenset()
    near: frozenset[int] = frozenset()
    members: frozenset[int] = frozenset()


class Costs:
    """The costs of joining some relations under some conditions, in any order."""

    def __init__(
        self, relations: Sequence[Expression], conditions: Sequence[Condition], plan: Plan, rates: Rates | None = None
    ) -> None:
        self.relations = tuple(relations)
        self.sizes = [size(relation, plan, rates) for relation in relations]
        self._rates = rates
        self._values = [] if rates is None else [values_of(relation, plan, rates) for relation in relations]
        every = {name: number for values in self._values for name, number in values.items()}
        self._conditions = [
            (
                expressions.variables(c),
                expressions.event_references(c),
                selectivity(c) if rates is None else condition_share(c, every, rates),
            )
            for c in conditions
        ]
        network = time_network(Branch(conditions=tuple(conditions)))
        self._network: TimeNetwork | None = None if network.contradiction is not None else network

    def joined(self, done: PartialJoin, new: int) -> PartialJoin:
        """Returns the join with one more relation."""
        schema = self.relations[new].schema
        return PartialJoin(
            done.data | schema.data,
            done.intervals | schema.intervals,
            done.near | self._near[new],
            done.members | {new},
        )

    def connected(self, done: PartialJoin, new: int) -> bool:
        """Returns whether a variable or a bound in time connects a relation with those that are joined already."""
        return not done.data.isdisjoint(self.relations[new].schema.data) or new in done.near

    def step(self, done: PartialJoin, so_far: float, new: int) -> float:
        """Returns the estimated size of the join with one more relation."""
        schema = self.relations[new].schema
        kept = self._kept_by_values(done, new) * self._kept_by_time(done, new)
        for variables, times, selected in self._conditions_of[new]:
            decided = variables <= done.data and times <= done.intervals
            if not decided and variables <= done.data | schema.data and times <= done.intervals | schema.intervals:
                kept *= selected
        return so_far * self.sizes[new] * kept

    def _kept_by_values(self, done: PartialJoin, new: int) -> float:
        shared = self.relations[new].schema.data & done.data
        if self._rates is None:
            return float(SHARED_VARIABLE ** len(shared))
        known = {name: number for i in done.members for name, number in self._values[i].items()}
        return joined_share(shared, known, self._values[new])

    def _kept_by_time(self, done: PartialJoin, new: int) -> float:
        if new not in done.near:
            return 1.0
        if self._rates is None or self._network is None:
            return TIME_BOUND
        widths = [self._width(i, new) for i in done.members]
        known = [width for width in widths if width is not None]
        return min(1.0, min(known, default=0.0) / 1_000_000 / self._rates.seconds) if known else 1.0

    def _width(self, i: int, j: int) -> float | None:
        """Returns how long the time is in which an event of one relation lies, by one of the other."""
        assert self._network is not None
        found: list[float] = []
        for x in self._bounded[i]:
            for y in self._bounded[j]:
                after, before = self._network.least(x, y), self._network.least(y, x)
                if after is not None and before is not None:
                    found.append(float(after + before))
        return min(found, default=None)

    @cached_property
    def _bounded(self) -> list[list[TimePoint]]:
        """The ends of the events of each relation that conditions speak of."""
        known = frozenset[TimePoint]() if self._network is None else frozenset(self._network.nodes)
        ends = [[TimePoint(name, "end") for name in relation.schema.intervals] for relation in self.relations]
        return [[point for point in points if point in known] for points in ends]

    @cached_property
    def _conditions_of(self) -> list[list[tuple[frozenset[str], frozenset[str], float]]]:
        """The conditions that are about each relation: no others can be decided by joining it."""
        return [
            [c for c in self._conditions if not (c[0].isdisjoint(schema.data) and c[1].isdisjoint(schema.intervals))]
            for schema in (relation.schema for relation in self.relations)
        ]

    @cached_property
    def _near(self) -> list[frozenset[int]]:
        """The relations near each one: with an event whose end is bounded by the end of one of its own, and bounds
        it."""
        every = range(len(self.relations))
        if self._network is None:
            return [frozenset(every) for _ in every]
        bounded = self._bounded
        return [
            frozenset(j for j in every if i == j or any(self._close(x, y) for x in bounded[i] for y in bounded[j]))
            for i in every
        ]

    def _close(self, i: TimePoint, j: TimePoint) -> bool:
        assert self._network is not None
        return self._network.least(i, j) is not None and self._network.least(j, i) is not None
