"""A Datalog_1S program over events as a processor: each history goes on from stage to stage; facts are detections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cera.datalog import stages
from cera.datalog.events.detections import FactDetection, Heads
from cera.datalog.modules import EventModule
from cera.datalog.syntax import atoms
from cera.model.evaluation.evaluator import Evaluator
from cera.model.time.interval import Time
from cera.modules.arrivals import NO_HISTORY, Arrival, Key
from cera.modules.history_processor import HistoryProcessor, HistoryState
from cera.modules.stages import cut

_MANY = 1_000


class FactState(HistoryState[stages.State]):
    """The facts of each history."""

    def __init__(self) -> None:
        super().__init__()
        self.now: Time | None = None
        #: With more histories than this, those that remember nothing any more are dropped.
        self.full = _MANY


class FactProcessor(HistoryProcessor[FactState, stages.State]):
    """The stage machine of a Datalog_1S program as a processor. Nothing happens in a history without an event."""

    def __init__(self, module: EventModule, *, timezone: str = "UTC") -> None:
        super().__init__(module, Evaluator((), timezone))
        self._program = module.program
        self._granularity = module.granularity
        self._machine = stages.compile(module.program, [each.predicate for each in module.outputs], self.evaluator)
        self._heads = Heads(module, self.evaluator)

    def start(self) -> FactState:
        return FactState()

    def take(
        self, state: FactState, now: Time, by_history: Mapping[Key, Sequence[Arrival]], events: int
    ) -> list[FactDetection]:
        if not by_history:
            return []
        state.seen += events
        state.now = now
        found: list[Any] = []
        for key, arrivals in by_history.items():
            if key is NO_HISTORY:
                state.left_out += len(arrivals)
                continue
            history = state.histories.get(key)
            if history is None:
                history = state.histories[key] = self._machine.start()
            for stage in cut(arrivals, self._granularity):
                facts = self._machine.step(history, stage, now)
                if facts:
                    found.append({predicate: tuple(rows) for predicate, rows in facts.items()})
        if len(state.histories) > state.full:
            self.forget(state)
            state.full = max(_MANY, 2 * len(state.histories))
        return self._heads.detections(found, now) if found else []

    def live(self, history: stages.State) -> int:
        return history.size

    def pack_history(self, history: stages.State) -> Any:
        return self._machine.dump(history)

    def unpack_history(self, data: Any) -> stages.State:
        """Returns the history that was packed; raises DataError if it is another program's."""
        return self._machine.restore(data)

    def forget(self, state: FactState) -> None:
        if state.now is not None:
            for history in state.histories.values():
                self._machine.forget(history, state.now)
        rules = self._program.rules
        if any(isinstance(atom.stage, int) and atom.stage > 0 for rule in rules for atom in (rule.head, *atoms(rule))):
            return
        new = self._machine.start()
        state.histories = {
            key: history for key, history in state.histories.items() if not self._machine.goes_on_like(history, new)
        }
