"""A Datalog_1S program over events as a processor: each history goes on from stage to stage; facts are detections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cera.datalog import stages
from cera.datalog.events.detections import FactDetection, Heads
from cera.datalog.modules import EventModule
from cera.datalog.probes import MATTERS, Probes, Shape
from cera.datalog.syntax import atoms
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import Time
from cera.modules.arrivals import NO_HISTORY, Arrival, Key
from cera.modules.driving import distinct
from cera.modules.history_processor import HistoryProcessor, HistoryState
from cera.modules.monitoring import CHANGE
from cera.modules.processor import Detection
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
        idle = self._machine.idle
        self._probes = (
            None if idle is None else Probes(idle, self._recognizer, module.partition, self._machine.absent_at_first)
        )

    def start(self) -> FactState:
        return FactState()

    def take(
        self, state: FactState, now: Time, by_history: Mapping[Key, Sequence[Arrival]], events: int
    ) -> list[FactDetection]:
        if not by_history:
            return []
        found = self._facts(state, now, by_history, events)
        return self._heads.detections(found, now) if found else []

    def _facts(
        self, state: FactState, now: Time, by_history: Mapping[Key, Sequence[Arrival]], events: int
    ) -> list[Any]:
        """Takes the stages of each history; returns the facts of those that have any."""
        state.seen += events
        state.now = now
        found: list[Any] = []
        for key, arrivals in by_history.items():
            if key is NO_HISTORY:
                state.left_out += len(arrivals)
                continue
            for stage in cut(arrivals, self._granularity):
                found += self._stage(state, key, stage, now)
        return found

    def _stage(self, state: FactState, key: Key, stage: Mapping[str, Any], now: Time) -> Sequence[Any]:
        """Takes a stage of a history; returns its facts, if there are any."""
        history = state.histories.get(key)
        if history is None:
            history = state.histories[key] = self._machine.start()
            if len(state.histories) > state.full:
                self.forget(state)
                state.histories[key] = history
                state.full = max(_MANY, 2 * len(state.histories))
        facts = self._machine.step(history, stage, now)
        return [{predicate: tuple(rows) for predicate, rows in facts.items()}] if facts else ()

    def advance(self, state: FactState, events: Sequence[Occurrence], before: Time | None) -> Sequence[Detection]:
        """Takes all steps, as every processor that steps; events that are of no interest are looked at, and no more."""
        if self._probes is None:
            return super().advance(state, events, before)
        shape_of, histories = self._probes.shape, state.histories
        found: list[Detection] = []
        at, count = 0, len(events)
        while at < count:
            event = events[at]
            now = event.end
            first = at
            at += 1
            if at == count or events[at].end != now:
                shape = shape_of(event)
                if shape is None:
                    continue
                key = shape.look(event, histories)
                if key is MATTERS or not self._skip(state, key, now):
                    facts = self._alone(state, now, event, shape)
                    if facts:
                        found += self._heads.detections(facts, now)
                continue
            while at < count and events[at].end == now:
                at += 1
            found += self._together(state, now, events[first:at])
        return found

    def _skip(self, state: FactState, key: Key, now: Time) -> bool:
        """Takes a stage of a history with events that are of no interest. Returns False if rules have to be run."""
        history = state.histories.get(key)
        if history is None:
            if not self._machine.rests_at_first:
                return False
        elif self._machine.rests(history):
            self._machine.skip(history, now)
        else:
            return False
        state.now = now
        return True

    def _rests(self, state: FactState, key: Key) -> bool:
        history = state.histories.get(key)
        return self._machine.rests_at_first if history is None else self._machine.rests(history)

    def _alone(self, state: FactState, now: Time, event: Occurrence, shape: Shape) -> Sequence[Any]:
        """Takes a stage with one event. Returns its facts, if there are any."""
        single = shape.single(event, state.seen)
        if single is None:
            by_history = self.by_history(state, [event])
            return self._facts(state, now, by_history, 1) if by_history else []
        state.seen += 1
        state.now = now
        key, stage = single
        return self._stage(state, key, stage, now)

    def _together(self, state: FactState, now: Time, events: Sequence[Occurrence]) -> Sequence[Detection]:
        """Takes the step of several events."""
        assert self._probes is not None
        shape_of, histories = self._probes.shape, state.histories
        if self._granularity == "operation" and _are_in_order(events):  # each is a stage
            found: list[Any] = []
            for event in events:
                shape = shape_of(event)
                if shape is None:
                    continue
                key = shape.look(event, histories)
                if key is MATTERS or not self._skip(state, key, now):
                    found += self._alone(state, now, event, shape)
            return self._heads.detections(found, now) if found else ()
        shapes = [(event, shape_of(event)) for event in events]
        keys = {shape.look(event, histories) for event, shape in shapes if shape is not None}
        if MATTERS not in keys and all(self._rests(state, key) for key in keys):
            for key in keys:
                self._skip(state, key, now)
            return ()
        return self.step(state, now, distinct(events))

    def live(self, history: stages.State) -> int:
        self._machine.settle(history)
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
        like_new = [key for key, history in state.histories.items() if self._machine.goes_on_like(history, new)]
        for key in like_new:
            del state.histories[key]


def _are_in_order(events: Sequence[Occurrence]) -> bool:
    """Returns whether all are changes of a database, each at a later position than the one before."""
    last: Any = None
    for event in events:
        position = None if event.nested is None or event.label != CHANGE else event.nested.get("position")
        if position.__class__ not in _NUMBERS or (last is not None and position <= last):
            return False
        last = position
    return True


_NUMBERS = (int, float)
