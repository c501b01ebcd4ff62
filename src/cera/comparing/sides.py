"""One of the two types over a history: a step at a time, from a state that is kept and can be gone on from again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cera.comparing.histories import Leaf, Observed, Seen, Tick
from cera.comparing.subjects import Subject
from cera.instances.detections import Detection
from cera.instances.events.processor import InstanceProcessor, InstanceState
from cera.instances.instance import Instance
from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import Time

#: A state as it is kept; nothing changes it.
Saved = Mapping[str, Any]


class Side:
    def __init__(self, subject: Subject) -> None:
        self.ticks = subject.module.ticks
        self._processor = InstanceProcessor(subject.module)

    def start(self) -> Saved:
        return self._processor.packed(self._processor.start())

    def step(self, saved: Saved, time: Time, events: Sequence[Occurrence]) -> tuple[InstanceState, Observed]:
        """The state after some events of one time, and what is detected until then."""
        state = self._processor.unpacked(saved)
        seen = self._until(state, time)
        seen.append(_seen(time, self._processor.step(state, time, events)))
        return state, _told(seen)

    def saved(self, state: InstanceState) -> Saved:
        """It must not be gone on with afterwards, but from what is returned."""
        return self._processor.packed(state)

    def end(self, saved: Saved) -> Observed:
        """What is detected when no event comes any more: timers run out."""
        if not self.ticks:
            return ()
        state = self._processor.unpacked(saved)
        self._processor.close(state)
        return _told(self._until(state, None))

    def _until(self, state: InstanceState, time: Time | None) -> list[Seen]:
        """The ticks before a time; without one, all of them."""
        seen = []
        while self.ticks and (due := self._processor.next_wakeup(state)) is not None and (time is None or due < time):
            seen.append(_seen(due, self._processor.step(state, due, ())))
        return seen


def _told(seen: Iterable[Seen]) -> Observed:
    return tuple(each for each in seen if each.counts)


def _seen(time: Time, detections: Iterable[Detection]) -> Seen:
    instances = (instance for detection in detections for _, instance in detection.found)
    return Seen(time, frozenset(Counter(frozenset(map(_leaf, one.leaves())) for one in instances).items()))


def _leaf(instance: Instance) -> Leaf:
    return Tick(instance.end) if instance.event is None else instance.event.number
