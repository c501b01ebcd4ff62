"""Lengths of time at the limits of what they can be."""

from cera.model.evaluation.evaluator import calculate, compare, negative
from cera.model.time.durations import Distance, Duration
from cera.model.time.interval import MAX_TIME

DAY = Duration(0, 86_400_000_000)


def test_a_duration_past_64_bits_is_undefined_like_an_integer() -> None:
    assert calculate("*", DAY, 2**60) is None
    assert calculate("*", 2**62, Duration(12)) is None
    half = calculate("*", Duration(0, 1), 2**62)
    assert half == Duration(0, 2**62)
    assert calculate("+", half, half) is None
    assert calculate("-", half, half) == Duration()
    assert negative(Duration(0, -(2**63))) is None


def test_a_distance_is_compared_with_a_fixed_length_wherever_it_lies() -> None:
    late = Distance(MAX_TIME - 10, MAX_TIME)
    assert compare("<", late, DAY) is True
    assert compare("<", DAY, late) is False


def test_a_distance_is_compared_with_months_only_where_the_calendar_reaches() -> None:
    assert compare("<", Distance(0, 10), Duration(1)) is True
    assert compare("<", Distance(MAX_TIME - 10, MAX_TIME), Duration(1)) is None
