"""Consequences of conditions about time that are certain, whichever of their alternatives holds.

{a, b} within 5 sec or {a, b} within 1 min    implies    {a, b} within 1 min
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cera.model.expressions.expression import And, Expression, Or
from cera.rules.reasoning.difference_bounds import Constraint, DifferenceBounds
from cera.rules.reasoning.time_constraints import Alternative, TimeConstraint, TimeNetwork, clauses, literal_constraints
from cera.rules.reasoning.time_points import EPOCH, TimePoint
from cera.rules.rule import Branch


def time_network(branch: Branch) -> TimeNetwork:
    """Returns the network of a branch: its literals, and what follows from its conditions."""
    implied = (constraint for condition in branch.conditions for constraint in consequences(condition))
    return DifferenceBounds((*literal_constraints(branch), *implied))


def consequences(condition: Expression) -> Alternative:
    """Returns the constraints that hold whenever the condition does."""
    match condition:
        case And():
            return tuple(constraint for operand in condition.operands for constraint in consequences(operand))
        case Or():
            return tuple(_common([consequences(operand) for operand in condition.operands], condition))
        case _:
            return tuple(constraint for clause in clauses(condition) for constraint in _common(clause, condition))


def _common(alternatives: Sequence[Alternative], condition: Expression) -> Iterator[TimeConstraint]:
    """Yields the constraints of every alternative: between any two points the loosest of their bounds."""
    if len(alternatives) == 1:
        yield from alternatives[0]
        return
    networks = [network for each in alternatives if (network := _network(each)).contradiction is None]
    if not networks:
        return
    for left in networks[0].nodes:
        for right in networks[0].nodes:
            bounds = [network.bound(left, right) for network in networks] if left != right else [None]
            known = [bound.value for bound in bounds if bound is not None]
            if len(known) == len(bounds):
                yield Constraint(left, right, max(known), condition)


def _network(alternative: Alternative) -> TimeNetwork:
    """Returns the network of an alternative alone; nothing ends before it begins."""
    points = {point for constraint in alternative for point in (constraint.left, constraint.right)} - {EPOCH}
    names = sorted({point.identifier for point in points})
    proper: list[TimeConstraint] = [Constraint(TimePoint(n, "begin"), TimePoint(n, "end"), 0) for n in names]
    return DifferenceBounds((*alternative, *proper))
