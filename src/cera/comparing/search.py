"""The search for the shortest history on which two types differ.

Histories are tried by their length. Each goes on from the state of the one that it extends by a moment; of several with
the same future one is extended.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, count

from cera.comparing.histories import Difference, Moment, Observations, SavedState, Side
from cera.comparing.letters import Letter, distances, letters, measures_time, values_of
from cera.comparing.signatures import signature
from cera.comparing.subjects import Subject
from cera.errors import UsageError
from cera.model.events.occurrence import Occurrence
from cera.model.terms.values import Scalar
from cera.model.time.interval import Time

#: Without a number of events, histories are tried up to this length, and at most this many: a few seconds.
MOST_EVENTS = 12
MOST_HISTORIES = 6_000

#: The most events that occur at one time.
MOST_TOGETHER = 3


@dataclass(frozen=True)
class Options:
    """The histories that are tried, and what counts as a difference.

    `count`: how many events are detected, whatever these are based on. `every`: all shortest histories are wanted.
    """

    max_events: int | None = None
    labels: tuple[str, ...] | None = None
    simultaneous: bool = False
    count: bool = False
    every: bool = False


@dataclass(frozen=True)
class Domain:
    """The material of histories: `values` of attributes by the events that have them, and how far events lie apart, in
    microseconds; that is empty where only their order matters."""

    values: Mapping[str, Mapping[str, tuple[Scalar, ...]]]
    distances: tuple[int, ...]


@dataclass(frozen=True)
class SearchResult:
    """The shortest histories with a difference, if there are any among those tried.

    `events` is the length up to which all were tried, `exhausted` says that longer ones bring nothing new.
    """

    differences: tuple[Difference, ...]
    events: int
    tried: int
    exhausted: bool
    domain: Domain


@dataclass(frozen=True)
class _Node:
    """A history that both types agree on."""

    history: tuple[Moment, ...]
    letters: tuple[Letter, ...]
    states: tuple[SavedState, SavedState]
    seen: tuple[Observations, Observations]
    #: Equal for histories with the same future.
    future: Hashable


def search(first: Subject, second: Subject, options: Options) -> SearchResult:
    if options.max_events is not None and options.max_events < 1:
        raise UsageError(f"the number of events is at least 1, found {options.max_events}")
    found = Search(first, second, options).run(options.max_events, merging=True)
    if options.every and found.differences:  # those with the same future as another one are wanted as well
        every = Search(first, second, options).run(found.events, merging=False)
        return replace(every, events=found.events, exhausted=False)
    return found


class Search:
    """The search over all histories of two types that the options ask for."""

    def __init__(self, first: Subject, second: Subject, options: Options) -> None:
        modules = (first.module, second.module)
        self._options = options
        self._sides = (Side(first), Side(second))
        self._letters = letters(modules, options.labels)
        self._distances = distances(modules)
        self._measures = measures_time(modules)
        self._places = {letter: place for place, letter in enumerate(self._letters)}
        self._events = {event: place for place, event in enumerate(dict.fromkeys(each.event for each in self._letters))}
        self._tried = 0

    def run(self, max_events: int | None, *, merging: bool) -> SearchResult:
        root = _Node((), (), (self._sides[0].start(), self._sides[1].start()), ((), ()), None)
        levels: list[list[_Node]] = [[root]]
        known: set[Hashable] = set()
        while len(levels) <= (max_events or MOST_EVENTS):
            if max_events is None and len(levels) > 1 and self._tried + self._next(levels) > MOST_HISTORIES:
                break
            tried = sorted(self._level(levels), key=self._preference)
            differences = [each for each in tried if isinstance(each, Difference)]
            if differences:
                shown = tuple(differences if self._options.every else differences[:1])
                return self._found(shown, len(levels))
            level = []
            for node in tried:
                if isinstance(node, _Node) and not (merging and node.future in known):
                    known.add(node.future)
                    level.append(node)
            levels.append(level)
            if merging and not any(levels[-1 - size] for size in range(self._largest(len(levels)))):
                return self._found((), len(levels) - 1, exhausted=True)
        return self._found((), len(levels) - 1)

    def _found(self, differences: tuple[Difference, ...], events: int, *, exhausted: bool = False) -> SearchResult:
        distances = self._distances if self._measures else ()
        return SearchResult(differences, events, self._tried, exhausted, Domain(values_of(self._letters), distances))

    def _largest(self, events: int) -> int:
        """Returns how many events can occur together in a history of this many."""
        return min(events, MOST_TOGETHER) if self._options.simultaneous else 1

    def _next(self, levels: Sequence[Sequence[_Node]]) -> int:
        """Returns how many histories have one event more."""
        return sum(1 for _ in self._extensions(levels))

    def _extensions(self, levels: Sequence[Sequence[_Node]]) -> Iterator[tuple[_Node, int, tuple[Letter, ...]]]:
        for size in range(1, self._largest(len(levels)) + 1):
            for node in levels[-size]:
                for distance in self._distances if node.history else (0,):
                    for together in combinations_with_replacement(self._letters, size):
                        yield node, distance, together

    def _level(self, levels: Sequence[Sequence[_Node]]) -> Iterator[_Node | Difference]:
        """Yields all histories with one event more, those with a difference as such."""
        for node, distance, together in self._extensions(levels):
            self._tried += 1
            time = (node.history[-1].time if node.history else 0) + distance
            history, all_letters = (*node.history, Moment(time, together)), (*node.letters, *together)
            events = occurrences(together, time, len(node.letters))
            (one, seen_by_one), (other, seen_by_other) = (
                side.step(state, time, events) for side, state in zip(self._sides, node.states, strict=True)
            )
            states = (self._sides[0].saved(one), self._sides[1].saved(other))
            seen = (node.seen[0] + seen_by_one, node.seen[1] + seen_by_other)
            ends = (self._sides[0].end(states[0]), self._sides[1].end(states[1]))
            if self._differ(seen_by_one, seen_by_other) or self._differ(*ends):
                yield Difference(history, (seen[0] + ends[0], seen[1] + ends[1]), self._measures)
            else:
                future = signature((one, other), all_letters, time if self._measures else None)
                yield _Node(history, all_letters, states, seen, future)

    def _differ(self, one: Observations, other: Observations) -> bool:
        if self._options.count:
            return [(seen.time, seen.events) for seen in one] != [(seen.time, seen.events) for seen in other]
        return [(seen.time, seen.detected) for seen in one] != [(seen.time, seen.detected) for seen in other]

    def _preference(self, history: _Node | Difference) -> tuple[object, ...]:
        """Returns a sort key: first the histories in which labels come in their order and events lie close together."""
        labels = [self._events[each.event] for each in history.letters]
        inversions = sum(one > other for place, one in enumerate(labels) for other in labels[place + 1 :])
        times = [moment.time for moment in history.history]
        return len(labels) - len(times), inversions, [self._places[each] for each in history.letters], times


def occurrences(together: Sequence[Letter], time: Time, first: int) -> list[Occurrence]:
    """Returns events of one time, numbered from `first` on; their ids, by which a stage takes them, have the same
    order."""
    made = []
    for place, letter in enumerate(together):
        qualifiers = (f"{first + place}-{attempt}" for attempt in count())
        attempts = (letter.occurrence(time, qualifier) for qualifier in qualifiers)
        if len(together) > 1:  # each has the ids of a range of its own
            attempts = (one for one in attempts if int(one.event.id[:8], 16) * len(together) >> 32 == place)
        one = next(attempts)
        one.number = first + place
        made.append(one)
    return made
