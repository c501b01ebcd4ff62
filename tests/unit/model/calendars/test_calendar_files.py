"""Calendars: what they say, when they occur, and what is wrong with a file of them."""

from __future__ import annotations

import functools
import itertools
import pickle
import re
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cera.model.calendars.calendar_files import (
    Calendar,
    CalendarError,
    Cron,
    DailyHours,
    ListedIntervals,
    load_calendars,
    parse_calendars,
)
from cera.model.time.durations import Duration
from cera.model.time.interval import MAX_TIME, MIN_TIME, Interval, Time
from cera.model.time.time_text import TimeFormat, parse_datetime
from hypothesis_profiles import examples

SECOND = 1_000_000
HOUR = 3600 * SECOND
DAY = 24 * HOUR

TRADING_DAY = """
[tradingDay]
hours = ["09:00", "17:30"]
weekdays = ["mon", "tue", "wed", "thu", "fri"]
holidays = ["2006-12-25", 2006-12-26]
timezone = "Europe/Berlin"
"""


def at(text: str) -> Time:
    return parse_datetime(text, "UTC").begin


def only(text: str) -> Calendar:
    (calendar,) = parse_calendars(text, "calendars.toml")
    return calendar


LASTING = {
    "the clock of Berlin is put back in October": (
        'hours = ["00:00", "24:00"]\ntimezone = "Europe/Berlin"',
        "2026-10-01",
        "2026-11-01",
    ),
    "that of Alaska went back by a day": (
        'hours = ["00:00", "24:00"]\ntimezone = "America/Sitka"',
        "1867-10-01",
        "1867-11-01",
    ),
    "months of all lengths": (
        'cron = "0 0 * * *"\nduration = "2 months 1 day"\ntimezone = "Europe/Berlin"',
        "2026-01-01",
        "2027-01-01",
    ),
    "five minutes": ('cron = "*/15 * * * *"\nduration = "5 min"', "2026-01-01", "2026-01-02"),
    "points": ('cron = "*/15 * * * *"', "2026-01-01", "2026-01-02"),
    "listed": ('intervals = [["2026-01-01", "2026-01-03"], ["2026-02-01", "2026-02-02"]]', "2026-01-01", "2026-03-01"),
}


@pytest.mark.parametrize("name", LASTING)
def test_no_occurrence_lasts_longer_than_the_longest(name: str) -> None:
    text, first, last = LASTING[name]
    calendar = only(f"[c]\n{text}\n")
    lengths = {i.end - i.begin for i in occurrences(calendar, first, last)}
    assert lengths
    assert max(lengths) <= calendar.longest <= max(lengths) + 3 * DAY


def right_open(begin: str, end: str) -> Interval:
    return Interval(at(begin), at(end) - 1)


def begins(calendar: Calendar, first: str, last: str) -> list[str | int | float]:
    return [TimeFormat().format(i.begin) for i in calendar.occurrences(at(first), at(last))]


def occurrences(calendar: Calendar, first: str, last: str) -> list[Interval]:
    return list(calendar.occurrences(at(first), at(last)))


# What a file says.


def test_a_file_has_one_table_for_each_calendar() -> None:
    text = f"""{TRADING_DAY}
[everyQuarter]
cron = "*/15 * * * *"
duration = "5 min"
timezone = "UTC"
[winter-term]
intervals = [["2006-10-01", "2007-02-15"]]
"""
    assert parse_calendars(text, "calendars.toml") == (
        Calendar(
            "tradingDay",
            DailyHours(9 * HOUR, 17 * HOUR + HOUR // 2, (1, 2, 3, 4, 5), (date(2006, 12, 25), date(2006, 12, 26))),
            "Europe/Berlin",
        ),
        Calendar("everyQuarter", Cron("*/15 * * * *", Duration(microseconds=300 * SECOND))),
        Calendar("winter-term", ListedIntervals((right_open("2006-10-01", "2007-02-15"),))),
    )


def test_a_file_may_have_no_calendar() -> None:
    assert parse_calendars("# nothing yet\n", "calendars.toml") == ()


def test_calendars_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "calendars.toml"
    path.write_text(TRADING_DAY)
    assert load_calendars(path) == (only(TRADING_DAY),)


def test_weekdays_and_times_have_several_spellings() -> None:
    one = only('[a]\nhours = ["9:00", "17:30:00"]\nweekdays = ["Monday", "TUE"]\n')
    other = only('[a]\nhours = [09:00:00, 17:30:00]\nweekdays = ["tuesday", "mon", "mon"]\n')
    assert one == other


def test_a_calendar_is_plain_data() -> None:
    calendar = only(TRADING_DAY)
    assert hash(calendar) == hash(only(TRADING_DAY))
    assert pickle.loads(pickle.dumps(calendar)) == calendar


# When calendars occur.


def test_a_trading_day_is_right_open_and_by_the_clock_of_its_zone() -> None:
    # 22 December 2006 is a Friday; Monday and Tuesday after it are holidays.
    assert occurrences(only(TRADING_DAY), "2006-12-22", "2006-12-28") == [
        right_open("2006-12-22T08:00", "2006-12-22T16:30"),
        right_open("2006-12-27T08:00", "2006-12-27T16:30"),
    ]
    # In summer the clock of Berlin is two hours ahead.
    assert occurrences(only(TRADING_DAY), "2006-09-18T12:00", "2006-09-18T12:00") == [
        right_open("2006-09-18T07:00", "2006-09-18T15:30")
    ]


def test_an_occurrence_that_only_touches_belongs_to_it() -> None:
    monday = right_open("2006-09-18T07:00", "2006-09-18T15:30")
    calendar = only(TRADING_DAY)
    assert list(calendar.occurrences(monday.end, monday.end + 1)) == [monday]
    assert list(calendar.occurrences(monday.end + 1, monday.end + 2)) == []
    assert list(calendar.occurrences(monday.begin - 2, monday.begin)) == [monday]
    assert list(calendar.occurrences(monday.begin - 2, monday.begin - 1)) == []
    assert list(calendar.occurrences(monday.begin + 1, monday.begin)) == [monday]
    assert list(calendar.occurrences(monday.end + 1, monday.begin - 1)) == []


def test_without_hours_the_whole_day_is_meant() -> None:
    calendar = only('[weekend]\nweekdays = ["sat", "sun"]\n')
    assert occurrences(calendar, "2006-09-18", "2006-09-24") == [
        right_open("2006-09-23", "2006-09-24"),
        right_open("2006-09-24", "2006-09-25"),
    ]


def test_hours_until_24_are_the_whole_day() -> None:
    assert only('[a]\nhours = ["00:00", "24:00"]\n') == Calendar("a")


def test_with_holidays_alone_all_other_days_are_meant() -> None:
    calendar = only("[a]\nholidays = [2006-12-25]\n")
    assert begins(calendar, "2006-12-24", "2006-12-26") == ["2006-12-24T00:00:00Z", "2006-12-26T00:00:00Z"]


def test_hours_over_midnight_belong_to_the_day_they_begin_on() -> None:
    # 22 September 2006 is a Friday.
    calendar = only('[night]\nhours = ["22:00", "06:00"]\nweekdays = ["fri"]\n')
    night = right_open("2006-09-22T22:00", "2006-09-23T06:00")
    assert occurrences(calendar, "2006-09-18", "2006-09-28") == [night]
    assert occurrences(calendar, "2006-09-23T05:00", "2006-09-23T05:00") == [night]
    assert occurrences(calendar, "2006-09-22T05:00", "2006-09-22T05:00") == []


def test_hours_until_midnight_end_with_the_day() -> None:
    calendar = only('[evening]\nhours = ["18:00", "00:00"]\n')
    assert occurrences(calendar, "2006-09-18T20:00", "2006-09-18T20:00") == [
        right_open("2006-09-18T18:00", "2006-09-19")
    ]


BERLIN_DAYS = Calendar("day", DailyHours(), "Europe/Berlin")


def test_the_day_on_which_clocks_are_put_forward_has_23_hours() -> None:
    assert occurrences(BERLIN_DAYS, "2006-03-26T12:00", "2006-03-26T12:00") == [
        right_open("2006-03-25T23:00", "2006-03-26T22:00")
    ]


def test_the_day_on_which_clocks_are_put_back_has_25_hours() -> None:
    assert occurrences(BERLIN_DAYS, "2006-10-29T12:00", "2006-10-29T12:00") == [
        right_open("2006-10-28T22:00", "2006-10-29T23:00")
    ]


def test_hours_that_the_clock_leaves_out_do_not_happen() -> None:
    calendar = only('[a]\nhours = ["02:00", "03:00"]\ntimezone = "Europe/Berlin"\n')
    assert begins(calendar, "2006-03-25", "2006-03-27T12:00") == ["2006-03-25T01:00:00Z", "2006-03-27T00:00:00Z"]


def test_hours_that_begin_in_the_gap_begin_when_the_clock_is_put_forward() -> None:
    calendar = only('[a]\nhours = ["02:30", "04:00"]\ntimezone = "Europe/Berlin"\n')
    assert occurrences(calendar, "2006-03-26", "2006-03-26T12:00") == [
        right_open("2006-03-26T01:00", "2006-03-26T02:00")
    ]


def test_hours_that_begin_at_a_time_shown_twice_begin_the_first_time() -> None:
    calendar = only('[a]\nhours = ["02:00", "03:00"]\ntimezone = "Europe/Berlin"\n')
    assert occurrences(calendar, "2006-10-29", "2006-10-29T12:00") == [
        right_open("2006-10-29T00:00", "2006-10-29T02:00")
    ]


def test_days_follow_one_another_without_gap_or_overlap() -> None:
    for zone in ("Europe/Berlin", "America/Sao_Paulo", "Pacific/Apia", "America/St_Johns"):
        days = list(Calendar("day", DailyHours(), zone).occurrences(at("2006-01-01"), at("2012-12-31")))
        assert all(one.end + 1 == next_one.begin for one, next_one in itertools.pairwise(days))
        # Samoa left out 30 December 2011.
        assert len(days) in (2557, 2558) if zone != "Pacific/Apia" else len(days) in (2556, 2557)


def test_a_cron_expression_gives_points() -> None:
    calendar = only('[a]\ncron = "*/15 * * * *"\n')
    assert occurrences(calendar, "2006-09-18T09:00", "2006-09-18T09:31") == [
        Interval(at(f"2006-09-18T09:{minute}"), at(f"2006-09-18T09:{minute}")) for minute in ("00", "15", "30")
    ]
    # A point is looked for at the microsecond.
    assert begins(calendar, "2006-09-18T09:00:00.000001", "2006-09-18T09:15") == ["2006-09-18T09:15:00Z"]


def test_a_cron_expression_with_six_fields_has_seconds() -> None:
    calendar = only('[a]\ncron = "*/20 0 9 * * mon"\n')
    assert begins(calendar, "2006-09-17", "2006-09-19") == [
        "2006-09-18T09:00:00Z",
        "2006-09-18T09:00:20Z",
        "2006-09-18T09:00:40Z",
    ]


def test_with_a_duration_a_cron_expression_gives_intervals() -> None:
    calendar = only('[a]\ncron = "*/15 * * * *"\nduration = "5 min"\n')
    quarter = right_open("2006-09-18T09:15", "2006-09-18T09:20")
    assert occurrences(calendar, "2006-09-18T09:19", "2006-09-18T09:29") == [quarter]
    assert list(calendar.occurrences(quarter.end, quarter.end)) == [quarter]
    assert list(calendar.occurrences(quarter.end + 1, quarter.end + 1)) == []


def test_intervals_of_a_cron_expression_may_overlap() -> None:
    calendar = only('[a]\ncron = "0 0 * * *"\nduration = "36 hours"\n')
    assert begins(calendar, "2006-09-18T06:00", "2006-09-18T06:00") == ["2006-09-17T00:00:00Z", "2006-09-18T00:00:00Z"]
    assert begins(calendar, "2006-09-18T13:00", "2006-09-18T13:00") == ["2006-09-18T00:00:00Z"]


def test_a_duration_of_a_month_ends_by_the_calendar() -> None:
    calendar = only('[a]\ncron = "0 0 31 * *"\nduration = "1 month"\n')
    january = right_open("2006-01-31", "2006-02-28")
    assert occurrences(calendar, "2006-02-27", "2006-03-30") == [january]
    assert list(calendar.occurrences(january.end, january.end)) == [january]
    assert list(calendar.occurrences(january.end + 1, january.end + 1)) == []


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Asia/Tokyo", "UTC"])
def test_a_duration_of_a_month_is_counted_by_the_clock_of_the_calendar(zone: str) -> None:
    """Months of a zone follow each other without gaps; in UTC those of Berlin begin on the last of the month before."""
    months = Calendar("months", Cron("0 0 1 * *", Duration(months=1)), zone)
    found = list(months.occurrences(at("2026-01-15"), at("2027-01-15")))
    assert len(found) == 13
    assert all(one.end + 1 == following.begin for one, following in itertools.pairwise(found))
    assert found[2].begin == parse_datetime("2026-03-01", zone).begin


def test_a_duration_of_months_and_days_is_found_though_it_began_earlier_than_counting_back_says() -> None:
    # 30 January + 1 month is 28 February, a day later it is 1 March; back from 1 March it is 31 January.
    calendar = only('[a]\ncron = "0 23 30 * *"\nduration = "1 month 1 day"\n')
    assert occurrences(calendar, "2006-03-01T12:00", "2006-03-01T12:00") == [
        right_open("2006-01-30T23:00", "2006-03-01T23:00")
    ]


def test_the_intervals_around_1970_are_found_too() -> None:
    calendar = only('[a]\ncron = "0 0 * * *"\nduration = "1 hour"\n')
    assert list(calendar.occurrences(HOUR // 2, HOUR // 2)) == [Interval(0, HOUR - 1)]
    assert list(calendar.occurrences(HOUR, HOUR)) == []


def test_a_fixed_time_of_a_cron_expression_happens_once_a_day() -> None:
    calendar = only('[a]\ncron = "30 2 * * *"\ntimezone = "Europe/Berlin"\n')
    assert begins(calendar, "2006-03-25", "2006-03-27T12:00") == [
        "2006-03-25T01:30:00Z",
        "2006-03-26T01:00:00Z",
        "2006-03-27T00:30:00Z",
    ]
    assert begins(calendar, "2006-10-28", "2006-10-30T12:00") == [
        "2006-10-28T00:30:00Z",
        "2006-10-29T00:30:00Z",
        "2006-10-30T01:30:00Z",
    ]


def test_fixed_times_that_the_clock_leaves_out_fall_together() -> None:
    calendar = only('[a]\ncron = "0,30 2,3 * * *"\ntimezone = "Europe/Berlin"\n')
    assert begins(calendar, "2006-03-26", "2006-03-26T12:00") == ["2006-03-26T01:00:00Z", "2006-03-26T01:30:00Z"]


@pytest.mark.parametrize("day", ["2006-03-26", "2006-10-29"])
def test_a_cron_expression_for_every_half_hour_does_not_care_about_changes_of_the_clock(day: str) -> None:
    local = only('[a]\ncron = "*/30 * * * *"\ntimezone = "Europe/Berlin"\n')
    world = only('[a]\ncron = "*/30 * * * *"\n')
    assert len(occurrences(local, day, f"{day}T23:59")) == 48
    assert occurrences(local, day, f"{day}T23:59") == occurrences(world, day, f"{day}T23:59")


def test_leap_days_by_cron() -> None:
    calendar = only('[a]\ncron = "0 0 29 2 *"\n')
    assert begins(calendar, "1896-01-01", "1908-01-01") == ["1896-02-29T00:00:00Z", "1904-02-29T00:00:00Z"]


def test_listed_intervals_are_right_open_and_ordered() -> None:
    calendar = only("""
[term]
intervals = [["2007-04-01", "2007-07-15"], [2006-10-01, 2007-02-15], ["2006-10-01T08:00+02:00", 2006-10-01T09:00:00Z]]
timezone = "Europe/Berlin"
""")
    assert occurrences(calendar, "2006-01-01", "2008-01-01") == [
        right_open("2006-09-30T22:00", "2007-02-14T23:00"),
        right_open("2006-10-01T06:00", "2006-10-01T09:00"),
        right_open("2007-03-31T22:00", "2007-07-14T22:00"),
    ]
    assert len(occurrences(calendar, "2006-11-01", "2006-11-01")) == 1
    assert occurrences(calendar, "2007-02-14T23:00", "2007-03-31T21:59") == []


SCHEDULES = [
    DailyHours(),
    DailyHours(22 * HOUR, 30 * HOUR, (1, 5)),
    DailyHours(2 * HOUR + HOUR // 2, 3 * HOUR),
    Cron("*/20 * * * *"),
    Cron("30 0-3 * * *"),
    Cron("0 */2 * * *", Duration(microseconds=5 * HOUR)),
    Cron("0 0 29-31 * *", Duration(months=1, microseconds=DAY)),
]
WINDOWS = [("2006-03-20", "2006-04-05"), ("2006-10-22", "2006-11-08"), ("2011-12-24", "2012-01-05")]


@functools.cache
def all_occurrences(calendar: Calendar, first: Time, last: Time) -> tuple[Interval, ...]:
    return tuple(calendar.occurrences(first, last))


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/Sao_Paulo", "America/St_Johns", "Pacific/Apia"])
@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
@settings(max_examples=examples(15), deadline=None)
@given(data=st.data())
def test_what_touches_a_part_of_the_time_does_not_depend_on_where_one_looks_from(
    schedule: DailyHours | Cron, zone: str, data: st.DataObject
) -> None:
    calendar = Calendar("a", schedule, zone)
    begin, end = (at(text) for text in data.draw(st.sampled_from(WINDOWS)))
    hours = (end - begin) // HOUR
    first = begin + data.draw(st.integers(0, 2 * hours)) * HOUR // 2 + data.draw(st.integers(-1, 1))
    last = first + data.draw(st.integers(0, 60)) * HOUR // 2
    everything = all_occurrences(calendar, begin - 40 * DAY, end + 2 * DAY)
    assert list(calendar.occurrences(first, last)) == [i for i in everything if i.end >= first and i.begin <= last]


@pytest.mark.parametrize("schedule", [*SCHEDULES, Cron("* * * * * *")], ids=str)
def test_occurrences_are_lazy_and_begin_near_the_time_asked_for(schedule: DailyHours | Cron) -> None:
    for year in ("1700", "2006", "9900"):
        first = at(f"{year}-01-01")
        found = next(Calendar("a", schedule, "Europe/Berlin").occurrences(first, MAX_TIME))
        assert abs(found.begin - first) < 40 * DAY


@pytest.mark.parametrize("schedule", [DailyHours(), Cron("0 * * * *"), Cron("0 0 * * *", Duration(months=1))], ids=str)
@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/New_York"])
def test_nothing_happens_outside_of_the_years_1_to_9999(schedule: DailyHours | Cron, zone: str) -> None:
    calendar = Calendar("a", schedule, zone)
    early = list(calendar.occurrences(MIN_TIME, MIN_TIME + 3 * DAY))
    late = list(calendar.occurrences(MAX_TIME - 70 * DAY, MAX_TIME))
    assert early
    assert late
    assert all(i.begin >= MIN_TIME and i.end <= MAX_TIME for i in early + late)


# What is wrong with a file.


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[a]\nhour = ["09:00", "17:30"]', "[a]: unknown key 'hour'; did you mean 'hours'?"),
        ('[a]\nweekday = ["mon"]', "[a]: unknown key 'weekday'; did you mean 'weekdays'?"),
        ("[a]\nTimeZone = 1", "[a]: unknown key 'TimeZone'; did you mean 'timezone'?"),
        (
            "[a]\nx = 1",
            "[a]: unknown key 'x'; there are hours, weekdays, holidays, cron, duration, intervals, timezone",
        ),
        ("[a]\n[a.b]\nhours = 1", "[a]: unknown key 'b'"),
        ("[a]", "[a]: says no time; give hours, weekdays, cron or intervals"),
        ('[a]\ntimezone = "UTC"', "[a]: says no time"),
        ('[a]\nhours = "9-17"', '[a] hours: expected begin and end like ["09:00", "17:30"], found \'9-17\''),
        ("[a]\nhours = []", "[a] hours: expected begin and end"),
        ('[a]\nhours = ["09:00"]', "[a] hours: expected begin and end"),
        ('[a]\nhours = ["09:00", "25:00"]', "[a] hours: expected a time of the day from"),
        ('[a]\nhours = ["09:60", "17:00"]', "[a] hours: expected a time of the day"),
        ('[a]\nhours = ["24:01", "17:00"]', "[a] hours: expected a time of the day"),
        ('[a]\nhours = ["24:00", "17:00"]', "[a] hours: 24:00 is an end only"),
        ("[a]\nhours = [9, 17]", '[a] hours: expected a time of the day from "00:00" to "24:00", found 9'),
        ('[a]\nhours = ["09:00", "09:00"]', "[a] hours: begin and end are the same"),
        ("[a]\nweekdays = []", "[a] weekdays: the list is empty; expected weekdays like"),
        ('[a]\nweekdays = "mon"', '[a] weekdays: expected a list of weekdays like ["mon", "tue"], found \'mon\''),
        ('[a]\nweekdays = ["mno"]', "[a] weekdays: expected mon, tue, wed, thu, fri, sat or sun, found 'mno'"),
        (
            '[a]\nweekdays = ["wedn"]',
            "[a] weekdays: expected mon, tue, wed, thu, fri, sat or sun, found 'wedn'; did",
        ),
        ("[a]\nweekdays = [1]", "[a] weekdays: expected mon, tue, wed, thu, fri, sat or sun, found 1"),
        ("[a]\nweekdays = [true]", "[a] weekdays: expected mon, tue, wed, thu, fri, sat or sun, found true"),
        ("[a]\nholidays = []", "[a] holidays: the list is empty"),
        ('[a]\nholidays = ["christmas"]', "[a] holidays: expected a date like \"2006-12-25\", found 'christmas'"),
        ('[a]\nholidays = ["2006-02-29"]', "[a] holidays: expected a date like \"2006-12-25\", found '2006-02-29'"),
        ("[a]\nholidays = [2006-12-25T00:00:00]", "[a] holidays: expected a date like"),
        ("[a]\nholidays = [20061225]", '[a] holidays: expected a date like "2006-12-25", found 20061225'),
        ('[a]\ncron = "*/15 * * *"', "[a] cron: '*/15 * * *' is not a cron expression (minute, hour,"),
        ('[a]\ncron = "61 * * * *"', "[a] cron: '61 * * * *' is not a cron expression"),
        ('[a]\ncron = "0 0 30 2 *"', "[a] cron: '0 0 30 2 *' is not a cron expression"),
        ("[a]\ncron = 15", '[a] cron: expected an expression like "*/15 * * * *", found 15'),
        ('[a]\ncron = "* * * * *"\nduration = 5', '[a] duration: expected a duration like "5 min", found 5'),
        ('[a]\ncron = "* * * * *"\nduration = "5 mni"', "[a] duration: 'mni' is not a unit of time"),
        ('[a]\ncron = "* * * * *"\nduration = "0 sec"', "[a] duration: a duration of nothing; leave it out for points"),
        ('[a]\nduration = "5 min"', "[a] duration: goes with cron only"),
        ('[a]\ncron = "* * * * *"\nhours = ["09:00", "17:30"]', "[a]: 'hours' and 'cron' exclude each other"),
        ('[a]\nweekdays = ["mon"]\nduration = "5 min"', "[a]: 'weekdays' and 'duration' exclude each other"),
        ("[a]\nholidays = [2006-12-25]\nintervals = []", "[a]: 'holidays' and 'intervals' exclude each other"),
        ("[a]\nintervals = []", "[a] intervals: the list is empty"),
        ('[a]\nintervals = ["2006-10-01", "2007-02-15"]', "[a] intervals: expected a pair of begin and end"),
        ('[a]\nintervals = [["2006-10-01"]]', "[a] intervals: expected a pair of begin and end"),
        ('[a]\nintervals = [["2006-10-01", "soon"]]', "[a] intervals: 'soon' is not a date or a time"),
        ('[a]\nintervals = [["2006-10-01", 5]]', "[a] intervals: expected a date or a date and time, found 5"),
        (
            '[a]\nintervals = [["2007-02-15", "2006-10-01"]]',
            "[a] intervals: the end '2006-10-01' does not lie after the begin '2007-02-15'",
        ),
        ("[a]\nintervals = [[2006-10-01, 2006-10-01]]", "[a] intervals: the end 2006-10-01 does not lie after"),
        (
            '[a]\nweekdays = ["mon"]\ntimezone = "Europe/Berln"',
            "[a] timezone: there is no time zone 'Europe/Berln'; did you mean 'Europe/Berlin'?",
        ),
        ('[a]\nweekdays = ["mon"]\ntimezone = 1', "[a] timezone: expected the name of a time zone"),
        ('[datetime]\nweekdays = ["mon"]', "[datetime]: timer:datetime exists already; choose another name"),
        ('[from-end]\nweekdays = ["mon"]', "[from-end]: timer:from-end exists already; choose another name"),
        ('["two words"]\nweekdays = ["mon"]', "[two words]: a calendar's name consists of letters"),
        ('hours = ["09:00", "17:30"]', "'hours' stands outside of a table"),
        ('[[a]]\nweekdays = ["mon"]', "'a' stands outside of a table"),
        ("[a", "not TOML: "),
        ('[a]\nweekdays = ["mon"]\n[a]\nweekdays = ["tue"]', "not TOML: "),
        (f"x = {'9' * 5000}", "not TOML: "),
    ],
)
def test_a_mistake_is_reported_with_file_table_and_key(text: str, message: str) -> None:
    with pytest.raises(CalendarError, match=f"^{re.escape('calendars.toml: ' + message)}"):
        parse_calendars(text, "calendars.toml")


def test_a_file_that_is_not_there_is_an_error_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(CalendarError, match=r"none\.toml: the calendars cannot be read: No such file"):
        load_calendars(tmp_path / "none.toml")
    with pytest.raises(CalendarError, match="cannot be read: Is a directory"):
        load_calendars(tmp_path)


def test_a_file_that_is_not_text_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "calendars.toml"
    path.write_bytes(b"\xff\xfe[a]")
    with pytest.raises(CalendarError, match=r"calendars\.toml: the calendars are not UTF-8 text"):
        load_calendars(path)
