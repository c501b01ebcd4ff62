"""Absolute timers: `timer:datetime{{…}}` and timers of named calendars."""

from __future__ import annotations

import itertools

import pytest

from cera.model.calendars.calendar_files import (
    DATETIME_PARTS,
    Calendar,
    CalendarError,
    Cron,
    DailyHours,
    check_timer,
    occurs_in_relation,
    timer_events,
    timer_intervals,
)
from cera.model.expressions.expression import TimerQuery
from cera.model.matching.patterns import Pattern, ScalarPattern, TermPattern
from cera.model.terms.term import Term
from cera.model.terms.values import Scalar
from cera.model.time.allen import RELATIONS
from cera.model.time.durations import Duration
from cera.model.time.interval import MAX_TIME, MIN_TIME, Interval, Time
from cera.model.time.time_text import TimeError, TimeFormat, parse_datetime
from pattern_building import ANY, desc, optional, partial, partial_ordered, regex, regex_label, total, var, without

HOUR = 3_600_000_000
TRADING_DAY = Calendar("tradingDay", DailyHours(9 * HOUR, 17 * HOUR, (1, 2, 3, 4, 5)), "Europe/Berlin")
CALENDARS = (TRADING_DAY, Calendar("quarter", Cron("*/15 * * * *")))


def at(text: str) -> Time:
    return parse_datetime(text, "UTC").begin


def clock(*parts: Pattern, **fixed: Scalar) -> TimerQuery:
    return TimerQuery("datetime", _pattern("datetime", parts, fixed))


def timer(name: str, *parts: Pattern, **fixed: Scalar) -> TimerQuery:
    return TimerQuery(name, _pattern(name, parts, fixed))


def _pattern(name: str, parts: tuple[Pattern, ...], fixed: dict[str, Scalar]) -> TermPattern:
    return partial(f"timer:{name}", *parts, *(total(part, value) for part, value in fixed.items()))


def begins(query: TimerQuery, first: str, last: str, timezone: str = "UTC") -> list[str | int | float]:
    intervals = list(timer_intervals(query, CALENDARS, at(first), at(last), timezone))
    return [TimeFormat().format(i.begin) for i in intervals]


# When they happen.


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (clock(year=2006), ["2006-01-01T00:00:00Z"]),
        (clock(month=9), ["2006-09-01T00:00:00Z"]),
        (clock(year=2006, month=9, day=18), ["2006-09-18T00:00:00Z"]),
        (clock(year=2006, month=9, day=18, weekday=1), ["2006-09-18T00:00:00Z"]),
        (clock(year=2006, month=9, day=18, weekday=2), []),
        (clock(year=2006, month=2, day=29), []),
        (clock(year=2007, month=9, day=18), []),
        (clock(month=9, day=18, hour=9), ["2006-09-18T09:00:00Z"]),
        (clock(year=2006, month=9, day=18, hour=9, minute=30, second=15), ["2006-09-18T09:30:15Z"]),
        (clock(month=6, weekday=1), [f"2006-06-{day}T00:00:00Z" for day in ("05", "12", "19", "26")]),
        (clock(day=31, month=1, hour=0), ["2006-01-31T00:00:00Z"]),
        (clock(month=4, day=31), []),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else str(value.pattern.children),
)
def test_what_happens_in_2006(query: TimerQuery, expected: list[str]) -> None:
    assert begins(query, "2006-01-01", "2006-12-31T23:59:59.999999") == expected


@pytest.mark.parametrize(
    ("query", "count"),
    [
        (clock(day=31), 7),
        (clock(day=30), 11),
        (clock(weekday=1), 52),
        (clock(weekday=7), 53),
        (clock(weekday=1, hour=9), 52),
        (clock(weekday=5, day=13), 2),
        (clock(hour=9), 365),
        (clock(day=1, minute=30), 12 * 24),
        (clock(month=2, day=28, second=30), 24 * 60),
    ],
    ids=lambda value: str(value) if isinstance(value, int) else str(value.pattern.children),
)
def test_how_often_it_happens_in_2006(query: TimerQuery, count: int) -> None:
    # 2006 begins and ends on a Sunday; Fridays the 13th are in January and October.
    assert len(begins(query, "2006-01-01", "2006-12-31T23:59:59.999999")) == count


def test_parts_left_out_are_free_when_coarser_and_lowest_when_finer() -> None:
    assert begins(clock(minute=30), "2006-09-18T09:00", "2006-09-18T11:00") == [
        "2006-09-18T09:30:00Z",
        "2006-09-18T10:30:00Z",
    ]
    assert begins(clock(second=30), "2006-09-18T09:00", "2006-09-18T09:02") == [
        "2006-09-18T09:00:30Z",
        "2006-09-18T09:01:30Z",
    ]


def test_a_part_with_a_variable_is_free() -> None:
    query = clock(total("hour", var("H")), weekday=1)
    assert begins(query, "2006-09-17", "2006-09-19") == [f"2006-09-18T{hour:02}:00:00Z" for hour in range(24)]
    any_day = clock(partial("day"))
    assert begins(any_day, "2006-09-18", "2006-09-19") == ["2006-09-18T00:00:00Z", "2006-09-19T00:00:00Z"]


def test_leap_days_happen_in_leap_years() -> None:
    assert begins(clock(month=2, day=29), "1896-01-01", "1908-01-01") == [
        "1896-02-29T00:00:00Z",
        "1904-02-29T00:00:00Z",
    ]


def test_both_ends_of_the_time_belong_to_it() -> None:
    nine = at("2006-09-18T09:00")
    for first, last, happens in [(nine, nine, True), (nine + 1, nine + 9, False), (nine - 9, nine - 1, False)]:
        found = list(timer_intervals(clock(hour=9), (), first, last, "UTC"))
        assert found == ([Interval(nine, nine)] if happens else [])
    assert list(timer_intervals(clock(hour=9), (), nine + 1, nine - 1, "UTC")) == []


def test_patterns_inside_of_variables_and_desc_count_and_those_inside_of_without_and_optional_do_not_filter() -> None:
    day = ("2006-09-18", "2006-09-18T23:59")
    assert begins(clock(var("X", total("hour", 9))), *day) == ["2006-09-18T09:00:00Z"]
    assert begins(clock(total("hour", var("H", ScalarPattern(9)))), *day) == ["2006-09-18T09:00:00Z"]
    assert begins(clock(desc(total("hour", 9))), *day) == ["2006-09-18T09:00:00Z"]
    assert len(begins(clock(without(total("hour", 12)), weekday=1), *day)) == 24
    assert len(begins(clock(partial("hour", without(ScalarPattern(9))), weekday=1), *day)) == 24
    assert len(begins(clock(optional(total("hour", var("H"))), weekday=1), *day)) == 24


def test_a_timer_goes_by_the_clock_of_the_time_zone() -> None:
    assert begins(clock(hour=9), "2006-09-18", "2006-09-18T23:00", "Europe/Berlin") == ["2006-09-18T07:00:00Z"]
    assert begins(clock(weekday=1), "2006-09-16", "2006-09-19", "Europe/Berlin") == ["2006-09-17T22:00:00Z"]


def test_a_time_that_the_clock_leaves_out_does_not_happen() -> None:
    assert begins(clock(hour=2, minute=30), "2006-03-25", "2006-03-27T12:00", "Europe/Berlin") == [
        "2006-03-25T01:30:00Z",
        "2006-03-27T00:30:00Z",
    ]


def test_a_time_that_the_clock_shows_twice_happens_twice() -> None:
    assert begins(clock(hour=2, minute=30), "2006-10-28", "2006-10-30T12:00", "Europe/Berlin") == [
        "2006-10-28T00:30:00Z",
        "2006-10-29T00:30:00Z",
        "2006-10-29T01:30:00Z",
        "2006-10-30T01:30:00Z",
    ]


def test_timers_are_lazy_and_end_when_there_is_nothing_more() -> None:
    second = next(timer_intervals(clock(second=0), (), at("2006-09-18"), MAX_TIME, "Europe/Berlin"))
    assert second.begin == at("2006-09-18")
    assert list(timer_intervals(clock(year=2006, month=2, day=29), (), MIN_TIME, MAX_TIME, "Europe/Berlin")) == []
    assert list(timer_intervals(clock(month=2, day=30), (), MIN_TIME, MAX_TIME, "Europe/Berlin")) == []


def test_the_event_of_a_timer_has_all_parts() -> None:
    (event,) = timer_events(clock(weekday=1, hour=9), (), at("2006-09-18"), at("2006-09-19"), "UTC")
    parts = {"year": 2006, "month": 9, "day": 18, "weekday": 1, "hour": 9, "minute": 0, "second": 0}
    assert event.term == Term("timer:datetime", [Term(part, [value]) for part, value in parts.items()])
    assert event.interval == Interval(at("2006-09-18T09:00"), at("2006-09-18T09:00"))
    assert set(parts) == set(DATETIME_PARTS)


def test_the_event_of_a_calendar_has_the_parts_of_its_begin_by_its_own_zone() -> None:
    events = list(timer_events(timer("tradingDay"), CALENDARS, at("2006-09-18"), at("2006-09-19"), "Asia/Tokyo"))
    parts = {"year": 2006, "month": 9, "day": 18, "weekday": 1, "hour": 9, "minute": 0, "second": 0}
    assert [event.term for event in events] == [
        Term("timer:tradingDay", [Term(part, [value]) for part, value in parts.items()])
    ]
    assert events[0].interval == Interval(at("2006-09-18T07:00"), at("2006-09-18T15:00") - 1)


def test_fixed_parts_choose_among_the_occurrences_of_a_calendar() -> None:
    assert begins(timer("tradingDay", weekday=5), "2006-09-18", "2006-10-01") == [
        "2006-09-22T07:00:00Z",
        "2006-09-29T07:00:00Z",
    ]
    assert begins(timer("quarter", minute=45), "2006-09-18T09:00", "2006-09-18T10:50") == [
        "2006-09-18T09:45:00Z",
        "2006-09-18T10:45:00Z",
    ]
    assert begins(timer("tradingDay", total("hour", var("H"))), "2006-09-18", "2006-09-18T12:00") == [
        "2006-09-18T07:00:00Z"
    ]


def test_an_unknown_calendar_is_an_error_with_a_guess() -> None:
    with pytest.raises(CalendarError, match="there is no calendar 'tradingday'; did you mean 'tradingDay'"):
        timer_intervals(timer("tradingday"), CALENDARS, 0, 1, "UTC")


def test_an_unknown_time_zone_is_an_error() -> None:
    with pytest.raises(TimeError, match="there is no time zone 'Mars'"):
        timer_intervals(clock(hour=9), (), 0, 1, "Mars")


# Periodic intervals in conditions.


WEEK = Calendar("week", Cron("0 0 * * mon", Duration(microseconds=7 * 24 * HOUR)))
LONG_SHIFTS = Calendar("shifts", Cron("0 */6 * * *", Duration(microseconds=9 * HOUR)))


def related(query: TimerQuery, relation: str, begin: Time, end: Time) -> bool:
    return occurs_in_relation(query, (*CALENDARS, WEEK, LONG_SHIFTS), relation, Interval(begin, end), "UTC")


def test_X_11_a_periodic_interval_stands_in_a_relation_if_one_of_its_occurrences_does() -> None:
    opens, closes = at("2006-09-18T07:00"), at("2006-09-18T15:00") - 1
    day = timer("tradingDay")
    assert related(day, "contains", opens + 5, closes - 5)
    assert related(day, "during", opens - 5, closes + 5)
    assert related(day, "met-by", opens - 5, opens)
    assert related(day, "meets", closes, closes + 5)
    assert related(day, "equals", opens, closes)
    assert related(day, "overlaps", closes - 5, closes + 5)
    assert related(day, "overlapped-by", opens - 5, opens + 5)
    assert not related(day, "equals", opens, closes + 24 * HOUR)
    assert related(day, "starts", opens, closes + 24 * HOUR)
    assert related(day, "finishes", opens, closes + 24 * HOUR)
    assert not related(day, "during", opens, closes)


def test_a_long_occurrence_contains_what_lies_inside_of_it() -> None:
    assert related(timer("week"), "contains", at("2006-09-21T10:00"), at("2006-09-21T11:00"))


TOUCHING = sorted(RELATIONS.keys() - {"before", "after"})


@pytest.mark.parametrize("name", ["tradingDay", "quarter", "week", "shifts"])
@pytest.mark.parametrize("relation", TOUCHING)
def test_no_occurrence_that_touches_an_interval_is_overlooked(name: str, relation: str) -> None:
    edges = [at("2006-09-18T06:00") + hour * HOUR + more for hour in (0, 1, 3, 9, 18, 33, 42) for more in (-1, 0, 1)]
    calendars = (*CALENDARS, WEEK, LONG_SHIFTS)
    for begin, end in itertools.combinations_with_replacement(edges, 2):
        all_touching = timer_intervals(timer(name), calendars, begin, end, "UTC")
        expected = any(RELATIONS[relation](one, Interval(begin, end)) for one in all_touching)
        assert related(timer(name), relation, begin, end) == expected


@pytest.mark.parametrize("relation", TOUCHING)
def test_a_relation_to_seconds_is_decided_without_going_through_them(relation: str) -> None:
    """Over two thousand years there are sixty thousand million seconds. The first of them meets and starts these."""
    begin, end = at("0100-01-01"), at("2100-01-01") + 1
    seconds = clock(partial("second", var("S")))
    assert related(seconds, relation, begin, end) == (relation in ("meets", "starts", "during"))
    assert related(clock(second=30), relation, begin, end) == (relation == "during")


# What is wrong with them.


@pytest.mark.parametrize(
    "query",
    [
        clock(hour=9),
        clock(weekday=7, hour=0),
        clock(total("hour", var("H")), without(total("hour", 12))),
        clock(partial("hour", 9)),
        clock(total("hour", var("H", ScalarPattern(9)))),
        clock(partial("hour", without(ScalarPattern(9)))),
        clock(partial("second")),
        timer("tradingDay"),
        timer("tradingDay", weekday=5),
        timer("nowhere"),
        TimerQuery("datetime", total("timer:datetime", *(total(part, var(part)) for part in DATETIME_PARTS))),
    ],
    ids=lambda query: str(query.pattern.children),
)
def test_a_timer_without_problems(query: TimerQuery) -> None:
    assert check_timer(query, CALENDARS) == []


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        (clock(), "timer:datetime has no part; it needs one of year, month, day, weekday, hour, minute, second"),
        (clock(hours=9), "a timer has no part 'hours'; did you mean 'hour'?"),
        (timer("tradingDay", weekdy=5), "a timer has no part 'weekdy'; did you mean 'weekday'?"),
        (clock(x=9), "a timer has no part 'x'; there are year, month, day, weekday, hour, minute, second"),
        (clock(total(ANY, 9)), "the parts of a timer are given by name: year, month"),
        (clock(total(regex_label("h.*"), 9)), "the parts of a timer are given by name: year, month"),
        (clock(var("X")), "a timer has parts like hour{9} or hour{var H}"),
        (clock(regex("9")), "a timer has parts like hour{9} or hour{var H}"),
        (clock(hour=24), "'hour' is 24, but goes from 0 to 23"),
        (clock(hour=-1), "'hour' is -1, but goes from 0 to 23"),
        (clock(minute=60), "'minute' is 60, but goes from 0 to 59"),
        (clock(second=60), "'second' is 60, but goes from 0 to 59"),
        (clock(weekday=0), "'weekday' is 0, but goes from 1 to 7"),
        (clock(month=13), "'month' is 13, but goes from 1 to 12"),
        (clock(day=32), "'day' is 32, but goes from 1 to 31"),
        (clock(year=10000), "'year' is 10000, but goes from 1 to 9999"),
        (clock(without(total("hour", 24))), "'hour' is 24, but goes from 0 to 23"),
        (clock(hour="9"), "the value of 'hour' is \"9\", not a whole number; write hour{23} or hour{var X}"),
        (clock(hour=9.5), "the value of 'hour' is 9.5, not a whole number"),
        (clock(hour=True), "the value of 'hour' is true, not a whole number"),
        (clock(total("hour", regex("9"))), "the value of 'hour' is not a whole number"),
        (clock(total("hour", total("x"))), "the value of 'hour' is not a whole number"),
        (clock(total("hour")), "'hour' has 0 values instead of one; write hour{23} or hour{var X}"),
        (clock(total("hour", 9, 10)), "'hour' has 2 values instead of one"),
        (clock(total("hour", 9), total("hour", 10)), "'hour' stands twice, but a time has only one"),
        (
            TimerQuery("datetime", total("timer:datetime", total("hour", 9))),
            "the event of a timer has all of year, month, day, weekday, hour, minute, second, in no order, and this",
        ),
        (TimerQuery("tradingDay", total("timer:tradingDay")), "the event of a timer has all of year"),
        (
            TimerQuery("datetime", partial_ordered("timer:datetime", total("hour", 9))),
            "the event of a timer has all of year",
        ),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_a_timer_with_a_problem_is_told_what_and_does_not_run(query: TimerQuery, problem: str) -> None:
    (found,) = check_timer(query, CALENDARS)
    assert found.startswith(problem)
    with pytest.raises(CalendarError):
        timer_intervals(query, CALENDARS, 0, 1, "UTC")


def test_every_problem_is_reported() -> None:
    assert len(check_timer(clock(hour=24, minute=60, x=1), ())) == 3


def test_the_occurrences_of_every_timer_are_in_order() -> None:
    for query in (clock(minute=30), clock(total("second", var("S")), minute=0), timer("tradingDay"), timer("quarter")):
        found = list(timer_intervals(query, CALENDARS, at("2006-10-27T12:00"), at("2006-10-30"), "Europe/Berlin"))
        assert found
        assert all(one.begin < next_one.begin for one, next_one in itertools.pairwise(found))
