"""The event types of a module over one history, stage by stage (Definition 8: global detection)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from cera.instances.detections import Heads
from cera.instances.detector import AvailableInstances, Detector
from cera.instances.inherited import with_inherited_limits
from cera.instances.instance import Instance
from cera.instances.timers import Timer, TimerState
from cera.instances.types import ComplexType, InstanceModule
from cera.model.evaluation.evaluator import Evaluator
from cera.model.time.interval import Time

#: The instances of a stage by type.
Occurring = dict[str, list[Instance]]


class History:
    """State of a history: of each type, and where something asks for them, the times of all events."""

    __slots__ = ("full", "now", "parts", "past", "stage")

    def __init__(self, parts: dict[str, Any]) -> None:
        self.parts: dict[str, AvailableInstances | TimerState] = parts
        self.past: list[int] = []
        #: The number of the last stage.
        self.stage = 0
        self.now: Time = 0
        #: The number of times in state above which old ones are dropped.
        self.full = _LONG

    @property
    def live(self) -> int:
        """The number of instances and running timers in state."""
        return sum(
            part.live if isinstance(part, AvailableInstances) else len(part.starts) for part in self.parts.values()
        ) + len(self.past)

    def packed(self) -> dict[str, Any]:
        """Returns plain data, with instances inside."""
        parts = {name: part.packed() for name, part in self.parts.items()}
        return {"parts": parts, "past": self.past, "now": self.now, "stage": self.stage}


class Machine:
    """The compiled event types of a module, read-only but for counts of undefined results."""

    def __init__(self, module: InstanceModule, heads: Heads, conditions: Evaluator) -> None:
        self._heads = heads
        module = with_inherited_limits(module)
        belated = module.belated
        uncertain = _uncertain(module)
        self._types: list[Detector | Timer] = [
            Detector(
                each, conditions, timely=belated.isdisjoint(part.type for part in each.components), uncertain=uncertain
            )
            if isinstance(each, ComplexType)
            else Timer(each)
            for each in module.types
        ]
        self._timers = [each for each in self._types if isinstance(each, Timer)]
        self._detectors = [each for each in self._types if isinstance(each, Detector)]
        #: The types that the instances of others concern, directly or not, in order; by those others.
        self._concerned: dict[frozenset[str], list[Detector | Timer]] = {}
        #: Whether the times of all events are in state.
        self.asks_past = any(each.type.continuous for each in self._detectors)

    def start(self) -> History:
        return History(
            {each.type.name: TimerState() if isinstance(each, Timer) else AvailableInstances() for each in self._types}
        )

    def unpacked(self, data: Mapping[str, Any]) -> History:
        history = self.start()
        for name, part in data["parts"].items():
            history.parts[name].unpack(part)
        for each in self._detectors:
            part = history.parts[each.type.name]
            if each.type.within is not None and isinstance(part, AvailableInstances):
                part.tidy()  # a state from before it had a limit does not say when its instances came
        history.past, history.now, history.stage = list(data["past"]), data["now"], data["stage"]
        return history

    def step(
        self, history: History, stage: Mapping[str, Sequence[Instance]], events: int, now: Time, *, ticking: bool
    ) -> list[Instance]:
        """Returns the complex instances of a stage, given the primitive ones of each type in the order of their
        arrival, and the number of their events. At the last stage of a time timers tick."""
        history.stage += 1
        occurring: Occurring = {name: list(found) for name, found in stage.items()}
        for instances in occurring.values():
            for one in instances:
                one.time = history.stage
        if self.asks_past:
            history.past += [history.stage] * events
        found: list[Instance] = []
        for each in self._concerning(frozenset(stage)) if not (ticking and self._timers) else self._types:
            part: Any = history.parts[each.type.name]
            if isinstance(each, Timer):
                self._hear(each, part, occurring, history.stage, now, ticking=ticking)
                continue
            each.expire(part, now)
            new = [one for name in each.component_types for one in occurring.get(name, ())]
            if not new:
                continue
            bound = each.detect(part, new, now, history.past)
            made = [one for one in (self._heads.instance(each.type, one) for one in bound) if one is not None]
            if made:
                occurring[each.type.name] = made
                found += made
        history.now = now
        if len(history.past) > history.full:
            self.forget_past(history)
        return found

    def is_primitive(self, type_: str) -> bool:
        """Returns whether the instances of a type are events of the stream."""
        return all(each.type.name != type_ for each in self._types)

    def concerned_by(self, type_: str) -> list[Detector]:
        """Returns the types that the instances of a primitive type concern, in order; timers left out."""
        return [each for each in self._concerning(frozenset((type_,))) if isinstance(each, Detector)]

    def _concerning(self, names: frozenset[str]) -> list[Detector | Timer]:
        found = self._concerned.get(names)
        if found is None:
            reached = set(names)
            found = self._concerned[names] = []
            for each in self._types:
                if reached.intersection(each.component_types):
                    found.append(each)
                    reached.add(each.type.name)
        return found

    def _hear(
        self, timer: Timer, state: TimerState, occurring: Occurring, stage: int, now: Time, *, ticking: bool
    ) -> None:
        if ticking and state.starts:
            ticks = timer.ticks(state, now)
            for one in ticks:
                one.time = stage
            if ticks:
                occurring[timer.type.name] = ticks
        stop = timer.type.stop
        timer.hear(state, occurring.get(timer.type.start, ()), occurring.get(stop, ()) if stop is not None else ())
        if ticking:
            timer.settle(state)

    def silence(self, history: History) -> None:
        """Stops repeating timers: the stream has ended."""
        for timer in self._timers:
            if timer.type.repeats:
                history.parts[timer.type.name] = TimerState()

    def due(self, history: History, now: Time) -> Time | None:
        """Returns when the next timer ticks, after now."""
        found: list[Time] = []
        for timer in self._timers:
            state = history.parts[timer.type.name]
            assert isinstance(state, TimerState)
            time = timer.due(state, now)
            if time is not None:
                found.append(time)
        return min(found, default=None)

    def repeating(self, history: History) -> Iterator[tuple[str, Time, int]]:
        """Yields the repeating timers: their names, when the next tick of one is due, and how far apart."""
        for timer in self._timers:
            state = history.parts[timer.type.name]
            assert isinstance(state, TimerState)
            if timer.type.repeats and (due := timer.due(state, history.now)) is not None:
                yield timer.type.name, due, timer.type.after

    def rests(self, history: History, now: Time) -> bool:
        """Drops what is too old now, and returns whether nothing is left in a history."""
        for each in self._detectors:
            part = history.parts[each.type.name]
            assert isinstance(part, AvailableInstances)
            each.expire(part, now)
        self.forget_past(history)
        return not history.live

    def forget_past(self, history: History) -> None:
        """Drops the times before everything that is still available."""
        oldest = min((leaf.time for one in _available(history) for leaf in one.leaves()), default=None)
        history.past = [] if oldest is None else history.past[bisect_left(history.past, oldest) :]
        history.full = max(_LONG, 2 * len(history.past))


#: The times of events are looked through when there are more.
_LONG = 1_000


def _available(history: History) -> Iterable[Instance]:
    for part in history.parts.values():
        if isinstance(part, AvailableInstances):
            for members in part.by_key.values():
                for _, _, instance in members.all():
                    yield instance


def _uncertain(module: InstanceModule) -> set[str]:
    """Returns the hidden types inside of which a component may bind nothing."""
    found: set[str] = set()
    for each in module.types:
        if isinstance(each, ComplexType) and each.hidden:
            optional = any(part.delimiter.least == 0 for part in each.components)
            if optional or each.operator in ("or", "of") or any(part.type in found for part in each.components):
                found.add(each.name)
    return found
