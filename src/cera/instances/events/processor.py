"""A module of event types as a processor: it takes the events of one time and returns what is detected at it.

    processor = InstanceProcessor(module)
    state = processor.start()
    detections = processor.step(state, now, events)

It is compiled and read-only; what it remembers is in its state, which `packed` makes plain data of.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from cera.instances.detections import Detection, Heads
from cera.instances.events.stages import Stage, stages
from cera.instances.inherited import with_inherited_limits
from cera.instances.instance import Instance
from cera.instances.machine import History, Machine
from cera.instances.types import ComplexType, InstanceModule
from cera.model.calendars.tick_limits import check_ticks
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import Time
from cera.modules.arrivals import NO_HISTORY, Arrival, Key, Recognizer


class InstanceState:
    """A history for each value of the partition attribute, and how many events have been seen, and left out."""

    __slots__ = ("_queued", "closing", "histories", "left_out", "seen", "stages", "wakeups")

    def __init__(self) -> None:
        self.histories: dict[Key, History] = {}
        self.seen = 0
        #: How many events of the module lacked the partition attribute.
        self.left_out = 0
        self.closing = False
        #: When which history has to be looked at again because a timer ticks; entries may be out of date.
        self.wakeups: list[tuple[Time, int, Key]] = []
        self._queued = 0
        #: When which history had its last stages, where histories are forgotten after a while.
        self.stages: deque[tuple[Time, Key]] = deque()

    @property
    def live(self) -> int:
        """How many instances and running timers are remembered."""
        return sum(history.live for history in self.histories.values())

    def wake(self, time: Time, key: Key) -> None:
        self._queued += 1
        heapq.heappush(self.wakeups, (time, self._queued, key))

    def woken(self, now: Time) -> list[Key]:
        """The histories with a tick now."""
        found = []
        while self.wakeups and self.wakeups[0][0] <= now:
            found.append(heapq.heappop(self.wakeups)[2])
        return found


class InstanceProcessor:
    def __init__(self, module: InstanceModule, *, timezone: str = "UTC") -> None:
        self.module = module
        self.evaluator = Evaluator((), timezone)
        self._heads = Heads(module, self.evaluator)
        self._machine = Machine(module, self._heads, Evaluator((), timezone))
        self._recognizer = Recognizer(module)
        self.ticks = module.ticks
        bounds = [each.within for each in with_inherited_limits(module).types if isinstance(each, ComplexType)]
        lengths = [bound for bound in bounds if bound is not None]
        #: How long a history matters after its last event; None where it may for ever.
        self._lasting = max(lengths, default=0) if len(lengths) == len(bounds) and not self.ticks else None

    def start(self) -> InstanceState:
        return InstanceState()

    def step(self, state: InstanceState, now: Time, events: Sequence[Occurrence]) -> list[Detection]:
        """All different events that end now. Time does not go backwards."""
        return self.advance(state, now, self.by_history(state, events), len(events))

    def by_history(self, state: InstanceState, events: Sequence[Occurrence]) -> dict[Key, list[Arrival]]:
        """The events of a step that the module sees: the same for all modules that see and divide the same."""
        return self._recognizer.by_history(events, state.seen)

    def advance(
        self, state: InstanceState, now: Time, by_history: Mapping[Key, Sequence[Arrival]], events: int
    ) -> list[Detection]:
        """A step with what the module sees of so many events, and with the timers that tick now."""
        if self.ticks and (woken := state.woken(now)):
            by_history = {**dict.fromkeys(woken, ()), **by_history}
        if not by_history:
            return []
        state.seen += events
        found: list[Instance] = []
        for key, arrivals in by_history.items():
            if key is NO_HISTORY:
                state.left_out += len(arrivals)
                continue
            found += self._advance(state, key, stages(arrivals, self.module.granularity), now)
        if self._lasting is not None:
            self._forget(state, now - self._lasting)
        return self._heads.detections(found) if found else []

    def _advance(self, state: InstanceState, key: Key, several: Sequence[Stage], now: Time) -> Iterable[Instance]:
        history = state.histories.get(key)
        if history is None:
            if not several:
                return
            history = state.histories[key] = self._machine.start()
        if self.ticks:
            several = _with_ticks(several)
        for number, stage in enumerate(several, 1):
            yield from self._machine.step(history, stage.instances, stage.events, now, ticking=number == len(several))
        if state.closing:
            self._machine.silence(history)
        crowded = 2 * len(state.histories) + _MANY
        if self.ticks and (due := self._machine.due(history, now)) is not None:
            state.wake(due, key)
            if len(state.wakeups) > crowded:
                self._wake_all(state)
        if self._lasting is not None:
            state.stages.append((now, key))
            if len(state.stages) > crowded:
                state.stages = _last_stages(state)

    def _forget(self, state: InstanceState, before: Time) -> None:
        """Drops histories in which all that there was is too old."""
        while state.stages and state.stages[0][0] < before:
            time, key = state.stages.popleft()
            history = state.histories.get(key)
            if history is not None and history.now <= time:
                del state.histories[key]

    def next_wakeup(self, state: InstanceState) -> Time | None:
        return state.wakeups[0][0] if state.wakeups else None

    def check_ticks(self, state: InstanceState, last: Time, limit: int) -> None:
        """Raises TickLimitError if a timer ticks more often than the limit until a time, without an event."""
        if not state.wakeups or last - state.wakeups[0][0] < limit:  # no two ticks are closer than a microsecond
            return
        for history in state.histories.values():
            for name, first, after in self._machine.repeating(history):
                check_ticks(f"the timer `{name}`", (last - first) // after + 1, first, last, limit)

    def close(self, state: InstanceState) -> None:
        """The stream has ended: what repeats is silent from now on."""
        state.closing = True
        for history in state.histories.values():
            self._machine.silence(history)
        self._wake_all(state)

    def _wake_all(self, state: InstanceState) -> None:
        state.wakeups = []
        for key, history in state.histories.items():
            due = self._machine.due(history, history.now) if self.ticks else None
            if due is not None:
                state.wake(due, key)

    def packed(self, state: InstanceState) -> dict[str, Any]:
        """The state as what can be pickled."""
        return {
            "histories": [(key, history.packed()) for key, history in state.histories.items()],
            "seen": state.seen,
            "left_out": state.left_out,
            "closing": state.closing,
        }

    def forget_idle(self, state: InstanceState) -> None:
        """Drops the histories that would go on in the same way if they began anew, as all do in which there is only
        what is too old by now."""
        now = max((history.now for history in state.histories.values()), default=0)
        state.histories = {
            key: history for key, history in state.histories.items() if not self._machine.rests(history, now)
        }

    def unpacked(self, data: Mapping[str, Any]) -> InstanceState:
        """The state that `packed` wrote."""
        state = self.start()
        state.histories = {key: self._machine.unpacked(history) for key, history in data["histories"]}
        state.seen, state.left_out, state.closing = data["seen"], data["left_out"], data["closing"]
        if self._lasting is not None:
            state.stages = _last_stages(state)
        self._wake_all(state)
        return state


#: So many notes about histories may be out of date before they are looked through.
_MANY = 1_000


def _last_stages(state: InstanceState) -> deque[tuple[Time, Key]]:
    last = sorted(((history.now, key) for key, history in state.histories.items()), key=itemgetter(0))
    return deque(last)


def _with_ticks(several: Sequence[Stage]) -> Sequence[Stage]:
    """Timers tick with what has no position, after what has one."""
    return several if several and not several[-1].placed else [*several, Stage({}, 0, placed=False)]
