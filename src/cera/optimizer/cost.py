"""What a join is estimated to cost: the number of tuples it makes, from the form of the queries alone.

There are no statistics of streams yet, so only ratios matter. A relation of matched events has 1,000 tuples; then

    a pattern keeps          1/10 for each scalar or regular expression in it
    an equality keeps        1/10; any other condition on data 1/3; one on times 1/2
    a shared variable keeps  1/100 of the pairs
    a bound in time keeps    1/50 of the pairs: an event lies near one that is there already, by whatever conditions

A step of the join costs what it makes; an order costs the sum of its steps. "There is no general principle to tell
which plan is more efficient" (section 3.4.2): the numbers only put joins that select much before those that do not.
"""

from __future__ import annotations

from collections.abc import Sequence

from cera.algebra.operators import AbsoluteTimers, Expression, Matching, Reference, Renaming, Selection
from cera.algebra.plan import Plan
from cera.model import expressions, patterns
from cera.model.expressions import Comparison
from cera.model.expressions import Expression as Condition
from cera.model.patterns import Pattern, RegexPattern, ScalarPattern
from cera.rules.rule import Branch
from cera.rules.time_consequences import time_network
from cera.rules.time_constraints import TimeNetwork
from cera.rules.time_points import TimePoint

EVENTS = 1000.0
CONSTANT = EQUALITY = 1 / 10
COMPARISON = 1 / 3
TIME_CONDITION = 1 / 2
SHARED_VARIABLE = 1 / 100
TIME_BOUND = 1 / 50


def size(expression: Expression, plan: Plan) -> float:
    """The estimated number of tuples of a relation of single events."""
    match expression:
        case Matching():
            return EVENTS * _kept_by_pattern(expression.pattern)
        case AbsoluteTimers():
            return EVENTS * _kept_by_pattern(expression.timer.pattern)
        case Selection():
            return size(expression.input, plan) * selectivity(expression.condition)
        case Renaming():
            return size(expression.input, plan)
        case Reference():
            return size(plan.by_name[expression.name].expression, plan)
        case _:
            return EVENTS


def selectivity(condition: Condition) -> float:
    if expressions.event_references(condition):
        return TIME_CONDITION
    equality = isinstance(condition, Comparison) and condition.operator == "="
    return EQUALITY if equality else COMPARISON


def _kept_by_pattern(pattern: Pattern) -> float:
    constants = sum(isinstance(part, ScalarPattern | RegexPattern) for part in patterns.walk(pattern))
    return float(CONSTANT**constants)


class Costs:
    """The costs of joining some relations under some conditions, in whatever order."""

    def __init__(self, relations: Sequence[Expression], conditions: Sequence[Condition], plan: Plan) -> None:
        self.relations = tuple(relations)
        self.conditions = tuple(conditions)
        self.sizes = [size(relation, plan) for relation in relations]
        network = time_network(Branch(conditions=tuple(conditions)))
        self._network: TimeNetwork | None = None if network.contradiction is not None else network

    def connected(self, done: Sequence[int], new: int) -> bool:
        """Whether a variable or a bound in time connects a relation with those that are joined already."""
        return bool(self._shared(done, new)) or self._is_bounded(done, new)

    def step(self, done: Sequence[int], so_far: float, new: int) -> float:
        """The estimated size of the join with one more relation."""
        kept = SHARED_VARIABLE ** len(self._shared(done, new))
        kept *= TIME_BOUND if self._is_bounded(done, new) else 1.0
        for condition in self.conditions:
            if self._has([*done, new], condition) and not self._has(done, condition):
                kept *= selectivity(condition)
        return so_far * self.sizes[new] * kept

    def _has(self, joined: Sequence[int], condition: Condition) -> bool:
        """Whether a condition can be decided on the join of these relations."""
        schemas = [self.relations[i].schema for i in joined]
        variables = frozenset[str]().union(*(schema.data for schema in schemas))
        times = frozenset[str]().union(*(schema.intervals for schema in schemas))
        return expressions.variables(condition) <= variables and expressions.event_references(condition) <= times

    def _shared(self, done: Sequence[int], new: int) -> frozenset[str]:
        bound = frozenset[str]().union(*(self.relations[i].schema.data for i in done))
        return self.relations[new].schema.data & bound

    def _is_bounded(self, done: Sequence[int], new: int) -> bool:
        return any(self._near(i, j) for k in done for i in self._ends(k) for j in self._ends(new))

    def _ends(self, relation: int) -> list[TimePoint]:
        return [TimePoint(identifier, "end") for identifier in self.relations[relation].schema.intervals]

    def _near(self, i: TimePoint, j: TimePoint) -> bool:
        if self._network is None:
            return True
        return self._network.bound(i, j) is not None and self._network.bound(j, i) is not None
