"""Events that run ahead of the clock, and streams whose events are nearly all late.

Time advances with the latest event, so one event with a wrong year makes all events after it late.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cera.connectors.records.acceptance import EventLike
from cera.connectors.records.layout import Rejected, rejected
from cera.model.events.event import Event
from cera.model.events.occurrence import Occurrence
from cera.model.time.durations import Duration, format_duration
from cera.model.time.interval import Time
from cera.model.time.time_text import TimeFormat
from cera.wording import Setting

#: How far ahead of the clock an event of a live source may end, unless given.
ONE_DAY = 86_400_000_000

_PERCENT_LATE = 90


def not_ahead(records: Iterable[EventLike | Rejected], max_ahead: int | None) -> Iterator[EventLike | Rejected]:
    """Yields the records, with a rejection in place of each event that ends too far ahead of the clock."""
    if max_ahead is None:
        yield from records
        return
    latest = _now() + max_ahead
    for record in records:
        if isinstance(record, Rejected) or record.end <= latest or record.end <= (latest := _now() + max_ahead):
            yield record
        else:
            event = _event(record)
            yield rejected(f"event {event.id}", _reason(event, max_ahead), str(event))


def _event(happened: Event | Occurrence) -> Event:
    return happened if isinstance(happened, Event) else happened.event


def _reason(event: Event, max_ahead: int) -> str:
    longest, times = format_duration(Duration(0, max_ahead)), TimeFormat()
    return (
        f"the event ends at {times.format(event.end)}, more than {longest} ahead of the clock; "
        f"{Setting.MAX_AHEAD} says how far ahead an event may be, or none"
    )


def _now() -> Time:
    return time.time_ns() // 1000


@dataclass
class Lateness:
    """A counter of events that reports once when nearly all of `least` in a row are late."""

    least: int
    events: int = 0
    late: int = 0
    _reported: bool = False

    def take(self, events: int, late: int) -> bool:
        """Counts some events, `late` of them late; returns whether it is to be reported now that nearly all are."""
        if late * 100 < events * _PERCENT_LATE or self._reported:
            self.events = self.late = 0
            return False
        self.events += events
        self.late += late
        self._reported = self.late >= self.least
        return self._reported
