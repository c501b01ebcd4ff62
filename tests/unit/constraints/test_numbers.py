"""Sets of counts, held against plain sets of small numbers."""

from __future__ import annotations

from itertools import product

from cera.constraints.numbers import ALL, NO_NUMBER, CountSet, compared, counts
from cera.constraints.specification import AllLimits, AnyLimit, Limit
from cera.model.expressions.expression import ComparisonOperator

OPERATORS: tuple[ComparisonOperator, ...] = ("=", "!=", "<", "<=", ">", ">=")
PLAIN = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
NUMBERS = range(9)


def test_and_and_or_are_intersection_and_union() -> None:
    limits = [Limit(operator, number) for operator in OPERATORS for number in range(-1, 5)]
    for one, other in product(limits, limits):
        for kind, join in ((AllLimits, all), (AnyLimit, any)):
            found = counts(kind((one, other)))
            assert found is not None
            for number in NUMBERS:
                expected = join(PLAIN[each.operator](number, each.amount) for each in (one, other))
                assert (number in found) is expected, (one, other, kind, number)


def test_what_a_set_reaches_and_has_from_a_number_on() -> None:
    found = CountSet(((0, 0), (3, None)))
    assert [found.reaches(number) for number in range(5)] == [True] * 5
    assert [found.has_all_from(number) for number in range(5)] == [False, False, False, True, True]
    few = compared("<=", 2)
    assert [few.reaches(number) for number in range(5)] == [True, True, True, False, False]
    assert compared(">=", 0) == ALL
    assert compared("<", 0) == NO_NUMBER
    assert compared("=", 2) <= few
    assert not few <= compared("=", 2)
