"""Conditions on data that can never hold together: bounds on variables that exclude each other.

Comparisons between variables and constants are difference bounds too. Numbers are scaled to integers in which the
distance of any two doubles is a great many, so that a strict bound can be one by 1. Values of different kinds are put
in the order of `value_key`, which agrees with every comparison that holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from cera.model.expressions import Comparison, Expression, Variable
from cera.model.terms import value_key
from cera.model.values import Scalar, is_number
from cera.rules.constants import conjuncts, constant
from cera.rules.difference_bounds import Constraint, DifferenceBounds, reasons_of

#: Doubles are multiples of 2^-1074.
_SCALE = 2**1200

#: A variable by its name, or a constant by its key.
_Node = str | tuple[Any, ...]
_ValueConstraint = Constraint[_Node, Expression]


def contradictory_values(conditions: Iterable[Expression]) -> tuple[Expression, ...] | None:
    """Some of the conditions that no values satisfy together; None if there are no such or none that show it."""
    comparisons = [c for c in conjuncts(conditions) if isinstance(c, Comparison)]
    constants: dict[_Node, Scalar] = {}
    constraints: list[_ValueConstraint] = []
    different: list[tuple[_Node, _Node, Expression]] = []
    kinds: dict[_Node, dict[str, Expression]] = {}
    for comparison in comparisons:
        left, right = (_node(side, constants) for side in (comparison.left, comparison.right))
        if left is None or right is None:
            continue
        if comparison.operator == "!=":
            different.append((left, right, comparison))
            continue
        constraints += _constraints(comparison, left, right)
        for variable, other in ((left, right), (right, left)):
            if isinstance(variable, str) and other in constants:
                kinds.setdefault(variable, {}).setdefault(_kind(constants[other]), comparison)
    for by_kind in kinds.values():
        if len(by_kind) > 1:
            return tuple(by_kind.values())
    network = DifferenceBounds[_Node, Expression]((*constraints, *_order(constants)))
    if network.contradiction is not None:
        return reasons_of(network.contradiction)
    for left, right, unequal in different:
        above, below = network.bound(left, right), network.bound(right, left)
        if above is not None and below is not None and above.value <= 0 and below.value <= 0:
            return tuple(dict.fromkeys((*above.reasons, *below.reasons, unequal)))
    return None


def _node(expression: Expression, constants: dict[_Node, Scalar]) -> _Node | None:
    if isinstance(expression, Variable):
        return expression.name
    value = constant(expression)
    if not isinstance(value, str | int | float | bool):
        return None
    key = value_key(value)
    constants[key] = value
    return key


def _kind(value: Scalar) -> str:
    return "number" if is_number(value) else type(value).__name__


def _constraints(comparison: Comparison, left: _Node, right: _Node) -> list[_ValueConstraint]:
    match comparison.operator:
        case "<":
            return [Constraint(left, right, -1, comparison)]
        case "<=":
            return [Constraint(left, right, 0, comparison)]
        case ">":
            return [Constraint(right, left, -1, comparison)]
        case ">=":
            return [Constraint(right, left, 0, comparison)]
        case _:
            return [Constraint(left, right, 0, comparison), Constraint(right, left, 0, comparison)]


def _order(constants: dict[_Node, Scalar]) -> Sequence[_ValueConstraint]:
    """How the constants lie to each other: numbers at their distance, all others somewhere above the one before."""
    found: list[_ValueConstraint] = []
    for lower, upper in pairwise(sorted(constants, key=lambda key: key)):
        one, other = constants[lower], constants[upper]
        distance = 1
        if is_number(one) and is_number(other):
            distance = int((Fraction(other) - Fraction(one)) * _SCALE)
            found.append(Constraint(upper, lower, distance))
        found.append(Constraint(lower, upper, -distance))
    return found
