"""The reference engine: every module by its definition, over a whole recording, layer by layer."""

from __future__ import annotations

from collections.abc import Iterable

from cera.model.events.event import DerivedEvent, Event
from cera.model.events.states import with_endings
from cera.model.time.interval import Interval
from cera.modules.answers.answer import Answer
from cera.modules.detection import merged
from cera.modules.layering import Layers
from cera.modules.module import Settings


def run(layers: Layers, events: Iterable[Event], settings: Settings) -> Answer:
    """Returns the answers of a program over a complete stream.

    Absolute timers tick from the first end of an event to the last, or to `until`, in every layer.
    """
    until = settings.until
    base = [event for event in with_endings(events) if until is None or event.end <= until]
    ends = [event.end for event in base]
    extent = Interval(min(ends), max(ends) if until is None else until) if ends else None
    known = dict.fromkeys(base)
    derived: list[DerivedEvent] = []
    undefined = left_out = 0
    for layer in layers.layers:
        seen = tuple(known)
        for module in layer.modules:
            answer = module.definition(settings).answer(seen, extent)
            derived += answer.derived
            undefined += answer.undefined
            left_out += answer.left_out
            known.update(dict.fromkeys(one.event for one in answer.derived if one.recipient is None))
    return Answer(tuple(merged(derived)), undefined, left_out)
