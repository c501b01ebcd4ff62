"""An independent matcher for EPL, from Definition 1 of seed 003 and the words around it, not from Tables 1 and 2.

A history is a list of stages; stage 0 lies before the first. An instance of an event lies between two stages: it begins
after the one and ends at the other. `ends(E, σ, starts)` are the stages at which instances of E end that begin right
after one of the given stages, with the variables that they leave bound, given the bindings σ of the events before.

- (E1, …, En): E2 begins right after E1 ends, and so on. *:E: any number of instances, one right after the other.
- E1 & E2: both end at the same stage, wherever after the given stages they begin. {E1, E2}: one of them does.
- !E takes one stage: one of those right after the given ones, at which no instance of E ends.
- [E1, E2] allows any number of stages in between; prior(E1, E2): E1 ends before E2 ends; first(E): E and no E before.
- A negation, a star and a disjunction leave the bindings as they were: what they bind is theirs.
- S within d: from the end of the first part of S to the end of S it takes no longer than d.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cera.languages.epl.syntax import (
    AnyEvent,
    Basic,
    Conjunction,
    Disjunction,
    Event,
    First,
    Negation,
    Prior,
    RelaxedSequence,
    Sequence,
    Star,
    Within,
)
from cera.model.evaluation.evaluator import Evaluator
from cera.model.expressions.expression import DurationLiteral, Expression, Literal, rebuild, variables
from cera.model.time.durations import Duration
from cera.modules.tuples import EventTuple

#: Variables with what they are bound to, sorted by name.
Bindings = tuple[tuple[str, EventTuple], ...]
Ends = set[tuple[Bindings, int]]


@dataclass(frozen=True)
class Stage:
    events: Mapping[str, tuple[EventTuple, ...]]
    time: int


class Matcher:
    def __init__(self, history: list[Stage]) -> None:
        self.history = history
        self.last = len(history)

    def detections(self, event: Event) -> Ends:
        """All occurrences of the event: it may begin anywhere."""
        return self.ends(event, (), frozenset(range(self.last + 1)))

    def ends(self, event: Event, bindings: Bindings, starts: frozenset[int]) -> Ends:
        match event:
            case Basic():
                return self._basic(event, bindings, starts)
            case AnyEvent():
                return {(bindings, start + 1) for start in starts if start < self.last}
            case Sequence():
                return self._sequence(event.events, bindings, starts, gaps=False)
            case RelaxedSequence():
                return self._sequence(event.events, bindings, starts, gaps=True)
            case Star():
                reached = starts
                while True:
                    further = reached | {end for _, end in self.ends(event.event, bindings, reached)}
                    if further == reached:
                        return {(bindings, end) for end in reached}
                    reached = further
            case Conjunction():
                together = {(bindings, end) for end in range(self.last + 1)}
                for part in event.events:
                    found = self.ends(part, bindings, starts)
                    together = {(_merge(a, b), i) for a, i in together for b, j in found if i == j}
                return together
            case Disjunction():
                return {(bindings, end) for part in event.events for _, end in self.ends(part, bindings, starts)}
            case Negation():
                happened = {end for _, end in self.ends(event.event, bindings, starts)}
                return {(bindings, s + 1) for s in starts if s < self.last and s + 1 not in happened}
            case Prior():
                return self._prior(event.events, bindings, starts, None)
            case First():
                found = self.ends(event.event, bindings, starts)
                earliest = min((end for _, end in found), default=0)
                return {(b, end) for b, end in found if end == earliest and end - 1 in starts}
            case Within():
                return self._within(event.event, event.duration, bindings, starts)

    def _basic(self, event: Basic, bindings: Bindings, starts: Iterable[int]) -> Ends:
        found = set()
        for start in starts:
            if start >= self.last:
                continue
            for happened in self.history[start].events.get(event.type.predicate, ()):
                bound = bindings if event.variable is None else _merge(bindings, ((event.variable.name, happened),))
                if all(_holds(condition, bound) for condition in event.conditions):
                    found.add((bound, start + 1))
        return found

    def _sequence(self, events: Iterable[Event], bindings: Bindings, starts: frozenset[int], gaps: bool) -> Ends:
        reached = {bindings: starts}
        for index, part in enumerate(events):
            following: dict[Bindings, set[int]] = defaultdict(set)
            for bound, after in reached.items():
                begins = frozenset(range(min(after), self.last + 1)) if gaps and index else after
                for further, end in self.ends(part, bound, begins):
                    following[further].add(end)
            reached = {bound: frozenset(found) for bound, found in following.items()}
        return {(bound, end) for bound, found in reached.items() for end in found}

    def _prior(self, events: tuple[Event, ...], bindings: Bindings, starts: frozenset[int], limit: int | None) -> Ends:
        *before, last = events
        earlier = (
            self.ends(before[0], bindings, starts)
            if len(before) == 1
            else self._prior(tuple(before), bindings, starts, None)
        )
        return {
            (_merge(a, b), end)
            for a, first_end in earlier
            for b, end in self.ends(last, bindings, starts)
            if first_end < end and (limit is None or self._time(end) - self._time(first_end) <= limit)
        }

    def _within(self, event: Event, duration: Duration, bindings: Bindings, starts: frozenset[int]) -> Ends:
        if isinstance(event, Prior):
            return self._prior(event.events, bindings, starts, duration.microseconds)
        assert isinstance(event, Sequence | RelaxedSequence)
        by_time: dict[tuple[Bindings, int], set[int]] = defaultdict(set)
        for bound, end in self.ends(event.events[0], bindings, starts):
            by_time[bound, self._time(end)].add(end)
        found = set()
        for (bound, since), ended in by_time.items():
            gaps = isinstance(event, RelaxedSequence)
            begins = frozenset(range(min(ended), self.last + 1)) if gaps else frozenset(ended)
            for further, end in self._sequence(event.events[1:], bound, begins, gaps):
                if self._time(end) - since <= duration.microseconds:
                    found.add((further, end))
        return found

    def _time(self, stage: int) -> int:
        return self.history[stage - 1].time


def _merge(one: Bindings, other: Bindings) -> Bindings:
    return tuple(sorted({**dict(one), **dict(other)}.items(), key=lambda item: item[0]))


def _holds(condition: Expression, bindings: Bindings) -> bool:
    bound = dict(bindings)
    values = {}
    for name in variables(condition):
        variable, _, attribute = name.partition(".")
        value = bound[variable].attribute(attribute)
        if value is not None:
            values[name] = value
    return Evaluator().holds(_in_microseconds(condition), values, {})


def _in_microseconds(expression: Expression) -> Expression:
    if isinstance(expression, DurationLiteral):
        return Literal(expression.duration.microseconds)
    return rebuild(expression, _in_microseconds)
