"""Detections: of modules over histories, and those that several modules derive.

A detection is an event of one time with all the ways in which it was derived.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from cera.model.events.event import Derivation, DerivedEvent, in_output_order
from cera.model.events.occurrence import Occurrence
from cera.model.terms.term import Term, Value
from cera.model.time.interval import Time
from cera.modules.processor import Detection

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
    def early(self) -> None:
        """None: modules are certain of an event when it ends."""
        return None

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


class MergedDetection:
    """One event that several modules derived."""

    def __init__(self, parts: Sequence[Detection]) -> None:
        self._parts = parts

    @property
    def begin(self) -> Time:
        return self._parts[0].begin

    @property
    def end(self) -> Time:
        return self._parts[0].end

    @property
    def label(self) -> str:
        return self._parts[0].label

    @property
    def leaves(self) -> bool:
        return self._parts[0].leaves

    @property
    def early(self) -> Time | None:
        return self._parts[0].early

    @property
    def occurrence(self) -> Occurrence:
        return self._parts[0].occurrence

    def result(self) -> DerivedEvent:
        [one] = merged(part.result() for part in self._parts)
        return one


def together(found: Sequence[Detection]) -> list[Detection]:
    """Returns detections that are sorted by their ends, each event once."""
    return [one for _, same in groupby(found, key=attrgetter("end")) for one in _at_one_time(list(same))]


def _at_one_time(found: Sequence[Detection]) -> Sequence[Detection]:
    if len({(one.label, one.begin) for one in found}) == len(found):
        return found
    by_event: dict[object, list[Detection]] = {}
    for one in found:
        by_event.setdefault(one.occurrence.event, []).append(one)
    return [several[0] if len(several) == 1 else MergedDetection(several) for several in by_event.values()]


def merged(derived: Iterable[DerivedEvent]) -> list[DerivedEvent]:
    """Returns derived events in the order of output, each once; the ways of one are in their order."""
    by_event: dict[object, list[DerivedEvent]] = {}
    for one in derived:
        by_event.setdefault(one.event, []).append(one)
    return in_output_order(one[0] if len(one) == 1 else _one(one) for one in by_event.values())


def _one(several: Sequence[DerivedEvent]) -> DerivedEvent:
    ways = {way.key: way for one in several for way in one.derivations}
    ordered = tuple(sorted(ways.values(), key=attrgetter("order")))
    return DerivedEvent(several[0].event, ordered, several[0].recipient)
