"""Clocks that are put forward and back, and patterns of what they show."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cera.model.time.clock import (
    FINENESS,
    RANGES,
    ClockPattern,
    Part,
    clock_parts,
    from_local,
    time_of_day,
    time_zone,
    times_shown,
    to_local,
    walls_between,
)
from cera.model.time.interval import MAX_TIME, MIN_TIME, Time
from cera.model.time.time_text import TimeFormat, parse_datetime
from hypothesis_profiles import examples

SECOND = 1_000_000
HOUR = 3600 * SECOND
BERLIN = time_zone("Europe/Berlin")

#: Clocks that change by an hour, by half an hour, at midnight, at one minute past midnight, by a day, and never.
#: Each with a moment close to a change.
CHANGES = [
    ("Europe/Berlin", "2006-03-26T01:00"),
    ("Europe/Berlin", "2006-10-29T01:00"),
    ("Australia/Lord_Howe", "2006-04-01T15:00"),
    ("Australia/Lord_Howe", "2006-10-28T15:30"),
    ("America/Sao_Paulo", "2006-11-05T03:00"),
    ("America/Sao_Paulo", "2006-02-26T02:00"),
    ("America/St_Johns", "2006-04-02T03:31"),
    ("America/St_Johns", "2006-10-29T02:31"),
    ("Pacific/Apia", "2011-12-30T10:00"),
    ("UTC", "2006-10-29T01:00"),
]


def at(text: str) -> Time:
    return parse_datetime(text, "UTC").begin


def wall(text: str) -> datetime:
    return datetime.fromisoformat(text)


def shown(times: list[Time]) -> list[str | int | float]:
    return [TimeFormat().format(time) for time in times]


def test_a_clock_shows_local_time() -> None:
    assert to_local(at("2006-09-18T09:00"), BERLIN) == wall("2006-09-18T11:00")
    assert to_local(at("2006-12-18T09:00"), BERLIN) == wall("2006-12-18T10:00")


def test_a_clock_at_the_edges_of_time_shows_the_edges() -> None:
    assert to_local(MAX_TIME, BERLIN) == datetime.max
    assert to_local(MIN_TIME, time_zone("America/New_York")) == datetime.min
    assert to_local(MAX_TIME + 1, time_zone("UTC")) == datetime.max


def test_a_wall_time_left_out_has_three_readings() -> None:
    half_past_two = wall("2006-03-26T02:30")
    assert from_local(half_past_two, BERLIN) == at("2006-03-26T01:30")
    assert time_of_day(half_past_two, BERLIN) == at("2006-03-26T01:00")
    assert list(times_shown([half_past_two], BERLIN)) == []


def test_a_wall_time_shown_twice_has_three_readings() -> None:
    half_past_two = wall("2006-10-29T02:30")
    assert from_local(half_past_two, BERLIN) == at("2006-10-29T00:30")
    assert time_of_day(half_past_two, BERLIN) == at("2006-10-29T00:30")
    assert list(times_shown([half_past_two], BERLIN)) == [at("2006-10-29T00:30"), at("2006-10-29T01:30")]


def test_an_hour_shown_twice_is_gone_through_twice() -> None:
    walls = [wall(f"2006-10-29T{clock}") for clock in ("01:30", "02:00", "02:30", "03:00")]
    assert shown(list(times_shown(walls, BERLIN))) == [
        "2006-10-28T23:30:00Z",
        "2006-10-29T00:00:00Z",
        "2006-10-29T00:30:00Z",
        "2006-10-29T01:00:00Z",
        "2006-10-29T01:30:00Z",
        "2006-10-29T02:00:00Z",
    ]


def test_a_day_left_out_altogether() -> None:
    # Samoa went from 29 December 2011 straight to the 31st, at 10:00 UTC.
    apia = time_zone("Pacific/Apia")
    assert list(times_shown([wall("2011-12-30T12:00")], apia)) == []
    assert time_of_day(wall("2011-12-30T12:00"), apia) == at("2011-12-30T10:00")
    assert time_of_day(wall("2011-12-31T00:00"), apia) == at("2011-12-30T10:00")


@pytest.mark.parametrize(("name", "change"), CHANGES)
@given(offsets=st.tuples(st.integers(-40, 40), st.integers(0, 40), st.integers(0, 80)))
def test_the_walls_between_two_times_include_all_that_a_clock_shows(
    name: str, change: str, offsets: tuple[int, int, int]
) -> None:
    zone = time_zone(name)
    start, length, within = (offset * HOUR // 2 for offset in offsets)
    first = at(change) + start
    last = first + length
    lowest, highest = walls_between(first, last, zone)
    assert lowest <= to_local(min(first + within, last), zone) <= highest


def test_the_parts_of_a_time() -> None:
    expected = {"year": 2006, "month": 9, "day": 18, "weekday": 1, "hour": 9, "minute": 5, "second": 7}
    assert clock_parts(at("2006-09-18T09:05:07.9"), time_zone("UTC")) == expected
    assert clock_parts(at("2006-09-18T09:05:07.9"), BERLIN) == {**expected, "hour": 11}
    assert clock_parts(at("2006-09-24T23:00"), BERLIN)["weekday"] == 1
    assert clock_parts(at("2006-09-24T23:00"), time_zone("UTC"))["weekday"] == 7


def matches_by_definition(pattern: ClockPattern, time: Time, zone: ZoneInfo) -> bool:
    """Straight from the docstring: fixed parts agree, and what is finer than the finest part is lowest."""
    moment = datetime.fromtimestamp(0, UTC) + timedelta(microseconds=time)
    local = moment.astimezone(zone)
    parts = {
        "year": local.year,
        "month": local.month,
        "day": local.day,
        "hour": local.hour,
        "minute": local.minute,
        "second": local.second,
    }
    finer = [part for part in parts if FINENESS[part] > FINENESS[pattern.finest]]  # type: ignore[index]
    lowest = all(parts[part] == (1 if part in ("month", "day") else 0) for part in finer)
    return lowest and all({**parts, "weekday": local.isoweekday()}[part] == value for part, value in pattern.fixed)


@st.composite
def patterns_near(draw: st.DrawFn, time: Time, zone: ZoneInfo) -> ClockPattern:
    """Patterns that have a good chance to match: the fixed values are those of a time near the change."""
    parts = clock_parts(time + draw(st.integers(-8, 8)) * HOUR // 2, zone)
    chosen: list[Part] = draw(st.lists(st.sampled_from(sorted(parts)), unique=True, max_size=4))
    values = {}
    for part in chosen:
        values[part] = draw(st.sampled_from([parts[part], RANGES[part][0], RANGES[part][-1]]))
    coarsest_allowed = max((FINENESS[part] for part in chosen), default=0)
    finest: Part = draw(st.sampled_from([part for part in FINENESS if FINENESS[part] >= coarsest_allowed]))
    return ClockPattern(tuple(values.items()), finest)


@pytest.mark.parametrize(("name", "change"), CHANGES)
@settings(max_examples=examples(30), deadline=None)
@given(data=st.data())
def test_a_pattern_happens_whenever_the_clock_shows_it(name: str, change: str, data: st.DataObject) -> None:
    zone = time_zone(name)
    pattern = data.draw(patterns_near(at(change), zone))
    step = SECOND if FINENESS[pattern.finest] == FINENESS["second"] else 60 * SECOND
    length = 600 if step == SECOND else 1600
    # Lord Howe's clock was never an odd number of seconds from UTC, nor any other of these in our times.
    first = at(change) + data.draw(st.integers(-1500, 300)) * (1 if step == SECOND else 60) * SECOND
    last = first + length * step
    expected = [time for time in range(first, last + 1, step) if matches_by_definition(pattern, time, zone)]
    assert list(pattern.times(first, last, zone)) == expected


@example(first=at("2006-10-29T00:30"), last=at("2006-10-29T01:30"))
@given(
    first=st.integers(at("2006-10-28T12:00"), at("2006-10-29T12:00")),
    last=st.integers(at("2006-10-28T12:00"), at("2006-10-29T12:00")),
)
def test_a_part_of_the_time_has_the_occurrences_of_that_part(first: Time, last: Time) -> None:
    pattern = ClockPattern((("minute", 30),), "minute")
    everything = pattern.times(at("2006-10-28"), at("2006-10-30"), BERLIN)
    assert list(pattern.times(first, last, BERLIN)) == [time for time in everything if first <= time <= last]


@pytest.mark.parametrize("fixed", [(("month", 2), ("day", 30)), (("month", 4), ("day", 31)), (("hour", 24),)])
def test_a_pattern_that_the_calendar_never_shows_ends(fixed: tuple[tuple[Part, int], ...]) -> None:
    assert list(ClockPattern(fixed, "second").times(MIN_TIME, MAX_TIME, BERLIN)) == []
