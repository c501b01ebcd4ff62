"""Stored relations: rows by key, in the order of time, dropped when they can no longer contribute.

A store is a dictionary from keys to buckets. A bucket holds the rows of one key in the order in which they became
known, with their ends beside them, so that a stretch of time is found by bisection; `start` counts the rows at its
front that have expired already.

A row expires once now > its end + horizon; without a horizon it stays. The front of a bucket is cut when a row
is added to it; keys to which nothing is added any more are swept, at most once in a horizon, so that each row is seen
at most twice.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Any

from cera.algebra.layouts import Row

#: Below this number of rows, expired ones at the front are removed at once, else when they are half of them.
COMPACT = 32


class Bucket:
    """The rows of one key, by end. There is always one. It is plain if all its events are points, each at another time,
    and what is summed up of them are ordinary numbers: then what lies in a window, in which order, and what it sums up
    to, needs no look at the single events."""

    __slots__ = ("ends", "plain", "rows", "start")

    def __init__(self, end: int, row: Row, plain: bool = False) -> None:
        self.ends: list[int] = [end]
        self.rows: list[Row] = [row]
        self.start = 0
        self.plain = plain

    def __len__(self) -> int:
        return len(self.ends) - self.start

    def all(self) -> list[Row]:
        return self.rows[self.start :] if self.start else self.rows

    def since(self, time: int) -> list[Row]:
        """Returns the rows that end at a time or later."""
        start = self.start if self.ends[self.start] >= time else bisect_left(self.ends, time, self.start)
        return self.rows[start:] if start else self.rows

    def between(self, first: int | None, last: int) -> list[Row]:
        """Returns the rows that end from one time to another, both included."""
        ends, start = self.ends, self.start
        if first is not None and ends[start] < first:
            start = bisect_left(ends, first, start)
        return self.rows[start : bisect_right(ends, last, start)]

    def cut(self, before: int) -> None:
        """Drops the rows that end before a time."""
        start = bisect_left(self.ends, before, self.start)
        if len(self.ends) < COMPACT or start * 2 > len(self.ends):
            del self.rows[:start], self.ends[:start]
            start = 0
        self.start = start

    def __getstate__(self) -> tuple[list[int], list[Row], bool]:
        return self.ends[self.start :], self.rows[self.start :], self.plain

    def __setstate__(self, state: tuple[list[int], list[Row], bool]) -> None:
        self.ends, self.rows, self.plain = state
        self.start = 0


Store = dict[Any, Bucket]


def add(store: Store, key: Any, end: int, row: Row, horizon: int | None) -> None:
    """Adds a row that became known at `end`."""
    bucket = store.get(key)
    if bucket is None:
        store[key] = Bucket(end, row)
        return
    ends = bucket.ends
    ends.append(end)
    bucket.rows.append(row)
    if horizon is not None and ends[bucket.start] < end - horizon:
        bucket.cut(end - horizon)


def add_event(store: Store, key: Any, end: int, row: Row, horizon: int | None, ordinary: bool) -> Bucket:
    """Adds the row of an event, which stands at its end, for windows to find; returns its bucket.

    `ordinary` says that what is summed up of it are ordinary numbers.
    """
    plain = ordinary and row[-1].begin == end
    bucket = store.get(key)
    if bucket is None:
        bucket = store[key] = Bucket(end, row, plain)
        return bucket
    ends = bucket.ends
    if bucket.plain and (not plain or ends[-1] == end):
        bucket.plain = False
    ends.append(end)
    bucket.rows.append(row)
    if horizon is not None and ends[bucket.start] < end - horizon:
        bucket.cut(end - horizon)
    return bucket


def retain_open(store: Store, place: int, last: int) -> None:
    """Drops the rows whose state, at a place of the row, ended before a time."""
    for key, bucket in list(store.items()):
        rows = bucket.all()
        for row in rows:
            if row[place].until < last:
                break
        else:
            continue
        kept = [number for number, row in enumerate(rows) if row[place].until >= last]
        if not kept:
            del store[key]
            continue
        ends = bucket.ends[bucket.start :]
        bucket.rows = [rows[number] for number in kept]
        bucket.ends = [ends[number] for number in kept]
        bucket.start = 0


def drop_before(store: Store, before: int) -> None:
    """Drops the rows that ended before a time."""
    sweep(store, before)
    for bucket in store.values():
        if bucket.ends[bucket.start] < before:
            bucket.cut(before)


def sweep(store: Store, before: int) -> None:
    """Drops the keys of which all rows ended before a time."""
    for key in [key for key, bucket in store.items() if bucket.ends[-1] < before]:
        del store[key]
