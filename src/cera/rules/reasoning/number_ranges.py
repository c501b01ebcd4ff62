"""The numbers that the expressions of a case can be: bounds narrowed along sums and products until nothing changes.

A number is a 64-bit integer or a double. Sums and products of integers are exact, all others are rounded to the
nearest double, after integers past 2^53 among the operands have been. So a bound that is carried over an operation is
widened by what rounding can do to it: `x + 1 >= 3` leaves the double just below 2, `x + 1 > 3` does not. Bounds are
fractions; that x lies strictly above c is x >= c + ε for an ε smaller than the distance of any two numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from cera.model.expressions.expression import Arithmetic, Comparison, ComparisonOperator, Expression, Negative
from cera.model.terms.values import is_number
from cera.rules.reasoning.cases import CONVERSE, constant

#: Doubles are multiples of 2^-1074.
_EPSILON = Fraction(1, 2**1200)

#: Integers up to here are doubles.
_EXACT = 2**53

_ROUNDS = 12


@dataclass(frozen=True)
class Range:
    """The numbers from least to most; None where there is no bound."""

    least: Fraction | None = None
    most: Fraction | None = None

    @property
    def empty(self) -> bool:
        return self.least is not None and self.most is not None and self.least > self.most

    def __and__(self, other: Range) -> Range:
        return Range(_larger(self.least, other.least), _smaller(self.most, other.most))

    def __neg__(self) -> Range:
        return Range(_minus(self.most), _minus(self.least))

    def __add__(self, other: Range) -> Range:
        return Range(_sum(self.least, other.least), _sum(self.most, other.most))

    def times(self, factor: Fraction) -> Range:
        if factor < 0:
            return (-self).times(-factor)
        return Range(*(None if bound is None else bound * factor for bound in (self.least, self.most)))

    @property
    def single(self) -> Fraction | None:
        return self.least if self.least == self.most else None


ANY = Range()


def no_numbers(comparisons: Iterable[Comparison], numeric: frozenset[str]) -> bool:
    """Returns whether no numbers satisfy the comparisons, all sides of which are defined; `numeric` are the keys of
    those expressions that are known to be numbers."""
    return _Ranges([c for c in comparisons if repr(c.left) in numeric and repr(c.right) in numeric]).contradictory()


class _Ranges:
    def __init__(self, comparisons: list[Comparison]) -> None:
        self._comparisons = comparisons
        self._known: dict[str, Range] = {}
        self._empty = False

    def contradictory(self) -> bool:
        sides = [side for c in self._comparisons for side in (c.left, c.right)]
        for _ in range(_ROUNDS):
            before = dict(self._known)
            for side in sides:
                self._up(side)
            for comparison in self._comparisons:
                self._compare(comparison)
            for side in sides:
                self._down(side)
            if self._empty:
                return True
            if self._known == before:
                break
        return any(self._cannot_differ(c) for c in self._comparisons if c.operator == "!=")

    def _range(self, expression: Expression) -> Range:
        return self._known.get(repr(expression), ANY)

    def _narrow(self, expression: Expression, to: Range) -> None:
        narrowed = self._range(expression) & to
        self._known[repr(expression)] = narrowed
        self._empty = self._empty or narrowed.empty

    def _cannot_differ(self, comparison: Comparison) -> bool:
        left, right = self._range(comparison.left).single, self._range(comparison.right).single
        return left is not None and left == right

    def _compare(self, comparison: Comparison) -> None:
        left, right = comparison.left, comparison.right
        self._narrow(left, _beside(comparison.operator, self._range(right)))
        self._narrow(right, _beside(CONVERSE[comparison.operator], self._range(left)))

    def _up(self, expression: Expression) -> None:
        """Narrows the result by its operands."""
        value = constant(expression)
        if isinstance(value, int | float) and is_number(value):
            self._narrow(expression, Range(Fraction(value), Fraction(value)))
            return
        match expression:
            case Negative():
                self._up(expression.operand)
                self._narrow(expression, -self._range(expression.operand))
            case Arithmetic():
                self._up(expression.left)
                self._up(expression.right)
                left, right = (_converted(self._range(side)) for side in (expression.left, expression.right))
                self._narrow(expression, _rounded(_result(expression.operator, left, right)))
            case _:
                pass

    def _down(self, expression: Expression) -> None:
        """Narrows the operands by their result."""
        match expression:
            case Negative():
                self._narrow(expression.operand, -self._range(expression))
                self._down(expression.operand)
            case Arithmetic():
                exact = _before_rounding(self._range(expression))
                left, right = (_converted(self._range(side)) for side in (expression.left, expression.right))
                to_left, to_right = _operands(expression.operator, exact, left, right)
                self._narrow(expression.left, _before_rounding(to_left, exact_within=_EXACT))
                self._narrow(expression.right, _before_rounding(to_right, exact_within=_EXACT))
                self._down(expression.left)
                self._down(expression.right)
            case _:
                pass


def _beside(operator: ComparisonOperator, other: Range) -> Range:
    """Returns what x can be where x operator y for a y of the range."""
    match operator:
        case "<":
            return Range(None, _sum(other.most, -_EPSILON))
        case "<=":
            return Range(None, other.most)
        case ">":
            return Range(_sum(other.least, _EPSILON), None)
        case ">=":
            return Range(other.least, None)
        case "=":
            return other
        case "!=":
            return ANY


def _result(operator: str, left: Range, right: Range) -> Range:
    match operator:
        case "+":
            return left + right
        case "-":
            return left + -right
        case "*":
            if right.single is not None:
                return left.times(right.single)
            return ANY if left.single is None else right.times(left.single)
        case "/" if right.single:
            return left.times(1 / right.single)
        case _:
            return ANY


def _operands(operator: str, exact: Range, left: Range, right: Range) -> tuple[Range, Range]:
    """Returns what the operands can be where the exact result lies in the range."""
    match operator:
        case "+":
            return exact + -right, exact + -left
        case "-":
            return exact + right, left + -exact
        case "*":
            return (
                exact.times(1 / right.single) if right.single else ANY,
                exact.times(1 / left.single) if left.single else ANY,
            )
        case "/" if right.single:
            return exact.times(right.single), ANY
        case _:
            return ANY, ANY


def _converted(given: Range) -> Range:
    """Returns the range after its integers have been made doubles, which moves only those past 2^53."""
    least, most = given.least, given.most
    if least is not None and abs(least) > _EXACT:
        least = _double_below(least)
    if most is not None and abs(most) > _EXACT:
        most = _minus(_double_below(-most))
    return Range(least, most)


def _rounded(exact: Range) -> Range:
    """Returns what a result in the range can be rounded to."""
    least = None if exact.least is None else _double_below(exact.least)
    return Range(least, None if exact.most is None else _minus(_double_below(-exact.most)))


def _before_rounding(result: Range, exact_within: int = 0) -> Range:
    """Returns what can be rounded to a number of the range. Rounding does not move bounds up to `exact_within`."""
    return Range(_low(result.least, exact_within), _minus(_low(_minus(result.most), exact_within)))


def _low(bound: Fraction | None, exact_within: int) -> Fraction | None:
    """Returns the least number that rounds to the bound or above it: half way to the double before."""
    if bound is None or (exact_within and abs(bound) <= exact_within):
        return bound
    below = _double_below(bound)
    if below is None:
        return None
    above = float(below) if below == bound else math.nextafter(float(below), math.inf)
    before = math.nextafter(above, -math.inf)
    if not (math.isfinite(above) and math.isfinite(before)):
        return below if math.isfinite(before) else None
    return min(bound, (Fraction(before) + Fraction(above)) / 2)


def _double_below(bound: Fraction) -> Fraction | None:
    """Returns the greatest double that is not above the bound; None if there is none."""
    try:
        nearest = float(bound)
    except OverflowError:
        return None if bound < 0 else Fraction(math.nextafter(math.inf, 0))
    if Fraction(nearest) > bound:
        nearest = math.nextafter(nearest, -math.inf)
    return Fraction(nearest) if math.isfinite(nearest) else None


def _larger(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    return other if one is None else one if other is None else max(one, other)


def _smaller(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    return other if one is None else one if other is None else min(one, other)


def _minus(bound: Fraction | None) -> Fraction | None:
    return None if bound is None else -bound


def _sum(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    return None if one is None or other is None else one + other
