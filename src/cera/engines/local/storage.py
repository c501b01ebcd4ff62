"""Stored relations: rows by key, in the order of time, dropped when they can no longer contribute.

A bucket holds the rows of one key in the order in which they became known, with their ends beside them, so that a
stretch of time is found by bisection; `start` counts the rows at its front that are gone already.

A row is gone once now > its end + horizon. The front of a bucket is cut when a row is added to it; keys to which
nothing is added any more are swept, at most once in a horizon, so that each row is looked at twice at most.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

from cera.engines.local.rows import Row
from cera.model.interval import MAX_TIME, MIN_TIME

#: Below so many rows the gone ones at the front are taken out at once, else when they are half of them.
COMPACT = 32


class Bucket:
    """The rows of one key, by end. There is always one. It is plain if all its events are points, each at another time:
    then what lies in a window, and in which order, follows from the ends alone."""

    __slots__ = ("ends", "plain", "rows", "start")

    def __init__(self, end: int, row: Row) -> None:
        self.ends: list[int] = [end]
        self.rows: list[Row] = [row]
        self.start = 0
        self.plain = False

    def all(self) -> list[Row]:
        return self.rows[self.start :] if self.start else self.rows

    def cut(self, before: int) -> int:
        """Forgets the rows that end before a time; says how many."""
        start = bisect_left(self.ends, before, self.start)
        gone = start - self.start
        if len(self.ends) < COMPACT or start * 2 > len(self.ends):
            del self.rows[:start], self.ends[:start]
            start = 0
        self.start = start
        return gone

    def __getstate__(self) -> tuple[list[int], list[Row], bool]:
        return self.ends[self.start :], self.rows[self.start :], self.plain

    def __setstate__(self, state: tuple[list[int], list[Row], bool]) -> None:
        self.ends, self.rows, self.plain = state
        self.start = 0


class Store:
    """A relation by key; without a horizon its rows are kept for good."""

    __slots__ = ("buckets", "horizon", "size", "sweep_at")

    def __init__(self, horizon: int | None) -> None:
        self.buckets: dict[Any, Bucket] = {}
        self.horizon = horizon
        self.size = 0
        self.sweep_at = MAX_TIME if horizon is None else MIN_TIME

    def add(self, key: Any, end: int, row: Row) -> None:
        self.size += 1
        bucket = self.buckets.get(key)
        if bucket is None:
            self.buckets[key] = Bucket(end, row)
            return
        ends = bucket.ends
        ends.append(end)
        bucket.rows.append(row)
        if self.horizon is not None and ends[bucket.start] < end - self.horizon:
            self.size -= bucket.cut(end - self.horizon)

    def add_event(self, key: Any, end: int, row: Row) -> None:
        """Adds the row of an event, which stands at its end, for windows to find."""
        self.size += 1
        bucket = self.buckets.get(key)
        if bucket is None:
            bucket = self.buckets[key] = Bucket(end, row)
            bucket.plain = row[-1].begin == end
            return
        ends = bucket.ends
        if bucket.plain and (ends[-1] == end or row[-1].begin != end):
            bucket.plain = False
        ends.append(end)
        bucket.rows.append(row)
        if self.horizon is not None and ends[bucket.start] < end - self.horizon:
            self.size -= bucket.cut(end - self.horizon)

    def sweep(self, now: int) -> int:
        """Forgets what has run out before now, if it is time for that; says when it will be."""
        if self.horizon is not None and now >= self.sweep_at:
            before = now - self.horizon
            for key in [key for key, bucket in self.buckets.items() if bucket.ends[-1] < before]:
                bucket = self.buckets.pop(key)
                self.size -= len(bucket.ends) - bucket.start
            self.sweep_at = now + self.horizon + 1
        return self.sweep_at

    def __getstate__(self) -> tuple[Any, ...]:
        return self.buckets, self.horizon, self.size, self.sweep_at

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.buckets, self.horizon, self.size, self.sweep_at = state
