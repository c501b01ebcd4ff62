"""A detected event with all derivations that produced it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from cera.model.events.event import Derivation, DerivedEvent
from cera.model.events.occurrence import Occurrence
from cera.model.terms.term import Term
from cera.model.time.interval import Time


class Detection(ABC):
    """An event that a module detected, with all the ways in which it did."""

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
        """Returns whether it is sent away, so that no other rule sees it."""
        return False

    @property
    def occurrence(self) -> Occurrence:
        if self._occurrence is None:
            self._occurrence = Occurrence(self.begin, self.end, self.term.label, known=self.term)
        return self._occurrence

    @abstractmethod
    def derivations(self) -> Iterator[Derivation]:
        """Yields the ways in which it was detected; some may be the same."""

    def result(self) -> DerivedEvent:
        ways = tuple(self.derivations())
        if len(ways) > 1:  # their keys have the ids of their causes, which take time
            different = {way.key: way for way in ways}
            ways = tuple(different[key] for key in sorted(different))
        return DerivedEvent(self.occurrence.event, ways)
