"""Periodic windows: which of them contain an interval (S-02, ERR-35)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cera.model.time.interval import MAX_TIME, MIN_TIME, Interval, point
from cera.model.time.periodic_windows import MOST_WINDOWS, Period, checked_period

MINUTE = 60_000_000

PERIODS = st.builds(Period, st.integers(1, 40), st.integers(1, 40), st.integers(-50, 50))
INTERVALS = st.tuples(st.integers(-100, 100), st.integers(0, 45)).map(lambda drawn: Interval(drawn[0], sum(drawn)))


def minutes(windows: list[Interval]) -> list[tuple[float, float]]:
    """Returns [b, e[ in minutes."""
    return [(window.begin / MINUTE, (window.end + 1) / MINUTE) for window in windows]


def test_S_02_an_hour_every_half_hour() -> None:
    period = Period(60 * MINUTE, 30 * MINUTE)
    assert minutes(list(period.windows(point(45 * MINUTE)))) == [(0, 60), (30, 90)]
    assert minutes(list(period.windows(point(60 * MINUTE)))) == [(30, 90), (60, 120)]


def test_S_02_windows_before_the_origin_have_negative_numbers() -> None:
    period = Period(60 * MINUTE, 30 * MINUTE)
    assert minutes(list(period.windows(point(0)))) == [(-30, 30), (0, 60)]
    assert minutes(list(period.windows(point(-1)))) == [(-60, 0), (-30, 30)]
    assert minutes(list(Period(60 * MINUTE, 60 * MINUTE, 5 * MINUTE).windows(point(0)))) == [(-55, 5)]


def test_now_is_the_window_of_a_microsecond() -> None:
    now = Period(1, 1)
    assert list(now.windows(point(17))) == [point(17)]
    assert list(now.windows(Interval(17, 18))) == []


@given(PERIODS, st.integers(-100, 100))
def test_S_02_every_point_lies_in_one_tumbling_window(period: Period, time: int) -> None:
    [window] = period._replace(slide=period.length).windows(point(time))
    assert window.begin <= time <= window.end


@given(PERIODS)
def test_ERR_35_every_point_lies_in_a_window_unless_they_slide_by_more_than_their_length(period: Period) -> None:
    points = range(period.origin, period.origin + period.slide)
    assert all(period.begins(point(time)) for time in points) == (period.slide <= period.length)
    assert max(len(period.begins(point(time))) for time in points) == period.windows_at_once


@given(PERIODS, INTERVALS)
def test_the_windows_of_an_interval_are_those_that_contain_it(period: Period, interval: Interval) -> None:
    every = (period.origin + number * period.slide for number in range(-300, 300))
    windows = [Interval(begin, begin + period.length - 1) for begin in every]
    expected = [window for window in windows if window.contains(interval)]
    assert list(period.windows(interval)) == expected
    assert period.in_one(interval) == bool(expected)


def test_no_window_leaves_the_calendar() -> None:
    period = Period(10, 4)
    assert all(window.begin >= MIN_TIME for window in period.windows(point(MIN_TIME + 3)))
    assert all(window.end <= MAX_TIME for window in period.windows(point(MAX_TIME - 3)))
    assert len(period.begins(point(MAX_TIME))) <= 1


def test_a_year_every_microsecond_is_too_much() -> None:
    year = 365 * 24 * 60 * MINUTE
    with pytest.raises(
        ValueError, match="every event would lie in 31,536,000,000,000 windows, and 10,000 are the most"
    ):
        checked_period(year, 1, 0)
    assert checked_period(MOST_WINDOWS, 1, 0).windows_at_once == MOST_WINDOWS
    with pytest.raises(ValueError, match="at least one microsecond"):
        checked_period(10, 0, 0)
