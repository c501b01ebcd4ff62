"""What a stream is doing, as it is told once a trigger."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cera.engines.spark.streaming.messages import Result

#: After so many seconds without a new watermark it is said that it stands.
STALLED_AFTER = 30.0


@dataclass(frozen=True)
class BatchReport:
    """One micro-batch. `watermark` is microseconds, None before the first."""

    batch: int
    events: int
    derived: int
    late: int
    rejected: int
    live: int
    watermark: int | None
    seconds: float


@dataclass
class Counters:
    """Sums over the micro-batches of a run, and what is remembered in each bucket as far as it is known."""

    derived: int = 0
    late: int = 0
    rejected: int = 0
    undefined: int = 0
    events: int = 0
    _live: dict[tuple[str, int], int] = field(default_factory=dict)
    _batches: dict[int, tuple[int, int, int, int]] = field(default_factory=dict)

    @property
    def live(self) -> int:
        return sum(self._live.values())

    def take(self, batch: int, derived: int, late: int, rejected: int, states: Sequence[Result]) -> None:
        for _, operator, bucket, live, undefined in states:
            self._live[operator, bucket] = live
            self.undefined += undefined
        self.derived += derived
        self.late += late
        self.rejected += rejected
        self._batches[batch] = (derived, late, rejected, self.live)

    def report(self, batch: int, events: int, watermark: int | None, seconds: float) -> BatchReport | None:
        """The report on a batch whose results are known; None if it has been made."""
        known = self._batches.pop(batch, None)
        if known is None:
            return None
        self.events += events
        return BatchReport(batch, events, *known, watermark, seconds)


@dataclass
class Stall:
    """Whether time stands still, and which source holds it back."""

    sources: Sequence[str]
    latest: dict[str, int] = field(default_factory=dict)
    watermark: int | None = None
    _moved: float = field(default_factory=time.monotonic)
    _told: bool = False

    def take(self, watermark: int | None, latest: Mapping[str, int]) -> None:
        for source, end in latest.items():
            self.latest[source] = max(end, self.latest.get(source, end))
        if watermark != self.watermark:
            self.watermark, self._moved, self._told = watermark, time.monotonic(), False

    def held_back_by(self, after: float = STALLED_AFTER) -> str | None:
        """The source that time waits for, once for each time it stands still."""
        if self._told or time.monotonic() - self._moved < after:
            return None
        self._told = True
        return min(self.sources, key=lambda source: self.latest.get(source, -(2**63)))


def microseconds(timestamp: str | None) -> int | None:
    """The time of a watermark as Spark's progress tells it; none is 1970."""
    from cera.model.time_text import TimeFormat

    parsed = None if timestamp is None else TimeFormat().parse(timestamp)
    return parsed or None


def observed(progress: Mapping[str, Any], sources: Sequence[str]) -> tuple[int, dict[str, int]]:
    """How many events a batch had, and the latest end of each source that had some."""
    events = 0
    latest: dict[str, int] = {}
    metrics = progress.get("observedMetrics") or {}
    for number, source in enumerate(sources):
        row = metrics.get(f"source {number}")
        if row is not None and row["events"]:
            events += row["events"]
            latest[source] = row["latest"]
    return events, latest
