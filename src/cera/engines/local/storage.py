"""Stored relations: rows by key, in the order of time, dropped when they can no longer contribute.

A store is plain data: `[queue, buckets]`. A bucket holds the rows of one key in the order in which they became known,
with their ends beside them, so that a stretch of time is found by bisection; `start` counts the rows at its front
that are gone already. The queue says which key's front row runs out next.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Sequence
from typing import Any

from cera.engines.local.rows import Row

_COMPACT = 32


class Bucket:
    """The rows of one key, by end."""

    __slots__ = ("ends", "rows", "start")

    def __init__(self) -> None:
        self.ends: list[int] = []
        self.rows: list[Row] = []
        self.start = 0

    def between(self, first: int, last: int) -> Sequence[Row]:
        """The rows whose end lies in [first, last]."""
        ends = self.ends
        low = bisect_left(ends, first, self.start)
        high = len(ends) if ends[-1] <= last else bisect_right(ends, last, low)
        return self.rows[low:high]

    def all(self) -> Sequence[Row]:
        return self.rows[self.start :] if self.start else self.rows

    def __getstate__(self) -> tuple[list[int], list[Row]]:
        return self.ends[self.start :], self.rows[self.start :]

    def __setstate__(self, state: tuple[list[int], list[Row]]) -> None:
        self.ends, self.rows = state
        self.start = 0


class Store:
    """A relation by key. With a horizon, a row is dropped once now > its end + horizon."""

    __slots__ = ("buckets", "horizon", "queue", "size")

    def __init__(self, horizon: int | None) -> None:
        self.buckets: dict[Any, Bucket] = {}
        self.queue: deque[tuple[int, Any]] = deque()
        self.horizon = horizon
        self.size = 0

    def add(self, key: Any, end: int, row: Row) -> None:
        bucket = self.buckets.get(key)
        if bucket is None:
            bucket = self.buckets[key] = Bucket()
        bucket.ends.append(end)
        bucket.rows.append(row)
        self.size += 1
        if self.horizon is not None:
            self.queue.append((end + self.horizon, key))

    def drop(self, now: int) -> None:
        """Forgets the rows that ran out before now."""
        queue = self.queue
        while queue and queue[0][0] < now:
            key = queue.popleft()[1]
            bucket = self.buckets[key]
            bucket.start += 1
            self.size -= 1
            if bucket.start == len(bucket.rows):
                del self.buckets[key]
            elif bucket.start > _COMPACT and bucket.start * 2 > len(bucket.rows):
                del bucket.rows[: bucket.start], bucket.ends[: bucket.start]
                bucket.start = 0

    def __getstate__(self) -> tuple[Any, ...]:
        return self.buckets, self.queue, self.horizon, self.size

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.buckets, self.queue, self.horizon, self.size = state
