"""One of the two types over a history: a step at a time, from a state that is kept and can be gone on from again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from cera.comparing.histories import Leaf, Observed, Seen, Tick
from cera.comparing.subjects import Subject
from cera.instances.detections import InstanceDetection
from cera.instances.events.processor import InstanceProcessor, InstanceState
from cera.instances.instance import Instance
from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import Time
from cera.modules.processor import Detection

#: A state as it is kept; nothing changes it.
Saved = Mapping[str, Any]


class Side:
    """One event type, whose states can be kept and gone on from again and again."""

    def __init__(self, subject: Subject) -> None:
        self.ticks = bool(subject.module.timers)
        self._processor = InstanceProcessor(subject.module)

    def start(self) -> Saved:
        return self._processor.pack(self._processor.start())

    def step(self, saved: Saved, time: Time, events: Sequence[Occurrence]) -> tuple[InstanceState, Observed]:
        """Returns the state after some events of one time, and what is detected until then."""
        processor = self._processor
        state = processor.unpack(saved)
        before = processor.advance(state, (), time) if self.ticks else ()
        now = processor.take(state, time, processor.by_history(state, events), len(events))
        return state, _observed([*before, *now])

    def saved(self, state: InstanceState) -> Saved:
        """Returns the state as it is kept; go on from that and not from the state."""
        return self._processor.pack(state)

    def end(self, saved: Saved) -> Observed:
        """Returns what is detected when no event comes any more: timers run out."""
        if not self.ticks:
            return ()
        state = self._processor.unpack(saved)
        self._processor.close(state)
        return _observed(self._processor.advance(state, (), None))


def _observed(detections: Iterable[Detection]) -> Observed:
    found = (one for one in detections if isinstance(one, InstanceDetection))
    return tuple(_seen(time, same) for time, same in groupby(found, key=attrgetter("end")))


def _seen(time: Time, detections: Iterable[InstanceDetection]) -> Seen:
    instances = (instance for detection in detections for _, instance in detection.found)
    return Seen(time, frozenset(Counter(frozenset(map(_leaf, one.leaves())) for one in instances).items()))


def _leaf(instance: Instance) -> Leaf:
    return Tick(instance.end) if instance.event is None else instance.event.number
