"""Time points and closed intervals.

A time point is a count of microseconds since 1970-01-01 UTC. An interval [begin, end] is closed, begin <= end;
a point event has begin = end. (Seed 001 section 4.1; X-16.)
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, NoReturn

Time = int

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)

#: The times that have a calendar date: the years 1 to 9999. Nothing happens outside of them.
MIN_TIME: Time = (datetime.min.replace(tzinfo=UTC) - EPOCH) // MICROSECOND
MAX_TIME: Time = (datetime.max.replace(tzinfo=UTC) - EPOCH) // MICROSECOND


class Interval(NamedTuple):
    """A closed interval of time; intervals sort by begin, then end."""

    begin: Time
    end: Time

    def contains(self, other: Interval) -> bool:
        """Returns whether other ⊑ self: self.begin <= other.begin and other.end <= self.end."""
        return self.begin <= other.begin and other.end <= self.end

    @property
    def is_point(self) -> bool:
        return self.begin == self.end

    def __str__(self) -> str:
        return f"[{self.begin},{self.end}]"

    def __setstate__(self, state: object) -> NoReturn:
        raise TypeError("an interval cannot be changed")


def interval(begin: Time, end: Time) -> Interval:
    """Returns the interval [begin, end]; refuses an end before its begin and times without a date."""
    if end < begin:
        raise ValueError(f"the end {end} lies before the begin {begin}")
    if begin < MIN_TIME or end > MAX_TIME:
        raise ValueError("a time lies outside of the years 1 to 9999")
    return Interval(begin, end)


def point(time: Time) -> Interval:
    return Interval(time, time)


def hull_with_openings(intervals: Iterable[Interval], openings: Iterable[Time]) -> Interval:
    """Returns the hull, which also reaches the begins of some states; of states alone the last begin, a point."""
    found, begins = list(intervals), list(openings)
    if not found:
        return point(max(begins))
    covered = hull(found)
    return Interval(covered.begin, max(covered.end, *begins)) if begins else covered


def hull(intervals: Iterable[Interval]) -> Interval:
    """Returns t1 ⊔ … ⊔ tn: the smallest interval that covers all of them."""
    begins, ends = zip(*intervals, strict=True)
    return Interval(min(begins), max(ends))
