"""Durations: how they are written, and how they are added to a time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cera.model.time.durations import Distance, Duration, DurationError, format_duration, parse_duration, shift
from cera.model.time.interval import MAX_TIME, MIN_TIME, Time
from cera.model.time.time_text import TimeFormat, parse_datetime

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def at(text: str) -> Time:
    return parse_datetime(text, "UTC").begin


def shifted(text: str, duration: str, *, back: bool = False) -> str | int | float | None:
    amount = parse_duration(duration)
    time = shift(at(text), -amount if back else amount)
    return None if time is None else TimeFormat().format(time)


@pytest.mark.parametrize(
    ("text", "months", "microseconds"),
    [
        ("3 min 14 sec", 0, 3 * MINUTE + 14 * SECOND),
        ("1hour", 0, HOUR),
        ("2 months", 2, 0),
        ("1 year", 12, 0),
        ("0.5 years", 6, 0),
        ("0.5 sec", 0, SECOND // 2),
        ("0.000001 s", 0, 1),
        ("1.5 h", 0, 90 * MINUTE),
        ("  2 weeks  1 d ", 0, 15 * DAY),
        ("7 us", 0, 7),
        ("250 ms", 0, 250_000),
        ("1 month 1 day", 1, DAY),
        ("1 sec 1 sec", 0, 2 * SECOND),
        ("0 sec", 0, 0),
    ],
)
def test_a_duration_is_read(text: str, months: int, microseconds: int) -> None:
    assert parse_duration(text) == Duration(months, microseconds)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a duration is empty"),
        ("soon", "'soon' is not a duration; write for example '3 min 14 sec'"),
        ("5", "'5' is not a duration"),
        ("-5 sec", "'-5 sec' is not a duration"),
        ("5 min and", "'5 min and' is not a duration"),
        (
            "3 fortnights",
            "'fortnights' is not a unit of time; there are us, ms, sec, min, hour, day, week",
        ),
        ("0.5 us", "'0.5 us' is not a whole number of microseconds"),
        ("0.5 month", "'0.5 month' is not a whole number of microseconds or months"),
        ("10000 years", "'10000 years' is longer than the years 1 to 9999"),
        ("99999999999999999 weeks", "is longer than the years 1 to 9999"),
    ],
)
def test_what_is_not_a_duration_is_refused_with_a_reason(text: str, message: str) -> None:
    with pytest.raises(DurationError, match=message):
        parse_duration(text)


@pytest.mark.parametrize(
    ("duration", "text"),
    [
        (Duration(0, 0), "0 sec"),
        (Duration(0, 194 * SECOND), "3 min 14 sec"),
        (Duration(14, 0), "1 year 2 months"),
        (Duration(1, DAY), "1 month 1 day"),
        (Duration(0, 8 * DAY + 1), "8 days 1 us"),
        (Duration(0, 30 * DAY), "30 days"),
        (Duration(0, 14 * DAY), "2 weeks"),
        (Duration(0, 1_500_000), "1 sec 500 ms"),
    ],
)
def test_a_duration_is_written_in_the_largest_units(duration: Duration, text: str) -> None:
    assert str(duration) == text


@given(st.builds(Duration, st.integers(0, 12 * 9999), st.integers(0, 10**17)))
def test_a_written_duration_is_read_back(duration: Duration) -> None:
    assert parse_duration(format_duration(duration)) == duration


@pytest.mark.parametrize(
    ("start", "duration", "end"),
    [
        ("2006-01-31", "1 month", "2006-02-28T00:00:00Z"),
        ("2004-01-31", "1 month", "2004-02-29T00:00:00Z"),
        ("1900-01-31", "1 month", "1900-02-28T00:00:00Z"),
        ("2000-01-31", "1 month", "2000-02-29T00:00:00Z"),
        ("2006-03-31T10:20:30.5", "1 month", "2006-04-30T10:20:30.5Z"),
        ("2006-01-31", "2 months", "2006-03-31T00:00:00Z"),
        ("2006-12-15", "1 month", "2007-01-15T00:00:00Z"),
        ("2006-11-30", "3 months", "2007-02-28T00:00:00Z"),
        ("2004-02-29", "1 year", "2005-02-28T00:00:00Z"),
        ("2004-02-29", "4 years", "2008-02-29T00:00:00Z"),
        ("2006-09-18T09:00", "1 day", "2006-09-19T09:00:00Z"),
        ("2006-02-28", "1 day", "2006-03-01T00:00:00Z"),
        ("2004-02-28", "1 day", "2004-02-29T00:00:00Z"),
    ],
)
def test_months_and_years_are_added_by_the_calendar(start: str, duration: str, end: str) -> None:
    assert shifted(start, duration) == end


@pytest.mark.parametrize(
    ("start", "duration", "end"),
    [
        ("2006-03-31", "1 month", "2006-02-28T00:00:00Z"),
        ("2006-01-15", "1 month", "2005-12-15T00:00:00Z"),
        ("2006-01-15", "13 months", "2004-12-15T00:00:00Z"),
        ("2004-02-29", "1 year", "2003-02-28T00:00:00Z"),
        ("1970-01-01", "1 sec", "1969-12-31T23:59:59Z"),
    ],
)
def test_months_and_years_are_taken_away_by_the_calendar(start: str, duration: str, end: str) -> None:
    assert shifted(start, duration, back=True) == end


def test_months_come_before_the_rest() -> None:
    # The day first would give 31 January, and a month later 28 February.
    assert shifted("2006-01-30", "1 month 1 day") == "2006-03-01T00:00:00Z"


def test_a_time_without_a_date_is_no_time() -> None:
    assert shift(MAX_TIME, Duration(0, 1)) is None
    assert shift(MIN_TIME, Duration(0, -1)) is None
    assert shift(MAX_TIME, Duration(1)) is None
    assert shift(MIN_TIME, Duration(-1)) is None
    assert shift(MAX_TIME + 1, Duration(-1)) is None
    assert shift(MAX_TIME, Duration()) == MAX_TIME


@given(st.integers(MIN_TIME, MAX_TIME), st.integers(MIN_TIME, MAX_TIME), st.builds(Duration, st.integers(-30, 30)))
def test_shifting_keeps_the_order_of_times(one: Time, other: Time, duration: Duration) -> None:
    earlier, later = shift(min(one, other), duration), shift(max(one, other), duration)
    assert earlier is None or later is None or earlier <= later


def test_durations_add_up_part_by_part() -> None:
    assert Duration(1, 5) + Duration(2, 7) == Duration(3, 12)
    assert -Duration(1, 5) == Duration(-1, -5)


def test_a_distance_counts_microseconds_in_either_direction() -> None:
    assert Distance(10, 25).microseconds == 15
    assert Distance(25, 10).microseconds == -15
