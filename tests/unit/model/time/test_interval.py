"""Time points, closed intervals, hulls and containment."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cera.model.time.allen import before
from cera.model.time.durations import Duration, shift
from cera.model.time.interval import MAX_TIME, MIN_TIME, Interval, hull, interval, point

SECOND = 1_000_000

intervals = st.tuples(st.integers(-9, 9), st.integers(-9, 9)).map(lambda edges: Interval(min(edges), max(edges)))


def test_X_16_the_hull_covers_all_intervals_and_no_more() -> None:
    assert hull([Interval(1, 3), Interval(2, 7)]) == Interval(1, 7)
    assert hull([Interval(5, 6), Interval(1, 2)]) == Interval(1, 6)
    assert hull([Interval(1, 3)]) == Interval(1, 3)
    assert hull(iter([Interval(0, 9), Interval(3, 4), Interval(2, 5)])) == Interval(0, 9)


def test_X_16_containment_includes_both_bounds() -> None:
    assert Interval(1, 3).contains(Interval(2, 3))
    assert Interval(1, 3).contains(Interval(1, 3))
    assert Interval(1, 3).contains(Interval(1, 1))
    assert not Interval(1, 3).contains(Interval(0, 3))
    assert not Interval(1, 3).contains(Interval(1, 4))
    assert not Interval(2, 3).contains(Interval(1, 3))


def test_X_16_a_time_point_is_an_interval_of_itself() -> None:
    assert point(7) == Interval(7, 7)
    assert point(7).is_point
    assert not Interval(7, 8).is_point


def test_X_16_time_is_linear() -> None:
    assert sorted([Interval(2, 3), Interval(1, 9), Interval(1, 4)]) == [Interval(1, 4), Interval(1, 9), Interval(2, 3)]


@given(intervals, intervals, intervals)
def test_the_hull_is_the_least_interval_that_contains_its_parts(i: Interval, j: Interval, other: Interval) -> None:
    covering = hull([i, j])
    assert covering.contains(i)
    assert covering.contains(j)
    assert covering == hull([j, i])
    if other.contains(i) and other.contains(j):
        assert other.contains(covering)


@given(intervals, intervals, intervals)
def test_the_hull_of_hulls_is_the_hull_of_all(i: Interval, j: Interval, k: Interval) -> None:
    assert hull([hull([i, j]), k]) == hull([i, hull([j, k])]) == hull([i, j, k])


@pytest.mark.parametrize(
    ("end", "holds"),
    [(60 * SECOND, True), (60 * SECOND + 1000, False), (60 * SECOND + 1, False)],
    ids=["C-25: exactly 60 s is within 60 s", "C-25: 60.001 s is not", "nor is one microsecond more"],
)
def test_C_25_within_includes_its_bound(end: int, holds: bool) -> None:
    covering = hull([point(0), point(end)])
    latest = shift(covering.begin, Duration(microseconds=60 * SECOND))
    assert latest is not None
    assert (covering.end <= latest) is holds


def test_C_25_before_is_strict() -> None:
    assert before(Interval(0, 4), Interval(5, 9))
    assert not before(Interval(0, 5), Interval(5, 9))


def test_an_interval_cannot_end_before_it_begins() -> None:
    assert interval(3, 3) == Interval(3, 3)
    with pytest.raises(ValueError, match="the end 2 lies before the begin 3"):
        interval(3, 2)


@pytest.mark.parametrize("edges", [(MIN_TIME - 1, 0), (0, MAX_TIME + 1)])
def test_an_interval_lies_within_the_years_1_to_9999(edges: tuple[int, int]) -> None:
    assert interval(MIN_TIME, MAX_TIME) == Interval(MIN_TIME, MAX_TIME)
    with pytest.raises(ValueError, match="years 1 to 9999"):
        interval(*edges)


def test_the_bounds_of_time_are_the_bounds_of_the_calendar() -> None:
    # 719,162 days lie between 0001-01-01 and 1970-01-01, and 3,652,059 days are in the years 1 to 9999.
    assert MIN_TIME == -719_162 * 86_400 * SECOND
    assert MAX_TIME == (3_652_059 - 719_162) * 86_400 * SECOND - 1


def test_an_interval_is_written_with_its_bounds() -> None:
    assert str(Interval(10, 70)) == "[10,70]"
