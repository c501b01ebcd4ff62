"""Named calendars (trading days, terms, every quarter of an hour) and when they occur.

A calendar is plain data. Its intervals are right-open, [b, e) on integers [b, e - 1 µs]. They are enumerated lazily
from near the time that is asked for.

Where the clock of the calendar's zone is changed, a time of the day that it leaves out is when it is changed, and one
that it shows twice is the first; hours that become empty by it do not happen. A cron expression that begins with `*` in
the minute or the hour, or has a field for seconds, means whatever the clock shows instead, as in Debian's cron.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import assert_never
from zoneinfo import ZoneInfo

from cronsim import CronSim

from cera.model.tags import tagged
from cera.model.time.clock import Wall, from_local, time_of_day, time_zone, times_shown, to_local, walls_between
from cera.model.time.durations import Duration, shift
from cera.model.time.interval import MAX_TIME, MIN_TIME, Interval, Time, point

SECOND: Time = 1_000_000
DAY: Time = 86_400 * SECOND
_UTC = time_zone("UTC")
_LONGEST_MONTH: Time = 31 * DAY
#: The most that a clock was ever put back: where the line between two dates was moved.
_MOST_CHANGED: Time = DAY


@tagged("DailyHours")
@dataclass(frozen=True)
class DailyHours:
    """Hours from `opens` to `closes` on each of the weekdays (Monday is 1) except holidays.

    Both count microseconds from the date's midnight by the clock; `closes` is more than a day when the hours go over
    midnight. Weekday and holidays are those of the date on which the hours begin.
    """

    opens: int = 0
    closes: int = DAY
    weekdays: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7)
    holidays: tuple[date, ...] = ()


@tagged("Cron")
@dataclass(frozen=True)
class Cron:
    """The points of a cron expression of five fields, or of six with seconds; with a duration, intervals from them."""

    expression: str
    duration: Duration | None = None


@tagged("Listed")
@dataclass(frozen=True)
class ListedIntervals:
    """Intervals that are written down one by one, in the order of their begins."""

    intervals: tuple[Interval, ...]


Schedule = DailyHours | Cron | ListedIntervals


@tagged("Calendar")
@dataclass(frozen=True)
class Calendar:
    """A schedule with a name, by the clock of a time zone."""

    name: str
    schedule: Schedule = DailyHours()
    timezone: str = "UTC"

    @property
    def longest(self) -> int:
        """The most that an occurrence lasts, in microseconds, whatever happens to the clock of its zone."""
        changes = 0 if self.timezone == "UTC" else _MOST_CHANGED
        schedule = self.schedule
        match schedule:
            case DailyHours():
                return schedule.closes - schedule.opens - 1 + changes
            case Cron():
                length = schedule.duration or Duration(0, 1)
                return length.months * _LONGEST_MONTH + length.microseconds - 1 + (changes if length.months else 0)
            case ListedIntervals():
                return max(interval.end - interval.begin for interval in schedule.intervals)
            case _:
                assert_never(schedule)

    def occurrences(self, first: Time, last: Time) -> Iterator[Interval]:
        """Yields all occurrences that touch [first, last], in the order of their begins."""
        zone = time_zone(self.timezone)
        schedule = self.schedule
        match schedule:
            case DailyHours():
                candidates = _daily(schedule, first, zone)
            case Cron():
                candidates = _cron(schedule, first, zone)
            case ListedIntervals():
                candidates = iter(schedule.intervals)
            case _:
                assert_never(schedule)
        for occurrence in candidates:
            if occurrence.begin > last:
                return
            if occurrence.end >= first and occurrence.begin >= MIN_TIME and occurrence.end <= MAX_TIME:
                yield occurrence


def _daily(daily: DailyHours, first: Time, zone: ZoneInfo) -> Iterator[Interval]:
    """Yields every occurrence that ends at or after `first`, and a few before."""
    holidays = frozenset(daily.holidays)
    opens, closes = timedelta(microseconds=daily.opens), timedelta(microseconds=daily.closes)
    first_date = to_local(first, zone).date().toordinal() - daily.closes // DAY - 1
    for ordinal in range(max(1, first_date), date.max.toordinal() + 1):
        day = date.fromordinal(ordinal)
        if day.isoweekday() not in daily.weekdays or day in holidays:
            continue
        midnight = datetime.combine(day, time())
        try:
            begin, end = time_of_day(midnight + opens, zone), time_of_day(midnight + closes, zone) - 1
        except OverflowError:
            return  # the hours would go on after the year 9999
        if begin <= end:
            yield Interval(begin, end)


def _cron(cron: Cron, first: Time, zone: ZoneInfo) -> Iterator[Interval]:
    """Yields every occurrence that ends at or after `first`, and a few before."""
    earliest: Time | None = first
    if cron.duration is not None:
        earliest = shift(first, -cron.duration)
        if earliest is not None and cron.duration.months:
            earliest -= 5 * DAY  # a month back and forth again may be some days apart, and the zone a day off
    for begin in _cron_times(cron.expression, MIN_TIME if earliest is None else earliest, zone):
        if cron.duration is None:
            yield point(begin)
        elif (end := _later(begin, cron.duration, zone)) is not None:
            yield Interval(begin, end - 1)


def _later(begin: Time, duration: Duration, zone: ZoneInfo) -> Time | None:
    """Returns begin + duration, with months by the zone's clock: a month from the first is the first of the next."""
    if not duration.months:
        return shift(begin, duration)
    wall = shift(from_local(to_local(begin, zone), _UTC), Duration(duration.months))
    return None if wall is None else shift(from_local(to_local(wall, _UTC), zone), Duration(0, duration.microseconds))


def _cron_times(expression: str, first: Time, zone: ZoneInfo) -> Iterator[Time]:
    """Yields the points of a cron expression from `first` on, and a few before, in their order.

    cronsim counts wall times here: with a zone it would go round in circles where a clock is put forward at midnight.
    """
    before, _ = walls_between(first - 1, first - 1, zone)
    walls = _cron_walls(expression, before)
    fields = expression.split()
    if len(fields) == 5 and not any(field.startswith("*") for field in fields[:2]):
        times = (time_of_day(wall, zone) for wall in walls)
        yield from (time for time, _ in itertools.groupby(times))
    else:
        yield from times_shown(walls, zone)


def _cron_walls(expression: str, after: Wall) -> Iterator[Wall]:
    walls = CronSim(expression, after)
    while True:
        try:
            yield next(walls)
        except (StopIteration, OverflowError, ValueError):
            return  # nothing any more, or not before the year 10000
