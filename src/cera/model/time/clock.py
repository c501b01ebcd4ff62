"""Clocks of time zones: what they show at a time, and when they show something.

Twice a year many clocks are changed. A wall time that a clock leaves out never happens, one that it goes through again
happens twice. There are three ways to read a wall time:

    from_local       exactly one time: left out, it is later by the length of the gap; shown twice, it is the first.
                     That is what java.time does, and so Spark; times in data and programs are read like this.
    times_shown      every time at which the clock shows it: none, one or two. `timer:datetime` is read like this.
    time_of_day      exactly one time: left out, it is when the clock is changed; shown twice, it is the first. It
                     keeps the order of the wall times; the hours of calendars are read like this.

A pattern stands for the moments at which a clock shows something: 9 o'clock on Mondays, half past each hour,
29 February.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from types import MappingProxyType
from typing import Literal
from zoneinfo import ZoneInfo, available_timezones

from cera.model.message_text import did_you_mean
from cera.model.time.interval import EPOCH, MAX_TIME, MICROSECOND, MIN_TIME, Time

#: Times as a clock shows them, without zone.
Wall = datetime

_WALL_EPOCH: Wall = EPOCH.replace(tzinfo=None)
_DAY: Time = 86_400_000_000


class TimeError(ValueError):
    """Something is not a time, or lies outside of the years 1 to 9999, or a time zone is unknown."""


@cache
def time_zone(name: str) -> ZoneInfo:
    """Returns the zone of the IANA data base with this name."""
    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        guess = did_you_mean(name, available_timezones()) or "; write for example 'UTC' or 'Europe/Berlin'"
        raise TimeError(f"there is no time zone '{name}'{guess}") from None


def to_local(time: Time, zone: ZoneInfo) -> Wall:
    """Returns what a clock in the zone shows, at the outermost the first and last moment that have a date."""
    try:
        return (EPOCH + time * MICROSECOND).astimezone(zone).replace(tzinfo=None, fold=0)
    except OverflowError:
        return datetime.min if time < 0 else datetime.max


def from_local(wall: Wall, zone: ZoneInfo) -> Time:
    """Returns when a clock in the zone shows this; may lie outside of the years 1 to 9999 in UTC."""
    return (wall - _WALL_EPOCH - _offset(wall, zone, fold=0)) // MICROSECOND


def times_shown(walls: Iterable[Wall], zone: ZoneInfo) -> Iterator[Time]:
    """Yields every time at which a clock in the zone shows one of the wall times; both are in order."""
    second_round: list[Time] = []
    for wall in walls:
        before, after = _offset(wall, zone, fold=0), _offset(wall, zone, fold=1)
        elapsed = wall - _WALL_EPOCH
        if before < after:  # the clock is put forward over it
            continue
        if before > after:
            yield (elapsed - before) // MICROSECOND
            second_round.append((elapsed - after) // MICROSECOND)
        else:
            yield from second_round
            second_round.clear()
            yield (elapsed - before) // MICROSECOND
    yield from second_round


def time_of_day(wall: Wall, zone: ZoneInfo) -> Time:
    """Returns when a clock in the zone shows this for the first time, or is put forward over it."""
    before, after = _offset(wall, zone, fold=0), _offset(wall, zone, fold=1)
    elapsed = wall - _WALL_EPOCH
    if before >= after:
        return (elapsed - before) // MICROSECOND
    earlier, changed = (elapsed - after) // MICROSECOND, (elapsed - before) // MICROSECOND
    while changed - earlier > 1:
        middle = (earlier + changed) // 2
        shown = (EPOCH + middle * MICROSECOND).astimezone(zone)
        if shown.utcoffset() == before:
            earlier = middle
        else:
            changed = middle
    return changed


def walls_between(first: Time, last: Time, zone: ZoneInfo) -> tuple[Wall, Wall]:
    """Returns a lower and an upper bound of the wall times that a clock in the zone shows in [first, last].

    Only a change less than a day from the edge can lead below the wall time of `first` or above that of `last`.
    """
    lowest, highest = to_local(first, zone), to_local(last, zone)
    lowest = min(lowest, _earlier(to_local(first + _DAY, zone)))
    highest = max(highest, _later(to_local(last - _DAY, zone)))
    return lowest, highest


def _earlier(wall: Wall) -> Wall:
    return wall - timedelta(days=1) if wall - datetime.min >= timedelta(days=1) else datetime.min


def _later(wall: Wall) -> Wall:
    return wall + timedelta(days=1) if datetime.max - wall >= timedelta(days=1) else datetime.max


def _offset(wall: Wall, zone: ZoneInfo, fold: int) -> timedelta:
    offset = wall.replace(tzinfo=zone, fold=fold).utcoffset()
    assert offset is not None
    return offset


Part = Literal["year", "month", "day", "weekday", "hour", "minute", "second"]

DATETIME_PARTS: tuple[Part, ...] = ("year", "month", "day", "weekday", "hour", "minute", "second")

#: The values that each part can have; Monday is 1.
RANGES: Mapping[Part, range] = MappingProxyType(
    {
        "year": range(1, 10_000),
        "month": range(1, 13),
        "day": range(1, 32),
        "weekday": range(1, 8),
        "hour": range(24),
        "minute": range(60),
        "second": range(60),
    }
)
#: Years are coarsest; a weekday is as fine as a day.
FINENESS: Mapping[Part, int] = MappingProxyType(
    {"year": 0, "month": 1, "day": 2, "weekday": 2, "hour": 3, "minute": 4, "second": 5}
)
_SECOND = timedelta(seconds=1)


def clock_parts(time: Time, zone: ZoneInfo) -> dict[Part, int]:
    """Returns what a clock in the zone shows at a time."""
    shown = to_local(time, zone)
    return {
        "year": shown.year,
        "month": shown.month,
        "day": shown.day,
        "weekday": shown.isoweekday(),
        "hour": shown.hour,
        "minute": shown.minute,
        "second": shown.second,
    }


@dataclass(frozen=True)
class ClockPattern:
    """Parts with a fixed value; the others are free down to `finest` and lowest below it.

    Lowest is 1 for month and day and 0 for hour, minute and second. A pattern with a weekday is at least as fine as
    a day.
    """

    fixed: tuple[tuple[Part, int], ...]
    finest: Part

    def times(self, first: Time, last: Time, zone: ZoneInfo) -> Iterator[Time]:
        """Yields all times in [first, last] at which a clock in the zone shows the pattern, in their order."""
        first, last = max(first, MIN_TIME), min(last, MAX_TIME)
        if first <= last:
            walls = self._walls(*walls_between(first, last, zone))
            yield from (time for time in times_shown(walls, zone) if first <= time <= last)

    def _walls(self, lowest: Wall, highest: Wall) -> Iterator[Wall]:
        """Yields the wall times in [lowest, highest] that the pattern stands for."""
        choices = {part: self._choices(part) for part in DATETIME_PARTS}
        if not all(choices.values()):
            return
        for day in _dates(choices, lowest.date(), highest.date()):
            midnight = datetime(day.year, day.month, day.day)
            first, last = -((midnight - lowest) // _SECOND), (highest - midnight) // _SECOND
            for hour in _between(choices["hour"], first // 3600, last // 3600):
                for minute in _between(choices["minute"], first // 60 - hour * 60, last // 60 - hour * 60):
                    full = hour * 3600 + minute * 60
                    for second in _between(choices["second"], first - full, last - full):
                        yield midnight.replace(hour=hour, minute=minute, second=second)

    def _choices(self, part: Part) -> range:
        values = RANGES[part]
        if FINENESS[part] > FINENESS[self.finest] and part != "weekday":
            return values[:1]
        fixed = dict(self.fixed).get(part)
        if fixed is None:
            return values
        return range(fixed, fixed + 1) if fixed in values else range(0)


def _dates(choices: Mapping[Part, range], lowest: date, highest: date) -> Iterator[date]:
    """Yields the dates in [lowest, highest] whose parts are all among the choices."""
    for year in _between(choices["year"], lowest.year, highest.year):
        for month in choices["month"]:
            weekday_of_first, length = calendar.monthrange(year, month)
            if date(year, month, length) < lowest:
                continue
            if date(year, month, 1) > highest:
                return
            for day in _between(choices["day"], 1, length):
                if (weekday_of_first + day - 1) % 7 + 1 in choices["weekday"]:
                    shown = date(year, month, day)
                    if lowest <= shown <= highest:
                        yield shown


def _between(values: range, lowest: int, highest: int) -> range:
    """Returns the values of a range of consecutive numbers that lie in [lowest, highest]."""
    return range(max(values.start, lowest), min(values.stop, highest + 1))
