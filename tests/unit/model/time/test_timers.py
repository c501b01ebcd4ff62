"""Relative timers under all their names."""

from __future__ import annotations

import pytest

from cera.model.time.durations import Duration, parse_duration
from cera.model.time.interval import MAX_TIME, MIN_TIME, Interval
from cera.model.time.time_text import parse_datetime
from cera.model.time.timers import SYNONYMS, TIMERS, relative_timer

ANCHOR = Interval(10, 20)


def timer(name: str, anchor: Interval, length: int) -> Interval | None:
    return relative_timer(SYNONYMS[name], anchor, Duration(microseconds=length))


@pytest.mark.parametrize(
    ("name", "begin", "end"),
    [
        ("extend", 10, 25),
        ("shorten", 10, 15),
        ("extend-begin", 5, 20),
        ("shorten-begin", 15, 20),
        ("shift-forward", 15, 25),
        ("shift-backward", 5, 15),
        ("from-end", 20, 25),
        ("from-start-backward", 5, 10),
        ("from-start", 10, 15),
        ("from-end-backward", 15, 20),
    ],
)
def test_X_09_relative_timers_on_10_20_with_5(name: str, begin: int, end: int) -> None:
    assert timer(name, ANCHOR, 5) == Interval(begin, end)


@pytest.mark.parametrize(
    ("name", "anchor", "length", "expected"),
    [
        ("from-end", Interval(70, 80), 12, Interval(80, 92)),
        ("from-end", Interval(60, 63), 12, Interval(63, 75)),
        ("from-start-backward", Interval(70, 80), 60, Interval(10, 70)),
        ("from-start-backward", Interval(60, 63), 60, Interval(0, 60)),
    ],
)
def test_C_02_relative_timers_of_the_sensor_network(
    name: str, anchor: Interval, length: int, expected: Interval
) -> None:
    assert timer(name, anchor, length) == expected


def test_X_08_an_order_extended_by_a_minute() -> None:
    assert timer("extend", Interval(10, 10), 60) == Interval(10, 70)


@pytest.mark.parametrize("name", ["shorten", "shorten-begin"])
def test_X_09_ERR_27_a_timer_whose_begin_would_lie_after_its_end_does_not_happen(name: str) -> None:
    assert timer(name, ANCHOR, 11) is None


def test_ERR_27_an_interval_can_be_shortened_to_a_point() -> None:
    assert timer("shorten", ANCHOR, 10) == Interval(10, 10)
    assert timer("shorten-begin", ANCHOR, 10) == Interval(20, 20)


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("extend-end", "extend"),
        ("extends", "extend"),
        ("shorten-end", "shorten"),
        ("from-begin", "from-start"),
        ("from-begin-backward", "from-start-backward"),
    ],
)
def test_ERR_28_the_papers_other_names_are_the_same_timers(name: str, canonical: str) -> None:
    assert SYNONYMS[name] == canonical
    assert timer(name, ANCHOR, 5) == timer(canonical, ANCHOR, 5)


def test_ERR_28_every_canonical_name_stands_for_itself() -> None:
    assert len(TIMERS) == 10
    assert all(SYNONYMS[name] == name for name in TIMERS)
    assert set(SYNONYMS.values()) == set(TIMERS)


@pytest.mark.parametrize("name", TIMERS)
def test_a_timer_of_no_duration_lies_on_edges_of_its_anchor(name: str) -> None:
    made = timer(name, ANCHOR, 0)
    assert made is not None
    assert {made.begin, made.end} <= {ANCHOR.begin, ANCHOR.end}


def test_a_timer_of_a_month_ends_by_the_calendar() -> None:
    borrowed = parse_datetime("2007-01-31T10:00", "UTC")
    due = parse_datetime("2007-02-28T10:00", "UTC")
    assert relative_timer("extend", borrowed, parse_duration("1 month")) == Interval(borrowed.begin, due.end)


def test_a_timer_that_would_leave_the_calendar_does_not_happen() -> None:
    assert timer("extend", Interval(0, MAX_TIME), 1) is None
    assert timer("extend-begin", Interval(MIN_TIME, 0), 1) is None
    assert timer("shift-backward", Interval(MIN_TIME, MAX_TIME), 1) is None
    assert timer("shorten", Interval(0, MAX_TIME), 1) == Interval(0, MAX_TIME - 1)
