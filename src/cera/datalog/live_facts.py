"""Facts that stay from stage to stage, kept in place with indexes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from heapq import heappop, heappush
from typing import Any

from cera.modules.tuples import Row

#: The key of a row in an index; None if an attribute of the key has no value, so that nothing equals it.
Key = Callable[[Row], Hashable]
Bucket = dict[Row, None]

#: Before every time: a fact that has to be looked at in every stage.
_ALWAYS = -(2**63)

#: What waits where nothing does.
_NOTHING: list[tuple[int, int, Row]] = []


class LiveFacts:
    """The facts of a predicate that stay. `added` are those that came at the last stage.

    `deadline` says until when a fact surely holds; facts wait for that in a heap.
    """

    __slots__ = ("added", "count", "deadline", "facts", "indexes", "keys", "waiting")

    def __init__(self, keys: tuple[Key, ...] = (), deadline: Callable[[Row], Any] | None = None) -> None:
        self.keys = keys
        self.deadline = deadline
        self.added: Iterable[Row] = ()
        self.facts: Bucket = {}
        # few of the facts of a history have both
        self.indexes: Sequence[dict[Hashable, Bucket]] = [{} for _ in keys] if keys else ()
        self.waiting: list[tuple[int, int, Row]] = [] if deadline is not None else _NOTHING
        self.count = 0

    def copy(self) -> LiveFacts:
        """Returns the same facts, which then go on by themselves."""
        made = LiveFacts(self.keys, self.deadline)
        made.added = self.added
        if self.facts:
            made.facts = self.facts.copy()
            made.indexes = [{key: bucket.copy() for key, bucket in index.items()} for index in self.indexes]
        if self.waiting:
            made.waiting = self.waiting.copy()
            made.count = self.count
        return made

    def add_all(self, rows: Iterable[Row]) -> None:
        facts = self.facts
        self.added = added = [row for row in rows if row not in facts]
        for row in added:
            facts[row] = None
            for key, index in zip(self.keys, self.indexes, strict=True):
                found = key(row)
                if found is not None:
                    bucket = index.get(found)
                    if bucket is None:
                        index[found] = {row: None}
                    else:
                        bucket[row] = None
            if self.deadline is not None:
                self._wait(row)

    def _wait(self, row: Row) -> None:
        assert self.deadline is not None
        until = self.deadline(row)
        self.count += 1
        heappush(self.waiting, (until if until.__class__ is int else _ALWAYS, self.count, row))

    def discard(self, row: Row) -> None:
        """Removes a fact that is perhaps there."""
        if row not in self.facts:
            return
        del self.facts[row]
        for key, index in zip(self.keys, self.indexes, strict=True):
            found = key(row)
            if found is not None:
                bucket = index[found]
                del bucket[row]
                if not bucket:
                    del index[found]

    def discard_all(self, index: int, key: Hashable) -> None:
        """Removes the facts with a key."""
        for row in tuple(self.indexes[index].get(key, ())):
            self.discard(row)

    def clear(self) -> None:
        if self.facts:
            self.facts.clear()
            for index in self.indexes:
                index.clear()
            if self.waiting:
                self.waiting.clear()

    def expire(self, time: int, holds: Callable[[Row, int], bool]) -> None:
        """Removes the facts that do not hold any more at a time."""
        waiting = self.waiting
        again = []
        while waiting and waiting[0][0] <= time:
            entry = heappop(waiting)
            if entry[2] in self.facts:
                if holds(entry[2], time):
                    again.append(entry)
                else:
                    self.discard(entry[2])
        for entry in again:
            heappush(waiting, entry)

    def dump(self) -> tuple[list[Row], list[Row]]:
        """Returns all facts, and those that came at the last stage."""
        return list(self.facts), list(self.added)

    def restore(self, facts: Iterable[Row], added: Iterable[Row]) -> None:
        """Puts facts back that `dump` has written out."""
        self.add_all(facts)
        self.added = list(added)
