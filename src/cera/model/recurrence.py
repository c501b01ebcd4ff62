"""Named calendars: trading days, terms, every quarter of an hour. What they are, and when they occur.

A calendar is plain data. Its intervals are right-open, [b, e) on integers [b, e - 1 µs]. They are enumerated lazily
from near the time that is asked for.

Where the clock of the calendar's zone is put forward or back, hours are read as times without an offset are (see
`cera.model.time_text`), and an interval that becomes empty by it does not happen. A cron expression is read as
Debian's cron does: a fixed time that the clock leaves out happens when the clock is put forward, and one that it shows
twice happens the first time; with `*` for the minute or hour, or with a field for seconds, whatever the clock shows
counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import assert_never
from zoneinfo import ZoneInfo

from cronsim import CronSim

from cera.model.durations import Duration, shift
from cera.model.interval import EPOCH, MAX_TIME, MICROSECOND, MIN_TIME, Interval, Time, point
from cera.model.time_text import from_local, time_zone, to_local

SECOND: Time = 1_000_000
DAY: Time = 86_400 * SECOND

_DAY = timedelta(days=1)


@dataclass(frozen=True)
class DailyHours:
    """On each of the weekdays (Monday is 1) that is no holiday, from `opens` to `closes`.

    Both count microseconds from the date's midnight by the clock; `closes` is more than a day when the hours go over
    midnight. Weekday and holidays are those of the date on which the hours begin.
    """

    opens: int = 0
    closes: int = DAY
    weekdays: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7)
    holidays: tuple[date, ...] = ()


@dataclass(frozen=True)
class Cron:
    """The points of a cron expression of five fields, or of six with seconds; with a duration, intervals from them."""

    expression: str
    duration: Duration | None = None


@dataclass(frozen=True)
class Listed:
    """Intervals that are written down one by one, in the order of their begins."""

    intervals: tuple[Interval, ...]


Schedule = DailyHours | Cron | Listed


@dataclass(frozen=True)
class Calendar:
    """A schedule with a name, by the clock of a time zone."""

    name: str
    schedule: Schedule = DailyHours()
    timezone: str = "UTC"

    def occurrences(self, first: Time, last: Time) -> Iterator[Interval]:
        """All occurrences that touch [first, last], in the order of their begins."""
        zone = time_zone(self.timezone)
        schedule = self.schedule
        match schedule:
            case DailyHours():
                candidates = _daily(schedule, first, zone)
            case Cron():
                candidates = _cron(schedule, first, zone)
            case Listed():
                candidates = iter(schedule.intervals)
            case _:
                assert_never(schedule)
        for occurrence in candidates:
            if occurrence.begin > last:
                return
            if occurrence.end >= first and occurrence.begin >= MIN_TIME and occurrence.end <= MAX_TIME:
                yield occurrence


def _daily(daily: DailyHours, first: Time, zone: ZoneInfo) -> Iterator[Interval]:
    """Every occurrence that ends at or after `first`, and a few before."""
    holidays = frozenset(daily.holidays)
    opens, closes = timedelta(microseconds=daily.opens), timedelta(microseconds=daily.closes)
    first_date = to_local(first, zone).date().toordinal() - daily.closes // DAY - 1
    for ordinal in range(max(1, first_date), date.max.toordinal() + 1):
        day = date.fromordinal(ordinal)
        if day.isoweekday() not in daily.weekdays or day in holidays:
            continue
        midnight = datetime.combine(day, time())
        try:
            begin, end = from_local(midnight + opens, zone), from_local(midnight + closes, zone) - 1
        except OverflowError:
            return  # the hours would go on after the year 9999
        if begin <= end:
            yield Interval(begin, end)


def _cron(cron: Cron, first: Time, zone: ZoneInfo) -> Iterator[Interval]:
    """Every occurrence that ends at or after `first`, and a few before."""
    start = first
    if cron.duration is not None:
        # Months back and forth again may be some days apart.
        slack = 4 * DAY if cron.duration.months else 0
        earliest = shift(first, -cron.duration)
        start = MIN_TIME if earliest is None else earliest - slack
    # The clock of a zone has no date on the very first days of the year 1.
    start = max(start - SECOND, MIN_TIME + 2 * DAY)
    clock = (EPOCH + min(start, MAX_TIME) * MICROSECOND).astimezone(UTC if zone.key == "UTC" else zone)
    moments = CronSim(cron.expression, clock)
    before: Time | None = None
    while True:
        try:
            moment = next(moments)
        except (StopIteration, OverflowError, ValueError):
            return  # nothing any more, or not before the year 10000
        begin = (moment - EPOCH) // MICROSECOND
        if before is not None and begin <= before:
            continue
        before = begin
        if cron.duration is None:
            yield point(begin)
        else:
            end = shift(begin, cron.duration)
            if end is None:
                return
            yield Interval(begin, end - 1)
