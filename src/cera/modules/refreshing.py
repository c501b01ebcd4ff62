"""Relations that are read again while time goes on: when, and what happens if they cannot be.

The clock is that of the machine: a relation is read again when its duration has passed since it was last tried. One
that cannot be read, or has rows that are wrong, keeps the rows it has, and is tried again after the same duration.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cera.model.events.relation_rows import ReadRows, RelationRow, RelationRows, ReplacedRows
from cera.model.time.durations import Duration, shift

#: How often a thread looks whether a relation is due, in seconds.
_POLL = 0.2


@dataclass(frozen=True)
class Refresh:
    """A relation that is read again after a duration: its name, and how it is read."""

    name: str
    every: Duration
    read: Callable[[], RelationRows]

    @property
    def seconds(self) -> float:
        """The time until it is read again, from now on: months have different lengths."""
        now = time.time_ns() // 1_000
        return ((shift(now, self.every) or now) - now) / 1_000_000


@dataclass
class Refresher:
    """Reads relations again when they are due.

    `take` gets the rows, and may be what reads them; `failed` gets the reason why there are none: once, until it is
    another one.
    """

    refreshes: Sequence[Refresh]
    take: Callable[[str, RelationRows], object]
    failed: Callable[[str, str], object]
    clock: Callable[[], float] = time.monotonic
    #: How often a relation could not be read again.
    unread: int = 0
    _due: dict[str, float] = field(default_factory=dict)
    _reasons: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for refresh in self.refreshes:
            self._schedule(refresh)

    def is_due(self) -> bool:
        return self.clock() >= min(self._due.values(), default=math.inf)

    def poll(self) -> None:
        """Reads the relations that are due."""
        for refresh in self.refreshes:
            if self.clock() < self._due[refresh.name]:
                continue
            self._schedule(refresh)
            try:
                self.take(refresh.name, refresh.read())
            except Exception as error:  # whatever a source raises, time goes on with the rows that there are
                self.fail(refresh.name, str(getattr(error, "message", error)) or type(error).__name__)
            else:
                self._reasons.pop(refresh.name, None)

    def fail(self, name: str, why: str) -> None:
        """Counts that a relation could not be read."""
        self.unread += 1
        if self._reasons.get(name) != why:
            self._reasons[name] = why
            self.failed(name, why)

    def remaining(self, name: str) -> float:
        """Returns the seconds until a relation is due."""
        return self._due[name] - self.clock()

    def postpone(self, name: str, seconds: float) -> None:
        """Lets a relation be due in some seconds."""
        self._due[name] = self.clock() + seconds

    def _schedule(self, refresh: Refresh) -> None:
        self._due[refresh.name] = self.clock() + refresh.seconds


class RefreshedRelations:
    """The relations of a session that are read again: what was read last counts for all that is decided next."""

    def __init__(
        self, rows: Mapping[str, RelationRows], refreshes: Sequence[Refresh], failed: Callable[[str, str], object]
    ) -> None:
        self.relations = {refresh.name: ReplacedRows(rows[refresh.name]) for refresh in refreshes}
        self.refresher = Refresher(refreshes, self._take, failed)

    def _take(self, name: str, version: RelationRows) -> None:
        self.relations[name].replace(ReadRows(version.rows))  # those of a DataFrame are collected here

    def snapshot(self) -> dict[str, Any]:
        """Returns the rows of each relation as plain data, and when it is to be read again, as seconds since 1970."""
        return {
            name: (
                time.time() + self.refresher.remaining(name),
                [(row.term, row.since, row.until) for row in rows.rows],
            )
            for name, rows in self.relations.items()
        }

    def resume(self, snapshot: Mapping[str, Any]) -> None:
        """Continues with the rows of a snapshot, until they are due."""
        read = {name: ReadRows(tuple(RelationRow(*row) for row in rows)) for name, (_, rows) in snapshot.items()}
        for name, rows in self.relations.items():
            rows.replace(read[name])
            self.refresher.postpone(name, snapshot[name][0] - time.time())


class RefreshThread:
    """A thread that polls until it is stopped."""

    def __init__(self, poll: Callable[[], object]) -> None:
        self._poll = poll
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def is_stopped(self) -> bool:
        return self._stopped.is_set()

    def stop(self) -> None:
        """Ends the thread, but for a source that is being read: it is not waited for."""
        self._stopped.set()

    def _run(self) -> None:
        while not self._stopped.wait(_POLL):
            self._poll()
