"""Periodic windows: intervals of one length whose begins lie at equal distances, for all of time.

    [origin + k·slide, origin + k·slide + length[        for every whole k, also a negative one

On whole microseconds `[b, e[` is `[b, e-1]`. A window that would leave the years 1 to 9999 does not happen. With
slide < length windows overlap, with slide = length they tumble, with slide > length there are gaps between them (S-02).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cera.model.time.interval import MAX_TIME, MIN_TIME, Interval, Time

#: The most windows that a point of time may lie in: each of them has a row for every event.
MOST_WINDOWS = 10_000


class Period(NamedTuple):
    """The length of windows, the distance between their begins, and the begin of one of them, in microseconds."""

    length: int
    slide: int
    origin: Time = 0

    @property
    def windows_at_once(self) -> int:
        """The most windows that a point of time lies in: ceil(length / slide)."""
        return -(-self.length // self.slide)

    def begins(self, inside: Interval) -> range:
        """Returns the begins of the windows that contain an interval, in their order."""
        earliest = max(inside.end - self.length + 1, MIN_TIME)
        latest = min(inside.begin, MAX_TIME - self.length + 1)
        first = self.origin - (self.origin - earliest) // self.slide * self.slide
        return range(first, latest + 1, self.slide)

    def windows(self, inside: Interval) -> Iterator[Interval]:
        """Yields the windows that contain an interval, in their order."""
        return (Interval(begin, begin + self.length - 1) for begin in self.begins(inside))

    def in_one(self, inside: Interval) -> bool:
        """Returns whether some window contains an interval: if any does, then the last that begins in time."""
        return inside.end - inside.begin + (inside.begin - self.origin) % self.slide < self.length


def checked_period(length: int, slide: int, origin: Time) -> Period:
    """Returns the period; raises ValueError if there are no such windows, or more at once than can be looked at."""
    period = Period(length, slide, origin)
    if length < 1 or slide < 1:
        raise ValueError("the length and the slide of a window are at least one microsecond")
    if period.windows_at_once > MOST_WINDOWS:
        raise ValueError(
            f"every event would lie in {period.windows_at_once:,} windows, and {MOST_WINDOWS:,} are the most; "
            "let the windows slide by more, or make them shorter"
        )
    return period
