"""Events that several modules derive: one event, with all the ways in which it was derived."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter

from cera.model.events.event import DerivedEvent, in_output_order
from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import Time
from cera.modules.processor import Detection


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
    """Returns derived events in the order of output, each once; the ways of one are in the order of their keys."""
    by_event: dict[object, list[DerivedEvent]] = {}
    for one in derived:
        by_event.setdefault(one.event, []).append(one)
    return in_output_order(one[0] if len(one) == 1 else _one(one) for one in by_event.values())


def _one(several: Sequence[DerivedEvent]) -> DerivedEvent:
    ways = {way.key: way for one in several for way in one.derivations}
    return DerivedEvent(several[0].event, tuple(ways[key] for key in sorted(ways)), several[0].recipient)
