"""The local host: drives a processor in time order.

Events are sorted within `max_delay`: a step is taken when no event that is not late can belong to it any more. An
event that comes later than that is late; it is handed to `late` and changes nothing. Before each step, and when the
stream ends, the timers that are due get steps of their own.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from cera.engines.local.occurrence import Occurrence
from cera.engines.local.processor import Processor, distinct
from cera.engines.local.state_bytes import dump, restore
from cera.model.calendars.tick_limits import TICK_LIMIT
from cera.model.events.event import DerivedEvent
from cera.model.time.interval import Time


class Found(Protocol):
    """A derived event, whatever derived it; `leaves` if it is sent away, so that no other rule sees it."""

    @property
    def begin(self) -> Time: ...
    @property
    def end(self) -> Time: ...
    @property
    def label(self) -> str: ...
    @property
    def leaves(self) -> bool: ...
    @property
    def occurrence(self) -> Occurrence: ...
    def result(self) -> DerivedEvent: ...


class Driven(Protocol):
    """What a host drives: a compiled program that takes the events of one time. `undefined` counts its results."""

    undefined: int

    @property
    def identity(self) -> object:
        """What a saved state belongs to."""

    @property
    def wakes(self) -> bool:
        """Whether something can happen at a time without an event."""

    def start(self) -> Any: ...
    def step(self, state: Any, now: Time, events: list[Occurrence]) -> Sequence[Found]: ...
    def next_wakeup(self, state: Any) -> Time | None: ...
    def check_ticks(self, state: Any, last: Time, limit: int) -> None:
        """Raises TickLimitError if a timer ticks more often than the limit until a time, without an event."""

    def close(self, state: Any) -> None: ...
    def left_out(self, state: Any) -> int: ...
    def packed(self, state: Any) -> Any: ...
    def unpacked(self, data: Any) -> Any: ...


@dataclass
class Host:
    """One run of a processor. With `max_delay` None everything is sorted, and nothing happens before `close`.

    `late` takes the events that come too late, `repeated` those that equal another one. Between two events a timer may
    tick `tick_limit` times.
    """

    processor: Driven
    max_delay: int | None = 0
    late: Callable[[Occurrence], object] = lambda occurrence: None
    repeated: Callable[[Occurrence], object] | None = None
    tick_limit: int = TICK_LIMIT
    state: Any = field(init=False)

    def __post_init__(self) -> None:
        self.state = self.processor.start()
        self._buffer: list[tuple[Time, int, Occurrence]] = []
        self._arrived = 0
        self._latest: Time | None = None
        self._closed_to: Time | None = None
        #: The processor of rules, if nothing happens but events and the ends of timers, in the order of time.
        self._simple: Processor | None = None
        if self.max_delay == 0 and isinstance(self.processor, Processor) and not self.processor.network.timers:
            self._simple = self.processor
        #: Whether an event makes its step when the next one comes, if nothing waits in between.
        self._one_by_one = self._simple is not None or (self.max_delay == 0 and not self.processor.wakes)

    @property
    def closed_to(self) -> Time | None:
        """The time up to which everything is derived."""
        return self._closed_to

    @property
    def arrived(self) -> int:
        """The number of events that were not late."""
        return self._arrived

    def snapshot(self) -> bytes:
        """All that the run remembers, as bytes, between two events."""
        return dump((self.processor.packed(self.state), self._buffer, self._arrived, self._latest, self._closed_to))

    def resume(self, snapshot: bytes) -> None:
        """Goes on where a snapshot of the same program was taken."""
        packed, buffer, arrived, latest, closed_to = restore(snapshot)
        state = self.processor.unpacked(packed)  # before anything changes: it fails for what is not its state
        self._buffer, self._arrived, self._latest, self._closed_to = buffer, arrived, latest, closed_to
        self.state = state

    def push(self, occurrence: Occurrence) -> Sequence[Found]:
        """Takes an event; returns what is derived in the steps that are now complete."""
        end = occurrence.end
        buffer, simple = self._buffer, self._simple
        if (
            self._one_by_one
            and len(buffer) == 1
            and end > buffer[0][0]
            and not (simple is not None and (waiting := self.state.waiting) and waiting[0][0] < end)
        ):
            now, _, alone = buffer[0]  # nothing happens between it and the new one
            self._arrived += 1
            buffer[0] = (end, self._arrived, occurrence)
            self._latest = end
            self._closed_to = end - 1
            if simple is not None:
                return simple.step_alone(self.state, now, alone)
            return self.processor.step(self.state, now, [alone])
        if self._closed_to is not None and end <= self._closed_to:
            self.late(occurrence)
            return []
        self._arrived += 1
        heapq.heappush(self._buffer, (end, self._arrived, occurrence))
        if self._latest is not None and end <= self._latest:
            return []
        self._latest = end
        return [] if self.max_delay is None else self.advance_to(end - self.max_delay - 1)

    def advance_to(self, time: Time) -> Sequence[Found]:
        """Time has come to a point: all that ends until then is known."""
        derived: list[Found] = []
        if self._closed_to is not None and time <= self._closed_to:
            return derived
        buffer, processor, state = self._buffer, self.processor, self.state
        counted = False
        while True:
            now = buffer[0][0] if buffer else None
            wakeup = processor.next_wakeup(state)
            if wakeup is not None and (now is None or wakeup < now):
                if not counted and wakeup <= time:
                    processor.check_ticks(state, time if now is None else min(now, time), self.tick_limit)
                    counted = True
                now = wakeup
            if now is None or now > time:
                break
            events: list[Occurrence] = []
            while buffer and buffer[0][0] == now:
                events.append(heapq.heappop(buffer)[2])
                counted = False
            if self.repeated is not None and len(events) > 1:
                events = self._once(events, self.repeated)
            derived += processor.step(state, now, events)
        self._closed_to = time
        return derived

    def _once(self, events: list[Occurrence], repeated: Callable[[Occurrence], object]) -> list[Occurrence]:
        found = distinct(events)
        if len(found) < len(events):
            kept = set(map(id, found))
            for event in events:
                if id(event) not in kept:
                    repeated(event)
        return found

    def close(self) -> Sequence[Found]:
        """The stream is complete: the rest of it, then the timers that still run."""
        derived = [] if self._latest is None else list(self.advance_to(self._latest))
        self.processor.close(self.state)
        while (wakeup := self.processor.next_wakeup(self.state)) is not None:
            derived += self.processor.step(self.state, wakeup, [])
        return derived
