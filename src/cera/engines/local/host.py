"""The local host: drives a processor in time order.

Events are sorted within `max_delay`: a step is taken when no event that is not late can belong to it any more. An
event that comes later than that is late; it is handed to `late` and changes nothing. Before each step, and when the
stream ends, the timers that are due get steps of their own.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from cera.engines.local.heads import Derived
from cera.engines.local.occurrence import Occurrence
from cera.engines.local.processor import Processor
from cera.engines.local.state import State, dump, restore
from cera.model.interval import Time


@dataclass
class Host:
    """One run of a processor. With `max_delay` None everything is sorted, and nothing happens before `close`."""

    processor: Processor
    max_delay: int | None = 0
    late: Callable[[Occurrence], object] = lambda occurrence: None
    state: State = field(init=False)

    def __post_init__(self) -> None:
        self.state = self.processor.start()
        self._buffer: list[tuple[Time, int, Occurrence]] = []
        self._arrived = 0
        self._latest: Time | None = None
        self._closed_to: Time | None = None

    def snapshot(self) -> bytes:
        """All that the run remembers, as bytes, between two events."""
        return dump((self.state, self._buffer, self._arrived, self._latest, self._closed_to))

    def resume(self, snapshot: bytes) -> None:
        """Goes on where a snapshot of the same program was taken."""
        self.state, self._buffer, self._arrived, self._latest, self._closed_to = restore(snapshot)

    def push(self, occurrence: Occurrence) -> Iterator[Derived]:
        """Takes an event; yields what is derived in the steps that are now complete."""
        end = occurrence.end
        if self._closed_to is not None and end <= self._closed_to:
            self.late(occurrence)
            return
        self._arrived += 1
        heapq.heappush(self._buffer, (end, self._arrived, occurrence))
        if self._latest is None or end > self._latest:
            self._latest = end
            if self.max_delay is not None:
                yield from self.advance_to(end - self.max_delay - 1)

    def advance_to(self, time: Time) -> Iterator[Derived]:
        """Time has come to a point: all that ends until then is known."""
        if self._closed_to is not None and time <= self._closed_to:
            return
        buffer, processor, state = self._buffer, self.processor, self.state
        while True:
            wakeup = processor.next_wakeup(state)
            next_end = buffer[0][0] if buffer else None
            times = [t for t in (wakeup, next_end) if t is not None and t <= time]
            if not times:
                break
            now = min(times)
            events: list[Occurrence] = []
            while buffer and buffer[0][0] == now:
                events.append(heapq.heappop(buffer)[2])
            yield from processor.step(state, now, events)
        self._closed_to = time

    def close(self) -> Iterator[Derived]:
        """The stream is complete: the rest of it, then the timers that still run."""
        if self._latest is not None:
            yield from self.advance_to(self._latest)
        self.processor.close(self.state)
        while (wakeup := self.processor.next_wakeup(self.state)) is not None:
            yield from self.processor.step(self.state, wakeup, [])
