"""The processor of a module over histories: events find their history, and each history takes its stages.

A calculus defines a history, and what one time adds to it (`HistoryProcessor`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import Time
from cera.modules.arrivals import Arrival, Key, Recognizer
from cera.modules.detection import TermDetection
from cera.modules.driving import SteppingProcessor
from cera.modules.history_module import HistoryModule
from cera.modules.processor import Counts, GroupState, ProcessorGroup

H = TypeVar("H")


class HistoryState(Generic[H]):
    """A history for each value of the partition attribute, and how many events have been seen, and left out."""

    def __init__(self) -> None:
        self.histories: dict[Key, H] = {}
        self.seen = 0
        #: How many monitored events lacked the partition attribute.
        self.left_out = 0
        self.closing = False


HS = TypeVar("HS", bound=HistoryState[Any])


class HistoryProcessor(SteppingProcessor[HS], Generic[HS, H]):
    """A processor over histories, compiled and read-only but for the count of expressions without a value."""

    def __init__(self, module: HistoryModule, evaluator: Evaluator) -> None:
        self.module = module
        self.evaluator = evaluator
        self._recognizer = Recognizer(module)

    @property
    def identity(self) -> object:
        return self.module.identity

    @abstractmethod
    def start(self) -> HS: ...

    @abstractmethod
    def take(
        self, state: HS, now: Time, by_history: Mapping[Key, Sequence[Arrival]], events: int
    ) -> Sequence[TermDetection]:
        """Takes a step with the monitored part of so many events, and with the timers that are due."""

    @abstractmethod
    def live(self, history: H) -> int:
        """Returns the size of a history's state."""

    @abstractmethod
    def pack_history(self, history: H) -> Any: ...

    @abstractmethod
    def unpack_history(self, data: Any) -> H: ...

    @abstractmethod
    def forget(self, state: HS) -> None:
        """Drops the histories that equal new ones, and what has expired in others."""

    def step(self, state: HS, now: Time, events: list[Occurrence]) -> Sequence[TermDetection]:
        return self.take(state, now, self.by_history(state, events), len(events))

    def by_history(self, state: HS, events: Sequence[Occurrence]) -> dict[Key, list[Arrival]]:
        """Returns the events of a step that the module sees: the same for all modules that see and divide the same."""
        return self._recognizer.by_history(events, state.seen)

    def next_wakeup(self, state: HS) -> Time | None:
        return None

    def close(self, state: HS) -> None:
        state.closing = True

    def counts(self, state: HS) -> Counts:
        live = sum(map(self.live, state.histories.values()))
        return Counts(live, state.left_out, self.evaluator.undefined)

    def trim(self, state: HS) -> bool:
        self.forget(state)
        return not state.histories

    def pack(self, state: HS) -> dict[str, Any]:
        return {
            "histories": [(key, self.pack_history(history)) for key, history in state.histories.items()],
            "seen": state.seen,
            "left_out": state.left_out,
            "closing": state.closing,
        }

    def unpack(self, data: Mapping[str, Any]) -> HS:
        state = self.start()
        state.histories = {key: self.unpack_history(history) for key, history in data["histories"]}
        state.seen, state.left_out, state.closing = data["seen"], data["left_out"], data["closing"]
        return state


class SharedHistories(ProcessorGroup, SteppingProcessor[GroupState]):
    """Processors that see and divide the same events: each event is read once for all of them."""

    def __init__(self, processors: Sequence[HistoryProcessor[Any, Any]]) -> None:
        super().__init__(processors)
        self._histories = tuple(processors)

    def step(self, state: GroupState, now: Time, events: list[Occurrence]) -> list[TermDetection]:
        seen = self._histories[0].by_history(state.parts[0], events)
        pairs = zip(self._histories, state.parts, strict=True)
        return [one for processor, own in pairs for one in processor.take(own, now, seen, len(events))]

    def check_ticks(self, state: GroupState, last: Time) -> None:
        for processor, own in zip(self._histories, state.parts, strict=True):
            processor.check_ticks(own, last)
