"""Small histories: moments with their events, and the detections of two types in them, one step at a time."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, islice
from operator import attrgetter
from typing import Any

from cera.comparing.letters import Letter
from cera.comparing.subjects import Subject
from cera.instances.detections import InstanceDetection
from cera.instances.events.processor import InstanceProcessor, InstanceState
from cera.instances.instance import Instance
from cera.model.events.occurrence import Occurrence
from cera.model.time.durations import Duration, format_duration
from cera.model.time.interval import Time
from cera.modules.processor import Detection


@dataclass(frozen=True)
class Tick:
    """A tick of a timer; two ticks at the same time are equal."""

    time: Time


#: An event or tick that a detection is based on: the number of the event in its history, or the tick.
Leaf = int | Tick

#: All that a detection is based on, by which detections are compared.
Basis = frozenset[Leaf]


@dataclass(frozen=True)
class Observation:
    """The detections at one time, with the number of events that are based on the same."""

    time: Time
    counts: frozenset[tuple[Basis, int]]

    @property
    def detected(self) -> frozenset[Basis]:
        return frozenset(found for found, _ in self.counts)

    @property
    def events(self) -> int:
        return sum(count for _, count in self.counts)


#: All detections in the order of their times.
Observations = tuple[Observation, ...]


@dataclass(frozen=True)
class Moment:
    """The events of one time."""

    time: Time
    letters: tuple[Letter, ...]


@dataclass(frozen=True)
class Difference:
    """A history, and the detections of the first type and of the second in it."""

    history: tuple[Moment, ...]
    detections: tuple[Observations, Observations]
    #: Whether the times matter, and not only their order.
    is_measured: bool = False

    @cached_property
    def letters(self) -> tuple[Letter, ...]:
        return tuple(letter for moment in self.history for letter in moment.letters)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The events as the paper writes their instances: `e1^2` is the second one of E1."""
        counts: Counter[str] = Counter()
        found = []
        for letter in self.letters:
            counts[letter.event] += 1
            found.append(f"{self._spelled[letter.event]}^{counts[letter.event]}")
        return tuple(found)

    @cached_property
    def _spelled(self) -> dict[str, str]:
        """The labels in small letters, unless two of them would be the same then."""
        lower = Counter(each.lower() for each in {letter.event for letter in self.letters})
        return {
            letter.event: letter.event.lower() if lower[letter.event.lower()] == 1 else letter.event
            for letter in self.letters
        }

    def __str__(self) -> str:
        return " ".join("|".join(events) for _, events in self.moments())

    def moments(self) -> Iterator[tuple[Time, list[str]]]:
        """Yields the times of the history with the events of each, and their values: `e1^1(v=3)`."""
        named = iter(zip(self.names, self.letters, strict=True))
        for moment in self.history:
            yield moment.time, [f"{name}{_in_brackets(letter)}" for name, letter in islice(named, len(moment.letters))]

    def detected(self, side: int) -> dict[Time, list[str]]:
        """Returns the detections of a type by time: `(e1^1 e3^2)`, after `2 × ` if two events are based on the same."""
        return {
            time: [f"{f'{count} × ' if count > 1 else ''}({' '.join(names)})" for names, count in found]
            for time, found in self.rests(side)
        }

    def rests(self, side: int) -> Iterator[tuple[Time, list[tuple[list[str], int]]]]:
        """Yields, by time, the names of the events that detections of a type are based on, and how many are."""
        for seen in self.detections[side]:
            ordered = sorted(seen.counts, key=lambda pair: _order(pair[0]))
            yield seen.time, [([self._name(leaf) for leaf in sorted(each, key=_place)], n) for each, n in ordered]

    def _name(self, leaf: Leaf) -> str:
        return f"tick@{in_words(leaf.time)}" if isinstance(leaf, Tick) else self.names[leaf]


def _in_brackets(letter: Letter) -> str:
    values = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in letter.values)
    return f"({values})" if values else ""


def _place(leaf: Leaf) -> tuple[bool, int]:
    return (True, leaf.time) if isinstance(leaf, Tick) else (False, leaf)


def _order(detected: Basis) -> list[tuple[bool, int]]:
    return sorted(map(_place, detected))


def in_words(time: Time) -> str:
    """Returns a time since the first event: `5 min 1 sec`."""
    return format_duration(Duration(microseconds=time))


#: A packed state, which is never changed.
SavedState = Mapping[str, Any]


class Side:
    """One of the two types, run over a history one step at a time from a saved state."""

    def __init__(self, subject: Subject) -> None:
        self.ticks = bool(subject.module.timers)
        self._processor = InstanceProcessor(subject.module)

    def start(self) -> SavedState:
        return self._processor.pack(self._processor.start())

    def step(self, saved: SavedState, time: Time, events: Sequence[Occurrence]) -> tuple[InstanceState, Observations]:
        """Returns the state after some events of one time, and the detections until then."""
        processor = self._processor
        state = processor.unpack(saved)
        before = processor.advance(state, (), time) if self.ticks else ()
        now = processor.take(state, time, processor.by_history(state, events), len(events))
        return state, _observations([*before, *now])

    def saved(self, state: InstanceState) -> SavedState:
        """Packs the state, which must not be used afterwards."""
        return self._processor.pack(state)

    def end(self, saved: SavedState) -> Observations:
        """Returns the detections when no event comes any more: timers run out."""
        if not self.ticks:
            return ()
        state = self._processor.unpack(saved)
        self._processor.close(state)
        return _observations(self._processor.advance(state, (), None))


def _observations(detections: Iterable[Detection]) -> Observations:
    found = (one for one in detections if isinstance(one, InstanceDetection))
    return tuple(_observation(time, same) for time, same in groupby(found, key=attrgetter("end")))


def _observation(time: Time, detections: Iterable[InstanceDetection]) -> Observation:
    instances = (instance for detection in detections for _, instance in detection.found)
    return Observation(time, frozenset(Counter(frozenset(map(_leaf, one.leaves())) for one in instances).items()))


def _leaf(instance: Instance) -> Leaf:
    return Tick(instance.end) if instance.event is None else instance.event.number
