"""A program as one processor: the lowest layer takes its steps first, and what it derives goes to the next one too.

What a layer derives at a time ends at that time, so that a layer can take many steps before the next one takes any.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter

from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import Time
from cera.modules.detection import together
from cera.modules.layering import Layers
from cera.modules.module import Settings
from cera.modules.processor import AnyProcessor, Detection, GroupState, ProcessorGroup

_BY_END = attrgetter("end")


def program_processor(layers: Layers, settings: Settings) -> AnyProcessor:
    """Returns the processor of a program. A module that is saved bare needs no layers."""
    match layers.modules:
        case (only,) if only.is_saved_bare:
            return only.processor(settings)
        case _:
            return LayeredProcessor(layers, settings)


class LayeredProcessor(ProcessorGroup):
    """The processors of the modules, in the order of the layers."""

    def __init__(self, layers: Layers, settings: Settings) -> None:
        above = replace(settings, max_duration=None)  # how long a derived event lasts is not known
        made = [
            [module.processor(settings if number == 0 else above) for module in layer.modules]
            for number, layer in enumerate(layers.layers)
        ]
        super().__init__([processor for layer in made for processor in layer])
        self._layers = made

    def advance(self, state: GroupState, events: Sequence[Occurrence], before: Time | None) -> Sequence[Detection]:
        if len(state.parts) == 1:
            return self._layers[0][0].advance(state.parts[0], events, before)
        found: list[Detection] = []
        states = iter(state.parts)
        for layer in self._layers:
            derived = [one for processor in layer for one in processor.advance(next(states), events, before)]
            if derived:
                found += derived
                seen = (one.occurrence for one in derived if not one.leaves and one.early is None)
                onward = sorted(seen, key=_BY_END)
                events = list(heapq.merge(events, onward, key=_BY_END))
        found.sort(key=_BY_END)
        return found if len(found) < 2 else together(found)
