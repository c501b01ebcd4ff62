"""States that rules derive as a processor: what holds, and by which supports.

Of supports that end alike only the begin of the last one is kept: it ends last. So the memory of a state does not grow
with the derivations that join it.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.occurrence import Cell
from cera.model.events.traces import TracedCause
from cera.model.terms.term import Term
from cera.model.time.interval import Time
from cera.modules.arrivals import NO_HISTORY, Arrival, Key
from cera.modules.history_processor import HistoryProcessor, HistoryState
from cera.modules.states.module import StateModule
from cera.modules.states.supports import (
    Duration,
    StateChange,
    Ways,
    lost_state,
    read_support,
    release_key,
    supported_term,
)
from cera.modules.tuples import EventTuple


@dataclass
class _Held:
    """A state that holds: when and how it began, and the last begin of the supports of each duration."""

    begin: Time
    ways: Ways
    supports: dict[Duration, Time] = field(default_factory=dict)


_Place = tuple[Term, Duration]
K = TypeVar("K")


class History:
    """The states of one history that hold, and where their supports are found by what ends them."""

    def __init__(self) -> None:
        self.held: dict[Term, _Held] = {}
        self._by_need: dict[str, set[_Place]] = {}
        self._by_key: dict[tuple[int, tuple[Cell, ...]], set[_Place]] = {}

    def add(self, term: Term, duration: Duration, begin: Time) -> None:
        rule, needed, key, _ = duration
        supports = self.held[term].supports
        if duration not in supports:
            for state in needed:
                self._by_need.setdefault(state, set()).add((term, duration))
            self._by_key.setdefault((rule, key), set()).add((term, duration))
        supports[duration] = begin

    def losing(self, state: str) -> Iterable[_Place]:
        """Returns the supports that need a state."""
        return tuple(self._by_need.get(state, ()))

    def released(self, rule: int, key: tuple[Cell, ...], begin: Time) -> Iterator[_Place]:
        """Yields the supports that an event ends: none that began after it did."""
        for term, duration in tuple(self._by_key.get((rule, key), ())):
            if self.held[term].supports[duration] <= begin:
                yield term, duration

    def expired(self, now: Time) -> Iterator[_Place]:
        for term, held in self.held.items():
            for duration in held.supports:
                limit = duration[3]
                if limit is not None and limit <= now:
                    yield term, duration

    def remove(self, places: Iterable[_Place]) -> Iterator[Term]:
        """Removes supports; yields the states that have none left."""
        for term, duration in dict.fromkeys(places):
            rule, needed, key, _ = duration
            del self.held[term].supports[duration]
            _discard(self._by_key, (rule, key), (term, duration))
            for state in needed:
                _discard(self._by_need, state, (term, duration))
            if not self.held[term].supports:
                yield term

    @property
    def limits(self) -> Iterator[Time]:
        for held in self.held.values():
            yield from (duration[3] for duration in held.supports if duration[3] is not None)


def _discard(index: dict[K, set[_Place]], entry: K, place: _Place) -> None:
    index[entry].discard(place)
    if not index[entry]:
        del index[entry]


class StatesState(HistoryState[History]):
    """The states of each history, and when evaluation times end in them."""

    def __init__(self) -> None:
        super().__init__()
        #: A heap; entries may be out of date.
        self.wakeups: list[tuple[Time, int, Key]] = []
        self._queued = 0

    def wake(self, time: Time, key: Key) -> None:
        self._queued += 1
        heapq.heappush(self.wakeups, (time, self._queued, key))

    def woken(self, now: Time) -> Iterator[Key]:
        while self.wakeups and self.wakeups[0][0] <= now:
            yield heapq.heappop(self.wakeups)[2]


class StateProcessor(HistoryProcessor[StatesState, History]):
    """The composition of states as a processor."""

    module: StateModule

    def __init__(self, module: StateModule, timezone: str) -> None:
        super().__init__(module, Evaluator((), timezone))
        self._supports = {rule.support: number for number, rule in enumerate(module.rules)}
        self._losses = frozenset(rule.loss for rule in module.rules)
        self._releases = {rule.release: number for number, rule in enumerate(module.rules)}

    def start(self) -> StatesState:
        return StatesState()

    def take(
        self, state: StatesState, now: Time, by_history: Mapping[Key, Sequence[Arrival]], events: int
    ) -> list[StateChange]:
        found: list[StateChange] = []
        state.seen += events
        due = dict.fromkeys(state.woken(now))
        for key in dict.fromkeys((*due, *by_history)):
            arrivals = by_history.get(key, ())
            if key is NO_HISTORY:
                state.left_out += len(arrivals)
                continue
            history = state.histories.get(key)
            if history is None:
                history = state.histories[key] = History()
            arrived = [one for arrival in arrivals for one in arrival.tuples]
            found += self._ended(history, now, arrived, expiring=key in due)
            found += self._begun(state, key, history, now, arrived)
            if not history.held:
                del state.histories[key]
        return found

    def _ended(
        self, history: History, now: Time, arrived: Sequence[tuple[str, EventTuple]], *, expiring: bool
    ) -> Iterator[StateChange]:
        ending: list[_Place] = list(history.expired(now)) if expiring else []
        for label, one in arrived:
            if label in self._losses:
                ending += history.losing(lost_state(one.event.term))
            elif label in self._releases:
                rule = self._releases[label]
                key = release_key(self.module.rules[rule], one.event.term)
                ending += history.released(rule, key, one.begin)
        for term in list(history.remove(ending)):
            held = history.held.pop(term)
            yield StateChange(self.module, term, held.begin, now, held.ways)

    def _begun(
        self, state: StatesState, key: Key, history: History, now: Time, arrived: Sequence[tuple[str, EventTuple]]
    ) -> Iterator[StateChange]:
        opened: dict[Term, list[tuple[int, tuple[TracedCause, ...]]]] = {}
        for label, one in arrived:
            number = self._supports.get(label)
            if number is None:
                continue
            support = read_support(self.module.rules[number], number, one.event.event, self.evaluator)
            if support.limit is not None and support.limit <= now:
                continue
            term = supported_term(self.module.label, one.event.term)
            if term not in history.held:
                history.held[term] = _Held(now, ())
                opened[term] = []
            if term in opened:
                opened[term].append((number, support.causes))
            if support.limit is not None:
                state.wake(support.limit, key)
            history.add(term, support.duration, now)
        for term, ways in opened.items():
            history.held[term].ways = tuple(sorted(ways))
            yield StateChange(self.module, term, now, None, history.held[term].ways)

    def next_wakeup(self, state: StatesState) -> Time | None:
        return state.wakeups[0][0] if state.wakeups else None

    def live(self, history: History) -> int:
        return sum(len(held.supports) for held in history.held.values())

    def pack_history(self, history: History) -> Any:
        return [
            (
                term,
                held.begin,
                [(n, [tuple(c) for c in causes]) for n, causes in held.ways],
                list(held.supports.items()),
            )
            for term, held in history.held.items()
        ]

    def unpack_history(self, data: Any) -> History:
        history = History()
        for term, begin, ways, supports in data:
            known = tuple((number, tuple(TracedCause(*cause) for cause in causes)) for number, causes in ways)
            history.held[term] = _Held(begin, known)
            for (rule, needed, key, limit), last in supports:
                history.add(term, (rule, tuple(needed), tuple(key), limit), last)
        return history

    def unpack(self, data: Mapping[str, Any]) -> StatesState:
        state = super().unpack(data)
        for key, history in state.histories.items():
            for limit in history.limits:
                state.wake(limit, key)
        return state

    def forget(self, state: StatesState) -> None:
        """Drops nothing: what has ended is gone already."""
