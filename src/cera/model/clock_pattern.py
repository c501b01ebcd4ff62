"""The moments at which a clock shows something: 9 o'clock on Mondays, half past each hour, 29 February.

A pattern is about what the clock of a time zone shows. A time that the clock leaves out when it is put forward does
not happen on that day; one that it shows twice when it is put back happens twice.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from types import MappingProxyType
from typing import Literal
from zoneinfo import ZoneInfo

from cera.model.interval import EPOCH, MAX_TIME, MICROSECOND, MIN_TIME, Time
from cera.model.time_text import to_local

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
_SECOND = 1_000_000


def clock_parts(moment: Time, zone: ZoneInfo) -> dict[Part, int]:
    """What the clock of the zone shows at a moment."""
    shown = to_local(moment, zone)
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
        """All moments in [first, last] at which the clock shows the pattern, in their order."""
        first, last = max(first, MIN_TIME), min(last, MAX_TIME)
        if first > last:
            return
        # Where the clock is put back around midnight, moments of two dates alternate: they are sorted together.
        around_change: set[Time] = set()
        for day in self._dates(*_dates_around(first, last, zone)):
            midnight = (datetime.combine(day, time(), EPOCH.tzinfo) - EPOCH) // MICROSECOND
            offsets = _offsets_on(day, zone)
            if len(offsets) > 1:
                for offset in offsets:
                    moments = self._times_of_day(midnight - offset, first, last)
                    around_change.update(moment for moment in moments if _offset_at(moment, zone) == offset)
            else:
                yield from sorted(around_change)
                around_change.clear()
                for offset in offsets:
                    yield from self._times_of_day(midnight - offset, first, last)
        yield from sorted(around_change)

    def _choices(self, part: Part) -> range:
        values = RANGES[part]
        if FINENESS[part] > FINENESS[self.finest] and part != "weekday":
            return values[:1]
        fixed = dict(self.fixed).get(part)
        if fixed is None:
            return values
        return range(fixed, fixed + 1) if fixed in values else range(0)

    def _dates(self, lowest: date, highest: date) -> Iterator[date]:
        weekdays = self._choices("weekday")
        for year in _between(self._choices("year"), lowest.year, highest.year):
            for month in self._choices("month"):
                weekday_of_first, length = calendar.monthrange(year, month)
                if date(year, month, length) < lowest:
                    continue
                if date(year, month, 1) > highest:
                    return
                for day in _between(self._choices("day"), 1, length):
                    if (weekday_of_first + day - 1) % 7 + 1 in weekdays and lowest <= date(year, month, day) <= highest:
                        yield date(year, month, day)

    def _times_of_day(self, midnight: Time, first: Time, last: Time) -> Iterator[Time]:
        """The moments of the day that begins at `midnight`, by a clock that is not changed on it."""
        lowest, highest = -((midnight - first) // _SECOND), (last - midnight) // _SECOND
        for hour in _between(self._choices("hour"), lowest // 3600, highest // 3600):
            for minute in self._choices("minute"):
                full_minute = hour * 3600 + minute * 60
                if full_minute > highest:
                    return
                for second in _between(self._choices("second"), lowest - full_minute, highest - full_minute):
                    yield midnight + (full_minute + second) * _SECOND


def _between(values: range, lowest: int, highest: int) -> range:
    """The values of a range of consecutive numbers that lie in [lowest, highest]."""
    return range(max(values.start, lowest), min(values.stop, highest + 1))


def _dates_around(first: Time, last: Time, zone: ZoneInfo) -> tuple[date, date]:
    """The dates of the clock in [first, last], and one more on each side for a clock that was put back by a day."""
    lowest, highest = to_local(first, zone).date(), to_local(last, zone).date()
    one = timedelta(days=1)
    return (lowest - one if lowest > date.min else lowest), (highest + one if highest < date.max else highest)


def _offsets_on(day: date, zone: ZoneInfo) -> tuple[int, ...]:
    """The clock's distances from UTC on a date, in microseconds; more than one if it is changed on or next to it."""
    begin = datetime.combine(day, time(), zone)
    end = begin + timedelta(days=1) if day < date.max else begin.replace(hour=23, minute=59, second=59)
    edges = (begin, begin.replace(fold=1), end, end.replace(fold=1))
    return tuple({_offset(edge): None for edge in edges})


def _offset_at(moment: Time, zone: ZoneInfo) -> int:
    return _offset(to_local(moment, zone))


def _offset(shown: datetime) -> int:
    offset = shown.utcoffset()
    assert offset is not None
    return offset // MICROSECOND
