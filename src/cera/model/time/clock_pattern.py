"""The moments at which a clock shows something: 9 o'clock on Mondays, half past each hour, 29 February.

A pattern is about what the clock of a time zone shows: a wall time that the clock leaves out when it is put forward
does not happen on that day, one that it shows twice happens twice.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from types import MappingProxyType
from typing import Literal
from zoneinfo import ZoneInfo

from cera.model.time.clock import Wall, times_shown, to_local, walls_between
from cera.model.time.interval import MAX_TIME, MIN_TIME, Time

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
