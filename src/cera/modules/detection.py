"""The detections of modules over histories: an event of one time, with all derivations that produced it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator

from cera.model.events.event import Derivation, DerivedEvent
from cera.model.events.occurrence import Occurrence
from cera.model.terms.term import Term, Value
from cera.model.time.interval import Time

#: A way in which an event was detected: the rule, and the events that it rests on by name.
Way = tuple[str, Iterable[tuple[str, Occurrence]]]


class TermDetection(ABC):
    """A detected event whose term is known, with all the ways in which it was detected."""

    __slots__ = ("_occurrence", "begin", "end", "term")

    def __init__(self, term: Term, begin: Time, end: Time) -> None:
        self.term = term
        self.begin = begin
        self.end = end
        self._occurrence: Occurrence | None = None

    @property
    def label(self) -> str:
        return self.term.label

    @property
    def leaves(self) -> bool:
        """False: modules send nothing away."""
        return False

    @property
    def occurrence(self) -> Occurrence:
        if self._occurrence is None:
            self._occurrence = Occurrence(self.begin, self.end, self.term.label, known=self.term)
        return self._occurrence

    @abstractmethod
    def ways(self) -> Iterator[Way]:
        """Yields the ways in which it was detected; some may be the same."""

    def result(self) -> DerivedEvent:
        ways = tuple(Derivation(rule, {name: cause.event for name, cause in causes}) for rule, causes in self.ways())
        if len(ways) > 1:  # their keys have the ids of their causes, which take time
            different = {way.key: way for way in ways}
            ways = tuple(different[key] for key in sorted(different))
        return DerivedEvent(self.occurrence.event, ways)


def tick_occurrence(clock: str, time: Time, since: Value) -> Occurrence:
    """Returns a tick of a clock as a cause, though it is not an event of the stream."""
    return Occurrence(time, time, clock, known=Term(clock, [Term("since", [since])]))
