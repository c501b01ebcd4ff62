"""How the numbers of events combine (seed 002, section 8.5, corrected): laws on sets of counts.

A law takes the numbers that its arguments may be and returns numbers of which the result is one. Where the result is
not a union of few intervals, the intervals around it are given: never a number too few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce

from cera.constraints.numbers import ALL, NO_NUMBER, CountSet, Range, compared
from cera.constraints.specification import AllLimits, AnyLimit, Limit, Specification

#: None at all, and one or more.
ZERO, SOME = compared("=", 0), compared(">=", 1)


def conjoined(left: CountSet, right: CountSet) -> CountSet:
    """Returns C∧, the numbers of pairs: |A × B| of |A| in `left` and |B| in `right` (Tables 8.1 and 8.3).

    Only for a bare product: a shared variable, a condition or an absence needs `selected` (ERR-72).
    """
    return _paired(left, right, _product)


def disjoined(left: CountSet, right: CountSet) -> CountSet:
    """Returns C∨ of what is disjoint: |A ∪ B| = |A| + |B| (Tables 8.2 and 8.4)."""
    return _paired(left, right, lambda a, b: [(a[0] + b[0], _plus(a[1], b[1]))])


def overlapping(left: CountSet, right: CountSet) -> CountSet:
    """Returns C∨ of sets that may have elements in common: max(|A|, |B|) <= |A ∪ B| <= |A| + |B| (ERR-73)."""
    return _paired(left, right, lambda a, b: [(max(a[0], b[0]), _plus(a[1], b[1]))])


def selected(numbers: CountSet) -> CountSet:
    """Returns how many are left by a condition, a join or an absence that each may or may not pass: |σ(A)| <= |A|."""
    return NO_NUMBER if not numbers else CountSet(((0, greatest(numbers)),))


def all_or_none(numbers: CountSet, absent: CountSet) -> CountSet:
    """Returns how many are left by an absence that has no variable in common with the rest.

    All of them if there is nothing that must be absent, none if there is: `absent` are the numbers of it.
    """
    kept = numbers if 0 in absent else NO_NUMBER
    return kept.union(ZERO) if absent.intersection(SOME) else kept


def projected(numbers: CountSet) -> CountSet:
    """Returns how many images a number of things has under a function: 0 of 0, else from 1 to all (ERR-73)."""
    some = numbers.intersection(SOME)
    found = CountSet(((1, greatest(some)),)) if some else NO_NUMBER
    return found.union(ZERO) if 0 in numbers else found


def grouped(numbers: CountSet) -> CountSet:
    """Returns how many answers an aggregate gives for one group: one if there is anything in it, else none."""
    return projected(numbers).intersection(compared("<=", 1))


def of_special(numbers: CountSet) -> CountSet:
    """Returns the numbers of a more general atom, of whose instances some have these: no less (Example 8, ERR-81)."""
    return NO_NUMBER if not numbers else CountSet(((numbers.ranges[0][0], None),))


def of_general(numbers: CountSet) -> CountSet:
    """Returns the numbers of a more special atom, whose instances are among these: no more (ERR-81)."""
    return selected(numbers)


def or_none(numbers: CountSet) -> CountSet:
    """Returns the numbers of a group whose variables nothing binds: it has its specification, or does not occur."""
    return numbers.union(ZERO)


#: Of more intervals than these only the one around them is kept.
MOST_RANGES = 32


def repeated(numbers: CountSet, times: int) -> CountSet:
    """Returns the sums of as many numbers, each one of these: what lies in as many disjoint windows (ERR-78)."""
    total = ZERO
    power = numbers
    while times:
        if times & 1:
            total = _coarse(disjoined(total, power))
        times >>= 1
        if times:
            power = _coarse(disjoined(power, power))
    return total


def _coarse(numbers: CountSet) -> CountSet:
    many = len(numbers.ranges) > MOST_RANGES
    return CountSet(((least(numbers), greatest(numbers)),)) if many else numbers


def combined(law: Callable[[CountSet, CountSet], CountSet], numbers: Iterable[CountSet]) -> CountSet:
    """Returns what a law gives for several; the order does not matter (ERR-74: it would for the printed tables)."""
    return reduce(law, numbers)


def least(numbers: CountSet) -> int:
    """Returns the least of the numbers, which are not none."""
    return numbers.ranges[0][0]


def greatest(numbers: CountSet) -> int | None:
    """Returns the greatest of the numbers, which are not none; None if there is none."""
    return numbers.ranges[-1][1]


def _paired(left: CountSet, right: CountSet, law: Callable[[Range, Range], list[Range]]) -> CountSet:
    found = NO_NUMBER
    for one in left.ranges:
        for other in right.ranges:
            for each in law(one, other):
                found = found.union(CountSet((each,)))
    return found


def _plus(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left + right


def _product(left: Range, right: Range) -> list[Range]:
    """Returns the products of two ranges: zero apart from the others, which lie between the least and the greatest."""
    found: list[Range] = [(0, 0)] if 0 in (left[0], right[0]) else []
    (low, high), (other_low, other_high) = (max(left[0], 1), left[1]), (max(right[0], 1), right[1])
    if 0 in (high, other_high):
        return found
    return [*found, (low * other_low, None if high is None or other_high is None else high * other_high)]


def specification_of(numbers: CountSet) -> Specification | None:
    """Returns the simplest specification of exactly these numbers (Listing 8.6); None if there are none of them."""
    parts = [_limits(each) for each in numbers.ranges]
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else AnyLimit(tuple(parts))


def _limits(numbers: Range) -> Specification:
    low, high = numbers
    if low == high:
        return Limit("=", low)
    if high is None:
        return Limit(">=", low)
    return Limit("<=", high) if low == 0 else AllLimits((Limit(">=", low), Limit("<=", high)))


def says_nothing(numbers: CountSet) -> bool:
    """Returns whether any number is one of these: `>= 0`."""
    return numbers == ALL
