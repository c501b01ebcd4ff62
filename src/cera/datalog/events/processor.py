"""A module as a processor: it takes the events of one time and returns what is detected at it.

    processor = ModuleProcessor(module)
    state = processor.start()
    detections = processor.step(state, now, events)

It is compiled and read-only; what it remembers is in its state, which `packed` makes plain data of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cera.datalog import stages
from cera.datalog.events.detections import Detection, Heads
from cera.datalog.modules import EventModule
from cera.datalog.syntax import atoms
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import Time
from cera.modules.arrivals import NO_HISTORY, Arrival, Key, Recognizer
from cera.modules.stages import cut

_MANY = 1_000


class ModuleState:
    """A history for each value of the partition attribute, and how many events have been seen, and left out."""

    __slots__ = ("closing", "full", "histories", "left_out", "now", "seen")

    def __init__(self) -> None:
        self.histories: dict[Key, stages.State] = {}
        self.seen = 0
        #: How many monitored events lacked the partition attribute.
        self.left_out = 0
        self.closing = False
        self.now: Time | None = None
        #: With more histories than that, those in which nothing is remembered any more are looked for.
        self.full = _MANY

    @property
    def live(self) -> int:
        """How many facts are remembered."""
        return sum(history.size for history in self.histories.values())


class ModuleProcessor:
    #: Nothing happens in a history without an event.
    ticks = False

    def __init__(self, module: EventModule, *, timezone: str = "UTC") -> None:
        self.module = module
        self.evaluator = Evaluator((), timezone)
        self._machine = stages.compile(module.program, [each.predicate for each in module.outputs], self.evaluator)
        self._recognizer = Recognizer(module)
        self._heads = Heads(module, self.evaluator)

    def start(self) -> ModuleState:
        return ModuleState()

    def step(self, state: ModuleState, now: Time, events: Sequence[Occurrence]) -> list[Detection]:
        """All different events that end now. Time does not go backwards."""
        return self.advance(state, now, self.by_history(state, events), len(events))

    def by_history(self, state: ModuleState, events: Sequence[Occurrence]) -> dict[Key, list[Arrival]]:
        """The events of a step that the module sees: the same for all modules that see and divide the same."""
        return self._recognizer.by_history(events, state.seen)

    def advance(
        self, state: ModuleState, now: Time, by_history: Mapping[Key, Sequence[Arrival]], events: int
    ) -> list[Detection]:
        """A step with what the module sees of so many events."""
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
            for stage in cut(arrivals, self.module.granularity):
                facts = self._machine.step(history, stage, now)
                if facts:
                    found.append({predicate: tuple(rows) for predicate, rows in facts.items()})
        if len(state.histories) > state.full:
            self.forget_idle(state)
            state.full = max(_MANY, 2 * len(state.histories))
        return self._heads.detections(found, now) if found else []

    def next_wakeup(self, state: ModuleState) -> Time | None:
        return None

    def check_ticks(self, state: ModuleState, last: Time, limit: int) -> None:
        """Nothing ticks."""

    def close(self, state: ModuleState) -> None:
        state.closing = True

    def packed(self, state: ModuleState) -> dict[str, Any]:
        """The state as dictionaries, lists and tuples of scalars, terms and event tuples: it can be pickled."""
        return {
            "histories": [(key, self._machine.dump(history)) for key, history in state.histories.items()],
            "seen": state.seen,
            "left_out": state.left_out,
            "closing": state.closing,
        }

    def forget_idle(self, state: ModuleState) -> None:
        """Drops what is of no use any more, and the histories that would go on in the same way if they began anew."""
        if state.now is not None:
            for history in state.histories.values():
                self._machine.forget(history, state.now)
        rules = self.module.program.rules
        if any(isinstance(atom.stage, int) and atom.stage > 0 for rule in rules for atom in (rule.head, *atoms(rule))):
            return
        new = self._machine.start()
        state.histories = {
            key: history for key, history in state.histories.items() if not self._machine.goes_on_like(history, new)
        }

    def unpacked(self, data: Mapping[str, Any]) -> ModuleState:
        """The state that `packed` wrote; raises DataError if it is another program's."""
        state = self.start()
        state.histories = {key: self._machine.restore(history) for key, history in data["histories"]}
        state.seen, state.left_out, state.closing = data["seen"], data["left_out"], data["closing"]
        return state
