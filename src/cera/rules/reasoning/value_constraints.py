"""Conditions on data that can never hold together.

Three things are looked at: the kinds of data that expressions can be, the ranges of those that are numbers, and the
order of expressions and constants as a network of difference bounds. In the network numbers are scaled to integers
in which the distance of any two doubles is a great many, so that a strict bound can be one by 1; values of different
kinds are put in the order of `value_key`, which agrees with every comparison that holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from cera.model.evaluation.evaluator import Evaluator
from cera.model.expressions.expression import (
    Arithmetic,
    Comparison,
    ComparisonOperator,
    Different,
    Expression,
    InOneWindow,
    Literal,
    Temporal,
    Variable,
    Within,
)
from cera.model.terms.term import value_key
from cera.model.terms.values import Scalar, is_number
from cera.rules.reasoning.cases import CONVERSE, OPPOSITE, Case, constant, is_constant
from cera.rules.reasoning.difference_bounds import Constraint, DifferenceBounds
from cera.rules.reasoning.number_ranges import no_numbers
from cera.rules.reasoning.value_kinds import NUMBER, STRING, Kinds, defined_parts, is_data, possible_kinds

#: Doubles are multiples of 2^-1074.
_SCALE = 2**1200

#: Integers up to here are doubles.
_EXACT = 2**53

#: An expression by its `repr`, or a constant by its key.
_Node = str | tuple[Any, ...]
_ValueConstraint = Constraint[_Node, None]


def no_values(case: Case, bound: frozenset[str] = frozenset()) -> bool:
    """Returns whether no values of the variables make the case true; variables in `bound` always have a value."""
    held = {repr(condition) for condition in case.asserted}
    if any(repr(condition) in held for condition in case.denied):
        return True
    if any(is_constant(c) and not Evaluator().holds(c, {}, {}) for c in case.asserted):
        return True
    if any(is_constant(c) and Evaluator().holds(c, {}, {}) for c in case.denied):
        return True
    comparisons = [
        _as_comparison(c) for c in case.asserted if not isinstance(c, Temporal | Within | InOneWindow | Different)
    ]
    kinds = possible_kinds(comparisons)
    defined = frozenset(kinds) | {repr(Variable(name)) for name in bound}
    denied = [_as_comparison(c) for c in case.denied if not isinstance(c, Temporal | Within | InOneWindow | Different)]
    comparisons += [opposite for c in denied if (opposite := _opposite(c, kinds, defined)) is not None]
    kinds = possible_kinds(comparisons)
    if not all(kinds.values()):
        return True
    data = [c for c in comparisons if is_data(c.left) and is_data(c.right)]
    numeric = frozenset(key for key, possible in kinds.items() if possible == NUMBER)
    return no_numbers(data, numeric) or _no_order(data, numeric)


def _as_comparison(condition: Expression) -> Comparison:
    """Returns a truth value as the condition that it is true."""
    return condition if isinstance(condition, Comparison) else Comparison("=", condition, Literal(True))


def _opposite(denied: Comparison, kinds: Mapping[str, Kinds], defined: frozenset[str]) -> Comparison | None:
    """Returns the comparison that holds because this one does not; None if it may be undefined."""
    sides = (denied.left, denied.right)
    if not all(_is_defined(side, defined) for side in sides):
        return None
    opposite = Comparison(OPPOSITE[denied.operator], denied.left, denied.right)
    if denied.operator not in ("=", "!="):
        own = possible_kinds([Comparison("!=", denied.left, denied.right)])
        left, right = (own[key] & kinds.get(key, own[key]) for key in map(repr, sides))
        if left != right or left not in (NUMBER, STRING):
            return None
    return opposite


def _is_defined(expression: Expression, defined: frozenset[str]) -> bool:
    if not is_data(expression):
        return False
    return repr(expression) in defined or constant(expression) is not None


def _no_order(comparisons: Sequence[Comparison], numeric: frozenset[str]) -> bool:
    constants: dict[_Node, Scalar] = {}
    constraints: list[_ValueConstraint] = []
    different: list[tuple[_Node, _Node]] = []
    for comparison in comparisons:
        left, right = (_node(side, constants) for side in (comparison.left, comparison.right))
        if comparison.operator == "!=":
            different.append((left, right))
        else:
            constraints += _constraints(comparison.operator, left, right)
            constraints += _signs(comparison, constants)
    parts = {repr(p): p for c in comparisons for side in (c.left, c.right) for p in defined_parts(side)}
    constraints += _sums([part for key, part in parts.items() if key in numeric], constants)
    network = DifferenceBounds[_Node, None]((*constraints, *_order(constants)))
    if network.contradiction is not None:
        return True
    return any(network.equal(left, right) for left, right in different)


def _node(expression: Expression, constants: dict[_Node, Scalar]) -> _Node:
    value = constant(expression)
    if not isinstance(value, str | int | float | bool):
        return repr(expression)
    key = value_key(value)
    constants[key] = value
    return key


def _constraints(operator: ComparisonOperator, left: _Node, right: _Node) -> list[_ValueConstraint]:
    match operator:
        case "<":
            return [Constraint(left, right, -1)]
        case "<=":
            return [Constraint(left, right, 0)]
        case ">":
            return [Constraint(right, left, -1)]
        case ">=":
            return [Constraint(right, left, 0)]
        case _:
            return [Constraint(left, right, 0), Constraint(right, left, 0)]


def _signs(comparison: Comparison, constants: dict[_Node, Scalar]) -> list[_ValueConstraint]:
    """x - y > 0 → x > y, which rounding does not change; x - y >= 0 says less, as integers past 2^53 are rounded."""
    for operator, difference, limit in (
        (comparison.operator, comparison.left, constant(comparison.right)),
        (CONVERSE[comparison.operator], comparison.right, constant(comparison.left)),
    ):
        if not (isinstance(difference, Arithmetic) and difference.operator == "-" and is_number(limit)):
            continue
        x, y = (_node(side, constants) for side in (difference.left, difference.right))
        above = Comparison(operator, Literal(0), Literal(limit))  # type: ignore[arg-type]  # it is a number
        if Evaluator().holds(above, {}, {}):
            continue  # a difference of 0 would do
        if operator in (">", ">=") or (operator == "=" and limit > 0):  # type: ignore[operator]
            return [Constraint(y, x, -1)]
        if operator in ("<", "<=") or operator == "=":
            return [Constraint(x, y, -1)]
    return []


def _sums(numbers: Sequence[Expression], constants: dict[_Node, Scalar]) -> Iterator[_ValueConstraint]:
    """m <= n → x + m <= x + n, for integers m and n that are doubles: rounding keeps the order, though not strictly."""
    by_base: dict[str, dict[int, Expression]] = {}
    for number in numbers:
        base, added = _base(number)
        by_base.setdefault(repr(base), {0: base})[added] = number
    for sums in by_base.values():
        for lower, upper in pairwise(sorted(sums)):
            yield Constraint(_node(sums[lower], constants), _node(sums[upper], constants), 0)


def _base(expression: Expression) -> tuple[Expression, int]:
    """Returns x and 3 for `x + 3`."""
    match expression:
        case Arithmetic(operator="+" | "-"):
            sides = [(expression.left, expression.right)]
            if expression.operator == "+":
                sides.append((expression.right, expression.left))
            for base, other in sides:
                added = constant(other)
                if isinstance(added, int) and is_number(added) and abs(added) <= _EXACT:
                    return base, added if expression.operator == "+" else -added
        case _:
            pass
    return expression, 0


def _order(constants: dict[_Node, Scalar]) -> Iterable[_ValueConstraint]:
    """Returns the order of the constants: numbers at their distance, all others somewhere above the one before."""
    for lower, upper in pairwise(sorted(constants, key=lambda key: key)):
        one, other = constants[lower], constants[upper]
        distance = 1
        if is_number(one) and is_number(other):
            distance = int((Fraction(other) - Fraction(one)) * _SCALE)
            yield Constraint(upper, lower, distance)
        yield Constraint(lower, upper, -distance)
