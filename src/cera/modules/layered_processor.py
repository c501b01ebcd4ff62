"""A program as one processor: the lowest layer takes its steps first, and what it derives goes to the next one too.

What a layer derives at a time ends at that time, so that a layer can take many steps before the next one takes any.
What was certain before its end is kept until then for the layers above: they see an event when it ends.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from cera.model.events.occurrence import Occurrence
from cera.model.events.states import is_early_answer
from cera.model.time.interval import Time
from cera.modules.detection import together
from cera.modules.layering import Layers
from cera.modules.module import Settings
from cera.modules.processor import AnyProcessor, Counts, Detection, GroupState, ProcessorGroup

_BY_END = attrgetter("end")


class LayeredState(GroupState):
    """The states of the processors, and for each layer what it has derived that has not ended yet."""

    def __init__(self, parts: list[Any], *, closing: bool = False, unseen: dict[int, list[Occurrence]]) -> None:
        super().__init__(parts, closing=closing)
        self.unseen = unseen

    def ended(self, layer: int, before: Time | None) -> list[Occurrence]:
        """Takes what a layer has derived and ends before a time, in the order of the ends."""
        kept = self.unseen.pop(layer, None)
        if kept is None:
            return []
        later = [] if before is None else [one for one in kept if one.end >= before]
        if later:
            self.unseen[layer] = later
        return sorted(kept if before is None else [one for one in kept if one.end < before], key=_BY_END)


def program_processor(layers: Layers, settings: Settings) -> AnyProcessor:
    """Returns the processor of a program. A module that is saved bare needs no layers."""
    match layers.modules:
        case (only,) if only.is_saved_bare:
            return only.processor(settings)
        case _:
            return layered_processor(layers, settings)


def layered_processor(layers: Layers, settings: Settings) -> LayeredProcessor:
    above = replace(settings, max_duration=None)  # how long a derived event lasts is not known
    return LayeredProcessor(
        [
            [module.processor(settings if number == 0 else above) for module in layer.modules]
            for number, layer in enumerate(layers.layers)
        ]
    )


class LayeredProcessor(ProcessorGroup):
    """The processors of each layer, in the order of the layers."""

    def __init__(self, layers: Sequence[Sequence[AnyProcessor]]) -> None:
        super().__init__([processor for layer in layers for processor in layer])
        self._layers = layers

    def start(self) -> LayeredState:
        return LayeredState(super().start().parts, unseen={})

    def next_wakeup(self, state: GroupState) -> Time | None:
        assert isinstance(state, LayeredState)
        wakeup = super().next_wakeup(state)
        if not state.unseen:
            return wakeup
        first = min(one.end for kept in state.unseen.values() for one in kept)
        return first if wakeup is None else min(first, wakeup)

    def counts(self, state: GroupState) -> Counts:
        assert isinstance(state, LayeredState)
        counted = super().counts(state)
        return counted._replace(in_state=counted.in_state + sum(map(len, state.unseen.values())))

    def trim(self, state: GroupState) -> bool:
        assert isinstance(state, LayeredState)
        return super().trim(state) and not state.unseen

    def pack(self, state: GroupState) -> Any:
        assert isinstance(state, LayeredState)
        packed = super().pack(state)
        return (*packed, state.unseen) if state.unseen else packed

    def unpack(self, data: Any) -> LayeredState:
        closing, packed, *unseen = data
        group = super().unpack((closing, packed))
        return LayeredState(group.parts, closing=closing, unseen=unseen[0] if unseen else {})

    def advance(self, state: GroupState, events: Sequence[Occurrence], before: Time | None) -> Sequence[Detection]:
        if len(state.parts) == 1:
            return self._layers[0][0].advance(state.parts[0], events, before)
        assert isinstance(state, LayeredState)
        found: list[Detection] = []
        states = iter(state.parts)
        for number, layer in enumerate(self._layers):
            derived = [one for processor in layer for one in processor.advance(next(states), events, before)]
            found += derived
            certain = [one for one in derived if not one.leaves and not is_early_answer(one.label)]
            onward = [one.occurrence for one in certain if one.early is None]
            if number + 1 < len(self._layers):
                early = [one.occurrence.copy() for one in certain if one.early is not None]
                if early:
                    state.unseen.setdefault(number, []).extend(early)
                onward += state.ended(number, before)
            if onward:
                onward.sort(key=_BY_END)
                events = list(heapq.merge(events, onward, key=_BY_END))
        found.sort(key=_BY_END)
        return found if len(found) < 2 else together(found)
