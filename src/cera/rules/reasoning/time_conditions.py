"""Bounds on the times of a branch, as conditions of rules.

x <= y + 5 sec      as      x - y <= 5 sec      which is defined for all times
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from cera.model.expressions.expression import (
    Arithmetic,
    Call,
    Comparison,
    DurationLiteral,
    EventReference,
    Expression,
)
from cera.model.time.durations import Duration
from cera.model.time.timers import Edge
from cera.rules.reasoning.difference_bounds import Constraint
from cera.rules.reasoning.time_constraints import TimeConstraint, TimeNetwork
from cera.rules.reasoning.time_points import TimePoint

EDGES: tuple[Edge, ...] = ("begin", "end")


def tighter_conditions(network: TimeNetwork, known: TimeNetwork, names: Collection[str]) -> Iterator[Expression]:
    """Yields conditions on the times of some events that follow from a network and not from another one. None of them
    follows from the others."""
    points = [TimePoint(name, edge) for name in sorted(names) for edge in EDGES]
    proper: list[TimeConstraint] = [Constraint(TimePoint(n, "begin"), TimePoint(n, "end"), 0) for n in sorted(names)]
    known = known.adding(proper)
    needed: list[TimeConstraint] = [
        Constraint(left, right, value)
        for left in points
        for right in points
        if left != right
        and (value := network.least(left, right)) is not None
        and not _follows(known, left, right, value)
    ]
    for each in tuple(needed):
        others = [other for other in needed if other is not each]
        if _follows(known.adding(others), each.left, each.right, each.bound):
            needed = others
    yield from (bound_condition(each.left, each.right, each.bound) for each in needed)


def _follows(network: TimeNetwork, left: TimePoint, right: TimePoint, value: int) -> bool:
    least = network.least(left, right)
    return least is not None and least <= value


def bound_condition(left: TimePoint, right: TimePoint, value: int) -> Expression:
    """Returns left <= right + value as a condition."""
    one, other = _time(left), _time(right)
    match value:
        case 0:
            return Comparison("<=", one, other)
        case -1:
            return Comparison("<", one, other)
        case _ if value > 0:
            return Comparison("<=", Arithmetic("-", one, other), _length(value))
        case _:
            return Comparison(">=", Arithmetic("-", other, one), _length(-value))


def _time(point: TimePoint) -> Expression:
    return Call(point.edge, (EventReference(point.identifier),))


def _length(microseconds: int) -> Expression:
    return DurationLiteral(Duration(0, microseconds))
