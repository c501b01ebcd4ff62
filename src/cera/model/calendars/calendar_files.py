"""Calendars from a TOML file, and the door to everything about them and the timers that use them.

[tradingDay]
hours = ["09:00", "17:30"]       # each day; left out: the whole day; an end before the begin goes over midnight
weekdays = ["mon", "tue", "wed", "thu", "fri"]
holidays = ["2006-12-25"]
timezone = "Europe/Berlin"       # UTC if left out

[everyQuarter]
cron = "*/15 * * * *"            # points
duration = "5 min"               # with it, intervals

[winterTerm]
intervals = [["2006-10-01", "2007-02-15"]]      # right-open: the 15th is out
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

from cronsim import CronSim, CronSimError

from cera.model.calendars.absolute_timers import (
    DATETIME,
    CalendarError,
    check_timer,
    occurs_in_relation,
    timer_events,
    timer_intervals,
)
from cera.model.message_text import did_you_mean
from cera.model.time.clock import DATETIME_PARTS, TimeError, time_zone
from cera.model.time.durations import Duration, DurationError, parse_duration
from cera.model.time.interval import Interval, Time, interval
from cera.model.time.recurrence import DAY, Calendar, Cron, DailyHours, ListedIntervals, Schedule
from cera.model.time.time_text import parse_datetime
from cera.model.time.timers import SYNONYMS
from cera.model.url_paths import shown_path

__all__ = [
    "DATETIME_PARTS",
    "Calendar",
    "CalendarError",
    "Cron",
    "DailyHours",
    "ListedIntervals",
    "Schedule",
    "check_timer",
    "load_calendars",
    "occurs_in_relation",
    "parse_calendars",
    "timer_events",
    "timer_intervals",
]

_DAILY, _CRON, _LISTED = ("hours", "weekdays", "holidays"), ("cron", "duration"), ("intervals",)
_KEYS = (*_DAILY, *_CRON, *_LISTED, "timezone")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*", re.ASCII)
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?", re.ASCII)


def load_calendars(path: Path) -> tuple[Calendar, ...]:
    """Returns the calendars of a TOML file, in its order."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise CalendarError(f"{shown_path(path)}: the calendars cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise CalendarError(f"{path}: the calendars are not UTF-8 text: {error.reason}") from None
    return parse_calendars(text, str(path))


def parse_calendars(text: str, name: str) -> tuple[Calendar, ...]:
    """Returns the calendars of a TOML text; `name` stands for it in messages."""
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise CalendarError(f"{name}: not TOML: {error}") from None
    return tuple(_read_table(_Place(name, table), content) for table, content in tables.items())


@dataclass(frozen=True)
class _Place:
    """A place in a calendar file: file, table, key."""

    file: str
    table: str
    key: str | None = None

    def at(self, key: str) -> _Place:
        return _Place(self.file, self.table, key)

    def error(self, problem: str) -> CalendarError:
        key = f" {self.key}" if self.key is not None else ""
        return CalendarError(f"{self.file}: [{self.table}]{key}: {problem}")


def _read_table(place: _Place, content: object) -> Calendar:
    if not isinstance(content, dict):
        hint = "write the calendar's name above it, as in [tradingDay]"
        raise CalendarError(f"{place.file}: '{place.table}' stands outside of a table; {hint}")
    if not _NAME.fullmatch(place.table):
        raise place.error("a calendar's name consists of letters, digits, '_' and '-' and begins with a letter")
    if place.table == DATETIME or place.table in SYNONYMS:
        raise place.error(f"timer:{place.table} exists already; choose another name")
    for key in content:
        if key not in _KEYS:
            guess = did_you_mean(key, _KEYS) or f"; there are {', '.join(_KEYS)}"
            raise place.error(f"unknown key '{key}'{guess}")
    timezone = _read_timezone(place.at("timezone"), content.get("timezone", "UTC"))
    return Calendar(place.table, _read_schedule(place, content, timezone), timezone)


def _read_schedule(place: _Place, content: Mapping[str, Any], timezone: str) -> Schedule:
    kinds = [[key for key in keys if key in content] for keys in (_DAILY, _CRON, _LISTED)]
    found = [keys for keys in kinds if keys]
    if not found:
        raise place.error(
            'says no time; give hours, weekdays, cron or intervals (all days: hours = ["00:00", "24:00"])'
        )
    if len(found) > 1:
        raise place.error(f"'{found[0][0]}' and '{found[1][0]}' exclude each other; make two calendars of it")
    if "intervals" in content:
        return _read_intervals(place.at("intervals"), content["intervals"], timezone)
    if "duration" in content and "cron" not in content:
        raise place.at("duration").error("goes with cron only; the begins are missing")
    if "cron" in content:
        expression = _read_cron(place.at("cron"), content["cron"])
        return Cron(expression, _read_duration(place.at("duration"), content.get("duration")))
    opens, closes = _read_hours(place.at("hours"), content["hours"]) if "hours" in content else (0, DAY)
    weekdays = _read_weekdays(place.at("weekdays"), content.get("weekdays", list(_WEEKDAYS)))
    holidays = _read_holidays(place.at("holidays"), content["holidays"]) if "holidays" in content else ()
    return DailyHours(opens, closes, weekdays, holidays)


def _read_timezone(place: _Place, value: object) -> str:
    if not isinstance(value, str):
        raise place.error(f'expected the name of a time zone like "Europe/Berlin", found {_shown(value)}')
    try:
        time_zone(value)
    except TimeError as error:
        raise place.error(str(error)) from None
    return value


def _read_hours(place: _Place, value: object) -> tuple[int, int]:
    if not isinstance(value, list) or len(value) != 2:
        raise place.error(f'expected begin and end like ["09:00", "17:30"], found {_shown(value)}')
    opens, closes = (_read_clock(place, entry) for entry in value)
    if opens == closes:
        raise place.error('begin and end are the same; for the whole day write ["00:00", "24:00"]')
    if opens == DAY:
        raise place.error("24:00 is an end only; begin at 00:00")
    return opens, closes if opens < closes else closes + DAY


def _read_clock(place: _Place, value: object) -> int:
    """Returns microseconds after midnight."""
    if isinstance(value, time):
        return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond
    shown = _CLOCK.fullmatch(value.strip()) if isinstance(value, str) else None
    hour, minute, second = (int(digits or 0) for digits in shown.groups()) if shown else (99, 0, 0)
    seconds = (hour * 60 + minute) * 60 + second
    if minute > 59 or second > 59 or seconds * 1_000_000 > DAY:
        raise place.error(f'expected a time of the day from "00:00" to "24:00", found {_shown(value)}')
    return seconds * 1_000_000


def _read_weekdays(place: _Place, value: object) -> tuple[int, ...]:
    weekdays: set[int] = set()
    for entry in _entries(place, value, 'weekdays like ["mon", "tue"]'):
        word = entry.strip().lower() if isinstance(entry, str) else ""
        number = next((i for i, full in enumerate(_WEEKDAYS, start=1) if word in (full, full[:3])), None)
        if number is None:
            guess = did_you_mean(word, (*(full[:3] for full in _WEEKDAYS), *_WEEKDAYS)) if word else ""
            raise place.error(f"expected mon, tue, wed, thu, fri, sat or sun, found {_shown(entry)}{guess}")
        weekdays.add(number)
    return tuple(sorted(weekdays))


def _read_holidays(place: _Place, value: object) -> tuple[date, ...]:
    holidays: set[date] = set()
    for entry in _entries(place, value, 'dates like ["2006-12-25"]'):
        try:
            if isinstance(entry, datetime) or not isinstance(entry, date | str):
                raise TypeError
            holidays.add(entry if isinstance(entry, date) else datetime.strptime(entry.strip(), "%Y-%m-%d").date())
        except (ValueError, TypeError):
            raise place.error(f'expected a date like "2006-12-25", found {_shown(entry)}') from None
    return tuple(sorted(holidays))


def _read_cron(place: _Place, value: object) -> str:
    if not isinstance(value, str):
        raise place.error(f'expected an expression like "*/15 * * * *", found {_shown(value)}')
    try:
        CronSim(value, datetime(2000, 1, 1, tzinfo=UTC))
    except (CronSimError, ValueError, AssertionError) as error:
        fields = "minute, hour, day, month, weekday"
        raise place.error(f"'{value}' is not a cron expression ({fields}): {error}") from None
    return value


def _read_duration(place: _Place, value: object) -> Duration | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise place.error(f'expected a duration like "5 min", found {_shown(value)}')
    try:
        duration = parse_duration(value)
    except DurationError as error:
        raise place.error(str(error)) from None
    if duration == Duration():
        raise place.error("a duration of nothing; leave it out for points")
    return duration


def _read_intervals(place: _Place, value: object, timezone: str) -> ListedIntervals:
    intervals: set[Interval] = set()
    for entry in _entries(place, value, 'pairs like [["2006-10-01", "2007-02-15"]]'):
        if not isinstance(entry, list) or len(entry) != 2:
            raise place.error(
                f'expected a pair of begin and end like ["2006-10-01", "2007-02-15"], found {_shown(entry)}'
            )
        begin, end = (_read_time(place, edge, timezone) for edge in entry)
        if end <= begin:
            raise place.error(f"the end {_shown(entry[1])} does not lie after the begin {_shown(entry[0])}")
        intervals.add(interval(begin, end - 1))
    return ListedIntervals(tuple(sorted(intervals)))


def _read_time(place: _Place, value: object, timezone: str) -> Time:
    text = value.isoformat() if isinstance(value, date) else value
    if not isinstance(text, str):
        raise place.error(f"expected a date or a date and time, found {_shown(value)}")
    try:
        return parse_datetime(text, timezone).begin
    except TimeError as error:
        raise place.error(str(error)) from None


def _entries(place: _Place, value: object, expected: str) -> list[Any]:
    if not isinstance(value, list):
        raise place.error(f"expected a list of {expected}, found {_shown(value)}")
    if not value:
        raise place.error(f"the list is empty; expected {expected}, or leave '{place.key}' out")
    return value


def _shown(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f"'{value}'"
        case dict():
            return "a table"
        case list():
            return f"[{', '.join(_shown(entry) for entry in value)}]"
        case _:
            return str(value)
