"""One part of an operator: takes events, and steps in the order of time up to the watermark.

Events at and after the watermark wait; those before it are late, because their time has been decided. The state is
bytes between two calls. Nothing here knows Spark.

A version of a relation that is announced counts from the watermark of that call on: what ends before it is decided in
this call, with the version before, and all else in later ones. So a part knows one version of each relation.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any

from cera.engines.local.state_bytes import dump, restore
from cera.engines.spark.streaming.messages.messages import (
    LatePolicy,
    event_count,
    first_end,
    is_versions,
    unpack_events,
    unpack_versions,
)
from cera.model.events.occurrence import Occurrence
from cera.model.events.relation_rows import NO_RELATIONS, NumberedRows, RelationRows
from cera.model.time.interval import Time
from cera.modules.driving import is_open_among, is_repaired, late_ending
from cera.modules.processor import AnyProcessor, Counts, Detection

_BY_END = attrgetter("end")


@dataclass
class Part:
    """The state of one bucket: that of the processor, the events that wait, the timer that is set, and the numbers of
    the versions of relations that are read again.

    Payloads of which the watermark has not passed any event wait unread.
    """

    state: Any
    waiting: list[Occurrence] = field(default_factory=list)
    payloads: list[bytes] = field(default_factory=list)
    timer: int | None = None
    versions: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """The result of a call: derived events, late events, when the part is to be woken next, which relations have
    another version (the name, its number, and the time from which it counts), and how many ends of states came too late
    and were moved on."""

    derived: Sequence[Detection]
    late: Sequence[Occurrence]
    wake_at: Time | None
    replaced: Sequence[tuple[str, int, Time]] = ()
    repaired: int = 0


class Kernel:
    """A processor over parts."""

    def __init__(self, processor: AnyProcessor, relations: Mapping[str, RelationRows] = NO_RELATIONS) -> None:
        """`relations` are those that the processor looks up."""
        self.processor = processor
        self._refreshed = {name: rows for name, rows in relations.items() if isinstance(rows, NumberedRows)}

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
        if self.processor.trim(part.state) and not part.waiting and not part.payloads and not part.versions:
            return None
        versions = (part.versions,) if part.versions else ()
        return dump((self.processor.pack(part.state), part.waiting, part.payloads, part.timer, *versions))

    def advance(self, part: Part, payloads: Iterable[bytes], watermark: Time) -> Outcome:
        """Takes the events of payloads, and decides all times before the watermark."""
        if self._refreshed:
            payloads = list(payloads)
            announced = [payload for payload in payloads if is_versions(payload)]
            payloads = [payload for payload in payloads if not is_versions(payload)]
            self._look_up(part)
            outcome = self._advance(part, payloads, watermark)
            return replace(outcome, replaced=self._replace(part, announced, watermark))
        return self._advance(part, payloads, watermark)

    def _look_up(self, part: Part) -> None:
        """Lets the processor look into the versions that the part knows."""
        for name, rows in self._refreshed.items():
            rows.use(part.versions.setdefault(name, rows.first))

    def _replace(self, part: Part, announced: Iterable[bytes], watermark: Time) -> list[tuple[str, int, Time]]:
        """Lets the versions that are announced count for all that is not decided; returns those that are others."""
        before = dict(part.versions)
        for payload in announced:
            for name, number in unpack_versions(payload).items():
                part.versions[name] = max(number, part.versions[name])
        changed = {name: number for name, number in part.versions.items() if number != before[name]}
        return [(name, number, watermark) for name, number in changed.items()]

    def _advance(self, part: Part, payloads: Iterable[bytes], watermark: Time) -> Outcome:
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
        return Outcome(found, late, min(times, default=None), repaired=repaired)
