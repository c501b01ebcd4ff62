"""Several processors as one: their states side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from cera.model.time.interval import Time
from cera.modules.processor import AnyProcessor, Counts


class GroupState:
    """The states of the processors, in their order."""

    def __init__(self, parts: list[Any], *, closing: bool = False) -> None:
        self.parts = parts
        self.closing = closing


class ProcessorGroup:
    """Several processors side by side, as one but for how it advances."""

    def __init__(self, processors: Sequence[AnyProcessor]) -> None:
        self._processors = tuple(processors)

    @cached_property
    def identity(self) -> object:
        return [processor.identity for processor in self._processors]

    def start(self) -> GroupState:
        return GroupState([processor.start() for processor in self._processors])

    def pairs(self, state: GroupState) -> Iterator[tuple[AnyProcessor, Any]]:
        """Yields each processor with its state."""
        return zip(self._processors, state.parts, strict=True)

    def next_wakeup(self, state: GroupState) -> Time | None:
        times = (processor.next_wakeup(own) for processor, own in self.pairs(state))
        return min((time for time in times if time is not None), default=None)

    def close(self, state: GroupState) -> None:
        state.closing = True
        for processor, own in self.pairs(state):
            processor.close(own)

    def counts(self, state: GroupState) -> Counts:
        counted = [processor.counts(own) for processor, own in self.pairs(state)]
        return Counts(*map(sum, zip(*counted, strict=True))) if counted else Counts()

    def trim(self, state: GroupState) -> bool:
        trimmed = [processor.trim(own) for processor, own in self.pairs(state)]
        return all(trimmed)

    def pack(self, state: GroupState) -> Any:
        return state.closing, [processor.pack(own) for processor, own in self.pairs(state)]

    def unpack(self, data: Any) -> GroupState:
        closing, packed = data
        pairs = zip(self._processors, packed, strict=True)
        return GroupState([processor.unpack(own) for processor, own in pairs], closing=closing)
