"""A module as a kernel drives it: steps in the order of time, and a state that is small between two micro-batches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cera.engines.layers.modules import Detected, Module, processor_of
from cera.engines.local.processor import distinct
from cera.model.calendars.tick_limits import TICK_LIMIT
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import Time


class ModuleDriver:
    """The processor of a module with the methods of a processor of rules that a kernel calls."""

    def __init__(self, module: Module, *, timezone: str = "UTC") -> None:
        self._processor: Any = processor_of(module, timezone=timezone)

    @property
    def evaluator(self) -> Evaluator:
        evaluator: Evaluator = self._processor.evaluator
        return evaluator

    def start(self) -> Any:
        return self._processor.start()

    def advance(
        self, state: Any, events: list[Occurrence], before: Time, tick_limit: int = TICK_LIMIT
    ) -> tuple[list[Detected], int]:
        """All steps before a time, with events in the order of their ends; what is detected, and how many events that
        took."""
        found: list[Detected] = []
        at, count = 0, len(events)
        counted = False
        while (now := self._next(state, events[at].end if at < count else None)) is not None and now < before:
            if not counted and self._processor.ticks:
                self._processor.check_ticks(state, events[at].end if at < count else before - 1, tick_limit)
            first = at
            while at < count and events[at].end == now:
                at += 1
            counted = at == first
            together = events[first:at]
            found += self._processor.step(state, now, distinct(together) if len(together) > 1 else together)
        return found, at

    def _next(self, state: Any, event: Time | None) -> Time | None:
        """When something happens next: an event, or the tick of a timer."""
        if not self._processor.ticks:
            return event
        return min((time for time in (event, self.next_wakeup(state)) if time is not None), default=None)

    def next_wakeup(self, state: Any) -> Time | None:
        wakeup: Time | None = self._processor.next_wakeup(state)
        return wakeup

    def packed(self, state: Any) -> Mapping[str, Any]:
        """The state as plain data, without the histories that have come to rest."""
        self._processor.forget_idle(state)
        packed: Mapping[str, Any] = self._processor.packed(state)
        return packed

    def unpacked(self, data: Mapping[str, Any]) -> Any:
        return self._processor.unpacked(data)
