"""The protocol of a processor, which runs a module, and several processors as one.

A processor is compiled and read-only. All that changes between two calls is in its state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeVar

from cera.model.events.event import DerivedEvent
from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import Time


class Detection(Protocol):
    """An event that a processor derived. Its term, its id and its derivations are made when they are asked for."""

    @property
    def begin(self) -> Time: ...
    @property
    def end(self) -> Time: ...
    @property
    def label(self) -> str: ...
    @property
    def leaves(self) -> bool:
        """Whether it is sent away, so that no other rule sees it."""

    @property
    def early(self) -> Time | None:
        """The time at which it was certain, if that was before its end. Others see it at its end."""

    @property
    def occurrence(self) -> Occurrence:
        """The event as other processors take it."""

    def result(self) -> DerivedEvent: ...


class Counts(NamedTuple):
    """The counts of a processor: tuples in its state, events that belong to none of its histories, and expressions that
    had no value, since the processor was made.
    """

    in_state: int = 0
    left_out: int = 0
    undefined: int = 0


class ProcessorState(Protocol):
    """The memory of a processor. Once it is `closing`, the stream is complete and only timers go on."""

    @property
    def closing(self) -> bool: ...


S = TypeVar("S", bound=ProcessorState)


class Processor(Protocol[S]):
    """A compiled module, or a whole program."""

    @property
    def identity(self) -> object:
        """The key of the program that a saved state belongs to."""

    def start(self) -> S:
        """Returns the state before the first event."""

    def advance(self, state: S, events: Sequence[Occurrence], before: Time | None) -> Sequence[Detection]:
        """Takes all steps before a time, or all that there are, and returns what they derive in the order of time.

        The events end before that time, are sorted by their ends, and none ends before an earlier call's time. Raises
        TickLimitError if a timer ticks too often between two of them.
        """

    def next_wakeup(self, state: S) -> Time | None:
        """Returns the next time at which a timer makes something happen."""

    def close(self, state: S) -> None:
        """Ends the stream: it is complete, and only timers that have begun go on."""

    def counts(self, state: S) -> Counts: ...

    def is_open(self, state: S, opening: Occurrence) -> bool:
        """Returns whether the state of the world that an opening began still holds; True if that is not looked at."""

    def trim(self, state: S) -> bool:
        """Drops what no later event can use. Returns whether the state is then like a new one."""

    def pack(self, state: S) -> Any:
        """Returns the state as plain data, for `state_bytes`."""

    def unpack(self, data: Any) -> S:
        """Returns the state of data that `pack` returned."""


AnyProcessor = Processor[Any]


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

    def is_open(self, state: GroupState, opening: Occurrence) -> bool:
        return all(processor.is_open(own, opening) for processor, own in self.pairs(state))

    def trim(self, state: GroupState) -> bool:
        trimmed = [processor.trim(own) for processor, own in self.pairs(state)]
        return all(trimmed)

    def pack(self, state: GroupState) -> Any:
        return state.closing, [processor.pack(own) for processor, own in self.pairs(state)]

    def unpack(self, data: Any) -> GroupState:
        closing, packed = data
        pairs = zip(self._processors, packed, strict=True)
        return GroupState([processor.unpack(own) for processor, own in pairs], closing=closing)
