"""Progress of a stream, as reported after each trigger."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from cera.engines.spark.streaming.messages.stage_results import StateReport
from cera.engines.spark.streaming.stream_totals import Totals
from cera.running.streams.running_stream import BatchReport

S = TypeVar("S", bound=Hashable)

#: After so many seconds without a new watermark it is reported that time stands still.
STALLED_AFTER = 30.0


class _BatchCounts(NamedTuple):
    """What became of a micro-batch."""

    derived: int
    late: int
    rejected: int
    undefined: int
    without_key: int
    live: int
    repaired: int


@dataclass
class Counters:
    """Sums over the micro-batches of a run, and the size of the state of each bucket as far as it is known."""

    derived: int = 0
    late: int = 0
    rejected: int = 0
    undefined: int = 0
    without_key: int = 0
    repaired: int = 0
    late_ends: int = 0
    events: int = 0
    batches: int = 0
    #: How often a relation could not be read again.
    unread: int = 0
    #: The late events by label.
    late_labels: Counter[str] = field(default_factory=Counter)
    #: How much was derived by label and by rule, since the stream began and in this run of it, where that is counted.
    totals: Totals = field(default_factory=Totals)
    totals_now: Totals = field(default_factory=Totals)
    _live: dict[tuple[str, int], int] = field(default_factory=dict)
    _batches: dict[int, _BatchCounts] = field(default_factory=dict)

    @property
    def live(self) -> int:
        return sum(self._live.values())

    def take(
        self, batch: int, derived: int, late: int, rejected: int, states: Sequence[StateReport], late_ends: int = 0
    ) -> None:
        self.batches += 1
        undefined = without_key = repaired = 0
        for state in states:
            self._live[state.operator, state.bucket] = state.live
            undefined += state.undefined
            without_key += state.without_key
            repaired += state.repaired
        self.derived += derived
        self.late += late
        self.rejected += rejected
        self.undefined += undefined
        self.without_key += without_key
        self.repaired += repaired
        self.late_ends += late_ends
        self._batches[batch] = _BatchCounts(derived, late, rejected, undefined, without_key, self.live, repaired)

    def report(self, batch: int, events: int, watermark: int | None, seconds: float) -> BatchReport | None:
        """Returns the report on a batch whose results are known; None if it has been made already."""
        known = self._batches.pop(batch, None)
        if known is None:
            return None
        self.events += events
        return BatchReport(batch, events, *known[:6], watermark, seconds, known.repaired)


@dataclass
class Stall(Generic[S]):
    """Detects that time stands still, and which source holds it back."""

    sources: Sequence[S]
    latest: dict[S, int] = field(default_factory=dict)
    watermark: int | None = None
    clock: Callable[[], float] = time.monotonic
    _batches: int = 0
    _told: bool = False
    #: Since when no batch has been running.
    _idle: float | None = None

    def __post_init__(self) -> None:
        self._moved = self._taken = self.clock()

    def take(self, watermark: int | None, latest: Mapping[S, int]) -> None:
        """Takes what is known of a batch that is done."""
        before = self._slowest()
        self._taken = self.clock()
        for source, end in latest.items():
            self.latest[source] = max(end, self.latest.get(source, end))
        if watermark != self.watermark or self._slowest() != before:  # the watermark follows in the next batch
            self.watermark, self._moved, self._batches, self._told = watermark, self._taken, 0, False
        elif not self._batches:
            self._moved = self._taken
        self._batches += 1

    def held_back_by(self, *, busy: bool, after: float | None = None) -> S | None:
        """Returns the source that time waits for, once for each time it stands still.

        How long a batch is `busy` does not count: what it has read is not known before it is done.
        """
        now = self.clock()
        self._idle = None if busy else now if self._idle is None else self._idle
        stood = self._taken - self._moved
        if self._idle is not None:
            stood = max(stood, now - max(self._moved, self._idle))
        if self._told or (busy and not self._batches) or stood < (STALLED_AFTER if after is None else after):
            return None
        self._told = True
        return min(self.sources, key=self._latest)

    def _latest(self, source: S) -> int:
        return self.latest.get(source, -(2**63))

    def _slowest(self) -> int:
        return min(map(self._latest, self.sources))


def microseconds(timestamp: str | None) -> int | None:
    """Returns the time of a watermark in Spark's progress; None for 1970, which means that there is none."""
    from cera.model.time.time_text import TimeFormat

    parsed = None if timestamp is None else TimeFormat().parse(timestamp)
    return parsed or None


def observed(progress: Mapping[str, Any], sources: Sequence[S]) -> tuple[int, dict[S, int]]:
    """Returns how many events a batch had, and the latest end of each source that had some."""
    events = 0
    latest: dict[S, int] = {}
    metrics = progress.get("observedMetrics") or {}
    for number, source in enumerate(sources):
        row = metrics.get(f"source {number}")
        if row is not None and row["events"]:
            events += row["events"]
            latest[source] = row["latest"]
    return events, latest
