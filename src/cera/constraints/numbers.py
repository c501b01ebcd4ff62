"""Sets of counts: unions of intervals of the natural numbers, which every cardinality without variables is.

= 0 or >= 3      {0} ∪ [3, ∞[
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import assert_never

from cera.constraints.queries import Literal, Part
from cera.constraints.specification import SOME, AllLimits, AnyLimit, Limit, Specification
from cera.model.expressions.expression import ComparisonOperator

#: From the least to the greatest number; None is no greatest one.
Range = tuple[int, int | None]


@dataclass(frozen=True)
class CountSet:
    """Ranges of numbers that do not touch, in their order."""

    ranges: tuple[Range, ...]

    def __contains__(self, number: int) -> bool:
        return any(low <= number and (high is None or number <= high) for low, high in self.ranges)

    def __bool__(self) -> bool:
        return bool(self.ranges)

    def reaches(self, number: int) -> bool:
        """Returns whether there is a number at or above this one."""
        return any(high is None or high >= number for _, high in self.ranges)

    def has_all_from(self, number: int) -> bool:
        """Returns whether all numbers at or above this one are in the set."""
        return any(low <= number and high is None for low, high in self.ranges)

    def union(self, other: CountSet) -> CountSet:
        return _joined((*self.ranges, *other.ranges))

    def intersection(self, other: CountSet) -> CountSet:
        both = ((max(a, c), _least(b, d)) for a, b in self.ranges for c, d in other.ranges)
        return _joined(each for each in both if each[1] is None or each[0] <= each[1])

    def __le__(self, other: CountSet) -> bool:
        """Returns whether all numbers of this set are in the other one."""
        return self.intersection(other) == self


#: All numbers, and none.
ALL = CountSet(((0, None),))
NO_NUMBER = CountSet(())
#: None at all, and any other number.
ZERO = CountSet(((0, 0),))
AT_LEAST_ONE = CountSet(((1, None),))


def _least(left: int | None, right: int | None) -> int | None:
    return right if left is None else left if right is None else min(left, right)


def _joined(ranges: Iterable[Range]) -> CountSet:
    found: list[Range] = []
    for low, high in sorted(ranges, key=lambda each: each[0]):
        if found and (found[-1][1] is None or low <= found[-1][1] + 1):
            before, last = found[-1]
            found[-1] = (before, None if last is None or high is None else max(last, high))
        else:
            found.append((low, high))
    return CountSet(tuple(found))


def complement(numbers: CountSet) -> CountSet:
    """Returns all numbers that are not in a set."""
    found = NO_NUMBER
    first = 0
    for low, high in numbers.ranges:
        if first < low:
            found = found.union(CountSet(((first, low - 1),)))
        if high is None:
            return found
        first = high + 1
    return found.union(CountSet(((first, None),)))


def compared(operator: ComparisonOperator, number: int) -> CountSet:
    """Returns the counts that stand in a relation to a number, which may be negative."""
    below = NO_NUMBER if number <= 0 else CountSet(((0, number - 1),))
    equal = NO_NUMBER if number < 0 else CountSet(((number, number),))
    above = CountSet(((max(number + 1, 0), None),))
    match operator:
        case "=":
            return equal
        case "!=":
            return below.union(above)
        case "<":
            return below
        case "<=":
            return below.union(equal)
        case ">":
            return above
        case ">=":
            return equal.union(above)
        case _:
            assert_never(operator)


def counts(specification: Specification) -> CountSet | None:
    """Returns the numbers that a cardinality admits; None if it has variables."""
    match specification:
        case Limit():
            amount = specification.amount
            return compared(specification.operator, amount) if isinstance(amount, int) else None
        case AllLimits() | AnyLimit():
            found: CountSet | None = None
            for part in specification.parts:
                numbers = counts(part)
                if numbers is None:
                    return None
                if found is None:
                    found = numbers
                else:
                    joined = found.intersection if isinstance(specification, AllLimits) else found.union
                    found = joined(numbers)
            return found
        case _:
            assert_never(specification)


def greatest(numbers: CountSet) -> int | None:
    """Returns the greatest number of a set, -1 if it has none; None if there is no greatest one."""
    return numbers.ranges[-1][1] if numbers else -1


def numbers_of(part: Part) -> CountSet | None:
    """Returns the numbers that a literal admits; None if they depend on variables, or it is not a literal."""
    if not isinstance(part, Literal):
        return None
    return counts(SOME if part.count is None else part.count)
