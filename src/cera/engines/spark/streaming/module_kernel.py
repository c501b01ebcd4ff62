"""A module as a kernel drives it: steps in the order of time, and a state that is small between two micro-batches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cera.datalog.modules import EventModule
from cera.engines.local.processor import distinct
from cera.engines.stagewise.detections import Detection
from cera.engines.stagewise.processor import ModuleProcessor, ModuleState
from cera.model.evaluation import Evaluator
from cera.model.interval import Time
from cera.model.occurrence import Occurrence


class ModuleDriver:
    """The processor of a module with the methods of a processor of rules that a kernel calls."""

    def __init__(self, module: EventModule, *, timezone: str = "UTC") -> None:
        self._processor = ModuleProcessor(module, timezone=timezone)

    @property
    def evaluator(self) -> Evaluator:
        return self._processor.evaluator

    def start(self) -> ModuleState:
        return self._processor.start()

    def advance(self, state: ModuleState, events: list[Occurrence], before: Time) -> tuple[list[Detection], int]:
        """All steps before a time, with events in the order of their ends; what is detected, and how many events that
        took."""
        found: list[Detection] = []
        at, count = 0, len(events)
        while at < count and (now := events[at].end) < before:
            first = at
            while at < count and events[at].end == now:
                at += 1
            together = events[first:at]
            found += self._processor.step(state, now, distinct(together) if len(together) > 1 else together)
        return found, at

    def next_wakeup(self, state: ModuleState) -> Time | None:
        return self._processor.next_wakeup(state)

    def packed(self, state: ModuleState) -> Mapping[str, Any]:
        """The state as plain data, without the histories that have come to rest."""
        self._processor.forget_idle(state)
        return self._processor.packed(state)

    def unpacked(self, data: Mapping[str, Any]) -> ModuleState:
        return self._processor.unpacked(data)
