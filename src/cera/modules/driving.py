"""The one loop that takes a processor from time to time, and the driver that gives it events in the order of time.

    driver = Driver(processor, max_delay=5_000_000)
    for detection in driver.push(events): ...
    for detection in driver.close(): ...

A step has all that ends at one time: the events, each once, and the timers that are due. Before each step, and when the
stream ends, the timers that are due get steps of their own.
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic

from cera.model.calendars.tick_limits import TICK_LIMIT
from cera.model.events.occurrence import Identified, Occurrence, Opening
from cera.model.events.states import ENDING, OPENING, announced_end, is_opening
from cera.model.time.interval import Time
from cera.modules.processor import AnyProcessor, Counts, Detection, S


class SteppingProcessor(ABC, Generic[S]):
    """A processor that takes one time step after the other."""

    #: How often a timer may tick between two events.
    tick_limit: int = TICK_LIMIT

    @abstractmethod
    def step(self, state: S, now: Time, events: list[Occurrence]) -> Sequence[Detection]:
        """Takes all that ends now: different events, and the timers that are due. Time does not go backwards."""

    @abstractmethod
    def next_wakeup(self, state: S) -> Time | None:
        """Returns the next time at which a timer makes something happen."""

    def check_ticks(self, state: S, last: Time) -> None:
        """Raises TickLimitError if a timer ticks more often than the limit up to a time, without an event."""

    def is_open(self, state: S, opening: Occurrence) -> bool:
        """Returns True: only rules look at states."""
        return True

    def advance(self, state: S, events: Sequence[Occurrence], before: Time | None) -> Sequence[Detection]:
        """Takes all steps before a time, or all that there are: the loop of all processors that step."""
        step, next_wakeup = self.step, self.next_wakeup
        found: list[Detection] = []
        at, count = 0, len(events)
        while at < count:
            event = events[at]
            now = event.end
            wakeup = next_wakeup(state)
            if wakeup is not None and wakeup < now:
                found += self._timers(state, now, last=now)
                wakeup = next_wakeup(state)
            first = at
            at += 1
            if (wakeup is None or wakeup > now) and (at == count or events[at].end != now):
                found += step(state, now, [event])
                continue
            while at < count and events[at].end == now:
                at += 1
            found += step(state, now, distinct(events[first:at]) if at > first + 1 else [event])
        found += self._timers(state, before, last=None if before is None else before - 1)
        return found

    def _timers(self, state: S, before: Time | None, *, last: Time | None) -> list[Detection]:
        """Takes the steps of timers before a time, or all that there are; not too many up to the last time."""
        found: list[Detection] = []
        checked = False
        while (wakeup := self.next_wakeup(state)) is not None and (before is None or wakeup < before):
            if not checked and last is not None:
                self.check_ticks(state, last)
                checked = True
            found += self.step(state, wakeup, [])
        return found


def late_ending(occurrence: Occurrence, decided: Time) -> Occurrence | None:
    """Returns what a late record says of the end of a state, at the first time that is still open; None for others.

    The record has the begin of the state, which was long ago, so that it is late as an opening.
    """
    end = announced_end(occurrence.qualifier) if is_opening(occurrence.label) else None
    if end is None:
        return None
    label = ENDING + occurrence.label.removeprefix(OPENING)
    return Opening(occurrence, end).relabelled(label, max(end, decided + 1))


def is_repaired(record: Occurrence, closing: Occurrence) -> bool:
    """Returns whether a late record of a state's end was moved on to be in time."""
    return announced_end(record.qualifier) != closing.end


def is_open_among(opening: Occurrence, events: Sequence[Occurrence], processor: AnyProcessor, state: Any) -> bool:
    """Returns whether a state is open, or will be with events that are to be processed."""
    return any(is_opening(event.label) and event.id == opening.id for event in events) or processor.is_open(
        state, opening
    )


def distinct(occurrences: Sequence[Occurrence]) -> list[Occurrence]:
    """Returns the events of a step, each once: equal events are one (Events = DataTerms × TI)."""
    places = {(o.label, o.begin) for o in occurrences}
    if len(places) == len(occurrences) or _have_positions(occurrences):
        return list(occurrences)
    first: dict[Hashable, Occurrence] = {}
    for key, occurrence in zip(_keys(occurrences), occurrences, strict=True):
        first.setdefault(key, occurrence)
    return list(first.values())


def _keys(occurrences: Sequence[Occurrence]) -> Sequence[Hashable]:
    """Returns a key for each event, equal for equal events: ids where all are known, children where all are flat, else
    the events."""
    identified = [o for o in occurrences if isinstance(o, Identified)]
    if len(identified) == len(occurrences):
        return [(o.h1, o.h2) for o in identified]
    flat = [
        (o.label, o.begin, o.end, o.qualifier, frozenset(o.content.items()))
        for o in occurrences
        if o.content is not None
    ]
    if len(flat) == len(occurrences):
        return flat
    return [o.event for o in occurrences]


def _have_positions(occurrences: Sequence[Occurrence]) -> bool:
    """Returns whether all are like the changes of a database, each with a position of its own."""
    found = [o.nested.get("position") for o in occurrences if o.nested is not None]
    return len({position for position in found if isinstance(position, int)}) == len(occurrences)


@dataclass
class Driver:
    """One run of a processor. With `max_delay` None everything is sorted, and nothing happens before `close`.

    Events are sorted within `max_delay`: a step is taken when no event that is not late can belong to it any more. An
    event that comes later than that is handed to `late` and changes nothing. `repeated` takes the events that equal
    another one.
    """

    processor: AnyProcessor
    max_delay: int | None = 0
    late: Callable[[Occurrence], object] = lambda occurrence: None
    repeated: Callable[[Occurrence], object] | None = None
    state: Any = field(init=False)

    def __post_init__(self) -> None:
        self.state = self.processor.start()
        #: How many ends of open states came too late, and were moved on.
        self.repaired = 0
        #: A heap of the waiting events, with their ends and the numbers of their arrival.
        self._waiting: list[tuple[Time, int, Occurrence]] = []
        self._arrived = 0
        self._latest: Time | None = None
        self._closed_to: Time | None = None

    @property
    def closed_to(self) -> Time | None:
        """The time up to which everything is decided: events that end until then come too late."""
        return self._closed_to

    @property
    def counts(self) -> Counts:
        return self.processor.counts(self.state)

    @property
    def arrived(self) -> int:
        """The number of events that were not late."""
        return self._arrived

    def push(self, events: Iterable[Occurrence]) -> Sequence[Detection]:
        """Takes events in the order in which they come; returns what is derived in the steps that are then complete."""
        events = events if isinstance(events, list) else list(events)
        in_order = self._in_order(events) if self.max_delay == 0 else None
        if in_order is not None:
            assert self._closed_to is not None
            return self._decide(in_order, self._closed_to)
        waiting, delay, decided = self._waiting, self.max_delay, self._closed_to
        ready: list[Occurrence] = []
        moved = False
        for occurrence in events:
            end = occurrence.end
            if decided is not None and end <= decided:
                self._closed_to = decided
                closing = late_ending(occurrence, decided)
                if closing is None or not is_open_among(occurrence, ready, self.processor, self.state):
                    self.late(occurrence)
                    continue
                self.repaired += is_repaired(occurrence, closing)
                occurrence, end = closing, closing.end
            self._arrived += 1
            heapq.heappush(waiting, (end, self._arrived, occurrence))
            if self._latest is not None and end <= self._latest:
                continue
            self._latest = end
            if delay is not None and (decided is None or end - delay - 1 > decided):
                decided = end - delay - 1
                moved = True
                while waiting[0][0] <= decided:
                    ready.append(heapq.heappop(waiting)[2])
        if decided is None or not moved:
            return ()
        self._closed_to = decided
        return self._decide(ready, decided)

    def _in_order(self, events: list[Occurrence]) -> list[Occurrence] | None:
        """Takes events that come in the order of time without a delay, and returns those of the steps that are then
        complete; None if there are none, or others came or wait among them: each event has to be sorted in then.
        """
        ends = [event.end for event in events]
        if len(ends) < 2 or ends != sorted(ends):
            return None
        first, last = ends[0], ends[-1]
        late = self._closed_to is not None and first <= self._closed_to
        complete = bisect_left(ends, last)
        if late or not complete or (self._latest is not None and first < self._latest):
            return None
        ready = [event for _, _, event in sorted(self._waiting)] + events[:complete]
        arrived = self._arrived + complete
        self._waiting = [(last, arrived + n, event) for n, event in enumerate(events[complete:], start=1)]
        self._arrived += len(events)
        self._latest, self._closed_to = last, last - 1
        return ready

    def advance_to(self, time: Time) -> Sequence[Detection]:
        """Decides all that ends until a time: no more of it will come."""
        if self._closed_to is not None and time <= self._closed_to:
            return ()
        self._closed_to = time
        ready: list[Occurrence] = []
        while self._waiting and self._waiting[0][0] <= time:
            ready.append(heapq.heappop(self._waiting)[2])
        return self._decide(ready, time)

    def close(self) -> Sequence[Detection]:
        """Ends the stream: decides the rest, and lets the timers run out."""
        found = () if self._latest is None else self.advance_to(self._latest)
        self.processor.close(self.state)
        return [*found, *self.processor.advance(self.state, (), None)]

    def snapshot(self) -> tuple[Any, ...]:
        """Returns all that the run remembers between two calls, as plain data."""
        packed = self.processor.pack(self.state)
        return (packed, self._waiting, self._arrived, self._latest, self._closed_to)

    def resume(self, snapshot: tuple[Any, ...]) -> None:
        """Continues where a snapshot of the same program was taken."""
        packed, waiting, arrived, latest, closed_to = snapshot
        state = self.processor.unpack(packed)
        self.processor.counts(state)  # both fail for data that is not its state, before anything changes
        self._waiting, self._arrived, self._latest, self._closed_to = waiting, arrived, latest, closed_to
        self.state = state

    def _decide(self, events: list[Occurrence], time: Time) -> Sequence[Detection]:
        """Takes the steps up to a time, with the events that end until then."""
        if self.repeated is not None and len(events) > 1:
            events = self._once(events, self.repeated)
        return self.processor.advance(self.state, events, time + 1)

    def _once(self, events: list[Occurrence], repeated: Callable[[Occurrence], object]) -> list[Occurrence]:
        """Returns the events of several steps, each once."""
        found: list[Occurrence] = []
        at = 0
        while at < len(events):
            first = at
            while at < len(events) and events[at].end == events[first].end:
                at += 1
            together = events[first:at]
            different = distinct(together) if len(together) > 1 else together
            if len(different) < len(together):
                kept = set(map(id, different))
                for event in together:
                    if id(event) not in kept:
                        repeated(event)
            found += different
        return found
