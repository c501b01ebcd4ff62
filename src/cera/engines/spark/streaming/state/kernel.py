"""One part of an operator: takes events, and steps in the order of time up to the watermark.

Events at and after the watermark wait; those before it are late, because their time has been decided. The state is
bytes between two calls. Nothing here knows Spark.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from cera.engines.local.state_bytes import dump, restore
from cera.engines.spark.streaming.messages.messages import LatePolicy, event_count, first_end, unpack_events
from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import Time
from cera.modules.driving import is_open_among, is_repaired, late_ending
from cera.modules.processor import AnyProcessor, Counts, Detection

_BY_END = attrgetter("end")


@dataclass
class Part:
    """The state of one bucket: that of the processor, the events that wait, and the timer that is set.

    Payloads of which the watermark has not passed any event wait unread.
    """

    state: Any
    waiting: list[Occurrence] = field(default_factory=list)
    payloads: list[bytes] = field(default_factory=list)
    timer: int | None = None


@dataclass(frozen=True)
class Outcome:
    """The result of a call: derived events, late events, when the part is to be woken next, and how many ends of states
    came too late and were moved on."""

    derived: Sequence[Detection]
    late: Sequence[Occurrence]
    wake_at: Time | None
    repaired: int = 0


class Kernel:
    """A processor over parts."""

    def __init__(self, processor: AnyProcessor) -> None:
        self.processor = processor

    def counts(self, part: Part) -> Counts:
        """Returns the counts of the processor; events that wait are counted as state too."""
        counted = self.processor.counts(part.state)
        waiting = len(part.waiting) + sum(map(event_count, part.payloads))
        return counted._replace(in_state=counted.in_state + waiting)

    def load(self, data: bytes | None) -> Part:
        if data is None:
            return Part(self.processor.start())
        packed, *others = restore(data)
        return Part(self.processor.unpack(packed), *others)

    def save(self, part: Part) -> bytes | None:
        """Returns the part as bytes; None if it is empty."""
        if self.processor.trim(part.state) and not part.waiting and not part.payloads:
            return None
        return dump((self.processor.pack(part.state), part.waiting, part.payloads, part.timer))

    def advance(self, part: Part, payloads: Iterable[bytes], watermark: Time) -> Outcome:
        """Takes the events of payloads, and decides all times before the watermark."""
        late: list[Occurrence] = []
        repaired = 0
        take, report = LatePolicy.TAKE, LatePolicy.REPORT
        waiting = part.waiting
        before = len(waiting)
        passed = [payload for payload in part.payloads if first_end(payload) < watermark]
        if passed:
            part.payloads = [payload for payload in part.payloads if first_end(payload) >= watermark]
            for payload in passed:
                waiting += unpack_events(payload)[0]
        for payload in payloads:
            if first_end(payload) >= watermark:
                part.payloads.append(payload)
                continue
            for event, policy in zip(*unpack_events(payload), strict=True):
                if policy is take or event.end >= watermark:
                    waiting.append(event)
                elif (closing := late_ending(event, watermark - 1)) is not None and is_open_among(
                    event, waiting, self.processor, part.state
                ):
                    waiting.append(closing)
                    repaired += policy is report and is_repaired(event, closing)
                elif policy is report:
                    late.append(event)
        if len(waiting) > before:
            waiting.sort(key=_BY_END)
        taken = bisect_left(waiting, watermark, key=_BY_END)
        found = self.processor.advance(part.state, waiting[:taken], watermark)
        del waiting[:taken]
        times = [first_end(payload) for payload in part.payloads]
        times += [event.end for event in waiting[:1]]
        wakeup = self.processor.next_wakeup(part.state)
        if wakeup is not None:
            times.append(wakeup)
        return Outcome(found, late, min(times, default=None), repaired)
