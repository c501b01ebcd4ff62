"""Layers as one processor: at each time the lowest layer takes its step first, and what it derives goes to the next."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from cera.engines.layers.layering import Layer, Layers
from cera.engines.layers.merging import together
from cera.engines.layers.modules import Processed, Processing, identity_of, processor_of
from cera.engines.local.engine import plan_of
from cera.engines.local.host import Found
from cera.engines.local.processor import Processor, distinct
from cera.engines.local.state import State
from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import Time


class LayersState:
    """The states of the parts, in the order of the layers."""

    def __init__(self, parts: list[State | Processed]) -> None:
        self.parts = parts
        self.closing = False

    @property
    def live(self) -> int:
        """How many tuples and facts are remembered."""
        return sum(part.live for part in self.parts)

    @property
    def left_out(self) -> int:
        """How many events lacked the attribute that their module is partitioned by."""
        return sum(part.left_out for part in self.parts if isinstance(part, Processed))


Part = Processor | Processing


class LayersProcessor:
    """Compiled and read-only but for counts of undefined results; what it remembers is in its state."""

    def __init__(self, layers: Layers, *, max_duration: int | None = None, timezone: str = "UTC") -> None:
        self.layers = layers
        self.timezone = timezone

        def parts(layer: Layer, longest: int | None) -> list[Part]:
            made: list[Part] = [processor_of(module, timezone=timezone) for module in layer.modules]
            if layer.rules is not None:
                made.append(Processor(plan_of(layer.rules), max_duration=longest, timezone=timezone))
            return made

        # nobody promises anything of how long a detected event lasts
        lengths = (max_duration, *(None for _ in layers.layers[1:]))
        self._layers = [parts(layer, longest) for layer, longest in zip(layers.layers, lengths, strict=False)]
        self._parts = [part for layer in self._layers for part in layer]
        #: The places of the parts that may have timers: this is asked before every step.
        self._waking = [place for place, part in enumerate(self._parts) if isinstance(part, Processor) or part.ticks]

    @cached_property
    def identity(self) -> object:
        """What a saved state belongs to."""
        return [part.plan if isinstance(part, Processor) else identity_of(part.module) for part in self._parts]

    @property
    def wakes(self) -> bool:
        return bool(self._waking)

    @property
    def undefined(self) -> int:
        return sum(part.evaluator.undefined for part in self._parts)

    @undefined.setter
    def undefined(self, count: int) -> None:
        for part in self._parts:
            part.evaluator.undefined = 0
        if self._parts:
            self._parts[0].evaluator.undefined = count

    def start(self) -> LayersState:
        return LayersState([part.start() for part in self._parts])

    def step(self, state: LayersState, now: Time, events: list[Occurrence]) -> Sequence[Found]:
        """All that ends now, from the lowest layer to the highest."""
        if len(self._parts) == 1:
            alone = self._step(self._parts[0], state.parts[0], now, events)
            return alone if len(alone) < 2 else together(alone)
        found: list[Found] = []
        waiting = iter(state.parts)
        for layer in self._layers:
            derived = [one for part in layer for one in self._step(part, next(waiting), now, events)]
            found += derived
            events = events + [one.occurrence for one in derived if not one.leaves]
        return found if len(found) < 2 else together(found)

    def _step(self, part: Part, state: Any, now: Time, events: list[Occurrence]) -> Sequence[Found]:
        if not events and part.next_wakeup(state) != now:
            return ()
        if isinstance(part, Processing):
            return part.step(state, now, distinct(events) if len(events) > 1 else events)
        return part.step(state, now, [_own(event) for event in events])

    def next_wakeup(self, state: LayersState) -> Time | None:
        """The next time at which a timer of some layer makes something happen."""
        if not self._waking:
            return None
        pairs: list[tuple[Any, Any]] = [(self._parts[place], state.parts[place]) for place in self._waking]
        return min((time for part, own in pairs if (time := part.next_wakeup(own)) is not None), default=None)

    def check_ticks(self, state: LayersState, last: Time, limit: int) -> None:
        """Raises TickLimitError if a timer ticks more often than the limit until a time, without an event."""
        for place in self._waking:
            part: Any = self._parts[place]
            part.check_ticks(state.parts[place], last, limit)

    def close(self, state: LayersState) -> None:
        state.closing = True
        pairs: list[tuple[Any, Any]] = list(zip(self._parts, state.parts, strict=True))
        for part, own in pairs:
            part.close(own)

    def left_out(self, state: LayersState) -> int:
        return state.left_out

    def packed(self, state: LayersState) -> Any:
        """The state as what can be pickled."""
        pairs: list[tuple[Any, Any]] = list(zip(self._parts, state.parts, strict=True))
        return state.closing, [part.packed(own) for part, own in pairs]

    def unpacked(self, data: Any) -> LayersState:
        closing, packed = data
        pairs: list[tuple[Any, Any]] = list(zip(self._parts, packed, strict=True))
        state = LayersState([part.unpacked(own) for part, own in pairs])
        state.closing = closing
        return state


def _own(event: Occurrence) -> Occurrence:
    """A copy: each processor of rules numbers its events itself."""
    made_later = event.content is not None or event.nested is not None or event.draft is not None
    body = (event.content, None if made_later else event.term, event.draft)
    return Occurrence(event.begin, event.end, event.label, *body, event.qualifier, event.nested)
