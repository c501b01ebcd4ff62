"""Event types over events as a processor: each history goes on from stage to stage, and its timers tick."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from cera.instances.detections import Heads, InstanceDetection
from cera.instances.events.feed_source import Feed, FeedSource, Histories
from cera.instances.inherited import with_inherited_limits
from cera.instances.instance import Instance, primitive
from cera.instances.machine import History, Machine
from cera.instances.types import ComplexType, InstanceModule
from cera.model.calendars.tick_limits import TICK_LIMIT, check_ticks
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import Time
from cera.modules.arrivals import NO_HISTORY, Arrival, Key
from cera.modules.driving import distinct
from cera.modules.history_processor import HistoryProcessor, HistoryState
from cera.modules.monitoring import CHANGE, Granularity
from cera.modules.processor import Detection
from cera.modules.stages import grouped
from cera.modules.tuples import TIME_ATTRIBUTES


class InstanceState(HistoryState[History]):
    """The instances and running timers of each history."""

    def __init__(self) -> None:
        super().__init__()
        #: The times at which histories are due because a timer ticks; entries may be out of date.
        self.wakeups: list[tuple[Time, int, Key]] = []
        self._queued = 0
        #: The times of the last stages of histories, where histories expire.
        self.stages: deque[tuple[Time, Key]] = deque()

    def wake(self, time: Time, key: Key) -> None:
        self._queued += 1
        heapq.heappush(self.wakeups, (time, self._queued, key))

    def woken(self, now: Time) -> list[Key]:
        """Returns the histories with a tick now."""
        found = []
        while self.wakeups and self.wakeups[0][0] <= now:
            found.append(heapq.heappop(self.wakeups)[2])
        return found


class InstanceProcessor(HistoryProcessor[InstanceState, History]):
    """The machine of event types as a processor."""

    def __init__(self, module: InstanceModule, *, timezone: str = "UTC", tick_limit: int = TICK_LIMIT) -> None:
        super().__init__(module, Evaluator((), timezone))
        self.tick_limit = tick_limit
        self.ticks = bool(module.timers)
        self._granularity = module.granularity
        self._partition = module.partition
        self._heads = Heads(module, self.evaluator)
        self._machine = Machine(module, self._heads, Evaluator((), timezone))
        bounds = [each.within for each in with_inherited_limits(module).types if isinstance(each, ComplexType)]
        lengths = [bound for bound in bounds if bound is not None]
        #: How long a history matters after its last event; None if it may matter always.
        self._lasting = max(lengths, default=0) if len(lengths) == len(bounds) and not self.ticks else None
        histories = Histories(module.partition, self._lasting, self._note_stage, self._forget_old)
        self._source = FeedSource(self._machine, self._heads, histories)
        #: The functions for flat events of a label, as far as there were any.
        self._feeds: dict[str, Feed] = {}

    def start(self) -> InstanceState:
        return InstanceState()

    def take(
        self, state: InstanceState, now: Time, by_history: Mapping[Key, Sequence[Arrival]], events: int
    ) -> list[InstanceDetection]:
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
            found += self._advance(state, key, stages(arrivals, self._granularity), now)
        if self._lasting is not None:
            self._forget_old(state, now - self._lasting)
        return self._heads.detections(found) if found else []

    def advance(self, state: InstanceState, events: Sequence[Occurrence], before: Time | None) -> Sequence[Detection]:
        """Takes all steps, as every processor that steps; flat events that are alone at their time become instances at
        once."""
        if self.ticks or self._partition in TIME_ATTRIBUTES:
            return super().advance(state, events, before)
        feeds = self._feeds
        found: list[Detection] = []
        at, count = 0, len(events)
        while at < count:
            event = events[at]
            now = event.end
            first = at
            at += 1
            if at == count or events[at].end != now:
                label = event.label
                feed = feeds.get(label)
                if feed is None:
                    feed = self._feed(label)
                content = event.content
                if feed is not None and content is not None:
                    found += feed(state, event, content)
                elif feed is not None or label == CHANGE:
                    found += self.step(state, now, [event])
                continue
            while at < count and events[at].end == now:
                at += 1
            found += self.step(state, now, distinct(events[first:at]))
        return found

    def _feed(self, label: str) -> Feed | None:
        """Returns the function for the flat events of a label, if they are monitored and nothing else is under it."""
        reader = self._recognizer.reader_of_label(label)
        if reader is None or label == CHANGE:
            return None
        fields_of = reader.fields if reader.has_declared_names else None
        feed = self._feeds[label] = self._source.feed(reader.predicate, fields_of)
        return feed

    def _note_stage(self, state: InstanceState, key: Key, now: Time) -> None:
        state.stages.append((now, key))
        if len(state.stages) > 2 * len(state.histories) + _MANY:
            state.stages = _last_stages(state)

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
            self._note_stage(state, key, now)

    def _forget_old(self, state: InstanceState, before: Time) -> None:
        """Drops histories in which everything is too old."""
        while state.stages and state.stages[0][0] < before:
            time, key = state.stages.popleft()
            history = state.histories.get(key)
            if history is not None and history.now <= time:
                del state.histories[key]

    def next_wakeup(self, state: InstanceState) -> Time | None:
        return state.wakeups[0][0] if state.wakeups else None

    def check_ticks(self, state: InstanceState, last: Time) -> None:
        limit = self.tick_limit
        if not state.wakeups or last - state.wakeups[0][0] < limit:  # no two ticks are closer than a microsecond
            return
        for history in state.histories.values():
            for name, first, after in self._machine.repeating(history):
                check_ticks(f"the timer `{name}`", (last - first) // after + 1, first, last, limit)

    def close(self, state: InstanceState) -> None:
        """Ends the stream: repeating timers stop ticking."""
        super().close(state)
        for history in state.histories.values():
            self._machine.silence(history)
        self._wake_all(state)

    def _wake_all(self, state: InstanceState) -> None:
        state.wakeups = []
        for key, history in state.histories.items():
            due = self._machine.due(history, history.now) if self.ticks else None
            if due is not None:
                state.wake(due, key)

    def live(self, history: History) -> int:
        return history.live

    def pack_history(self, history: History) -> Any:
        return history.packed()

    def unpack_history(self, data: Any) -> History:
        return self._machine.unpacked(data)

    def forget(self, state: InstanceState) -> None:
        now = max((history.now for history in state.histories.values()), default=0)
        state.histories = {
            key: history for key, history in state.histories.items() if not self._machine.rests(history, now)
        }

    def unpack(self, data: Mapping[str, Any]) -> InstanceState:
        state = super().unpack(data)
        if self._lasting is not None:
            state.stages = _last_stages(state)
        self._wake_all(state)
        return state


#: How many notes about histories may be out of date before they are cleaned up.
_MANY = 1_000


def _last_stages(state: InstanceState) -> deque[tuple[Time, Key]]:
    last = sorted(((history.now, key) for key, history in state.histories.items()), key=itemgetter(0))
    return deque(last)


def _with_ticks(several: Sequence[Stage]) -> Sequence[Stage]:
    """Returns the stages with one for ticks: timers tick with events without a position, after those with one."""
    return several if several and not several[-1].placed else [*several, Stage({}, 0, placed=False)]


@dataclass(frozen=True, slots=True)
class Stage:
    """Primitive instances by type, in the order of their arrival, and how many events they are."""

    instances: dict[str, list[Instance]]
    events: int
    #: Whether the events have a position, which gives their order.
    placed: bool


def stages(arrivals: Sequence[Arrival], granularity: Granularity) -> list[Stage]:
    """Returns the stages, divided as for every module. Events of one stage have no order; they are sorted by id."""
    if not arrivals:
        return []
    if len(arrivals) == 1:
        return [_stage(arrivals, granularity)]
    return [_stage(group, granularity) for group in grouped(arrivals, granularity)]


def _stage(arrivals: Sequence[Arrival], granularity: Granularity) -> Stage:
    found: dict[str, list[Instance]] = {}
    for arrival in arrivals if len(arrivals) == 1 else sorted(arrivals, key=_id):
        for name, tuple_ in arrival.tuples:
            found.setdefault(name, []).append(primitive(name, tuple_))
    first = arrivals[0]
    placed = {"operation": first.position is not None, "transaction": first.transaction is not None}
    return Stage(found, len(arrivals), placed.get(granularity, False))


def _id(arrival: Arrival) -> str:
    _, tuple_ = arrival.tuples[0]
    return str(tuple_.event.event.id)
