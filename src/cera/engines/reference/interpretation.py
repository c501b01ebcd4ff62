"""Interpretations: the set I of events that happen, base and derived (Def. 0.7 of seed 000)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cera.model.events.event import Event
from cera.model.matching.matching import Substitution, match
from cera.model.matching.patterns import Pattern, TermPattern
from cera.model.time.interval import Interval


class Interpretation:
    """A set of events with an index by label. Answers of patterns on single events are remembered."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._events: dict[Event, None] = {}
        self._by_label: dict[str, list[Event]] = {}
        self._answers: dict[tuple[int, Event], list[Substitution]] = {}
        self.add(events)

    def add(self, events: Iterable[Event]) -> None:
        for event in events:
            if event not in self._events:
                self._events[event] = None
                self._by_label.setdefault(event.label, []).append(event)

    def __contains__(self, event: Event) -> bool:
        return event in self._events

    def __iter__(self) -> Iterator[Event]:
        return iter(self._events)

    def __len__(self) -> int:
        return len(self._events)

    def candidates(self, pattern: Pattern) -> list[Event]:
        """The events that the pattern could match, judging by the label."""
        if isinstance(pattern, TermPattern) and isinstance(pattern.label, str):
            return self._by_label.get(pattern.label, [])
        return list(self._events)

    def answers(self, pattern: Pattern, event: Event) -> list[Substitution]:
        """{σ | σ(pattern) ≼ event}. The pattern must live as long as this object: it is known by its identity."""
        key = (id(pattern), event)
        found = self._answers.get(key)
        if found is None:
            found = self._answers[key] = match(pattern, event.term)
        return found

    def restricted(self, interval: Interval) -> Interpretation:
        """I|t: the events that happen within t."""
        return Interpretation(event for event in self if interval.contains(event.interval))
