"""Events that several layers derive: one event, with all the ways in which it was derived."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cera.engines.local.host import Found
from cera.model.events.event import DerivedEvent, in_output_order
from cera.model.events.occurrence import Occurrence


class Merged:
    """What several parts of a program derived at one time, and is one event."""

    def __init__(self, parts: Sequence[Found]) -> None:
        self._parts = parts

    @property
    def begin(self) -> int:
        return self._parts[0].begin

    @property
    def end(self) -> int:
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


def together(found: Sequence[Found]) -> Sequence[Found]:
    """What was derived at one time, each event once."""
    if len({(one.label, one.begin) for one in found}) == len(found):
        return found
    by_event: dict[object, list[Found]] = {}
    for one in found:
        by_event.setdefault(one.occurrence.event, []).append(one)
    return [several[0] if len(several) == 1 else Merged(several) for several in by_event.values()]


def merged(derived: Iterable[DerivedEvent]) -> list[DerivedEvent]:
    """Derived events in the order of output, each once; the ways of one are in the order of their keys."""
    by_event: dict[object, list[DerivedEvent]] = {}
    for one in derived:
        by_event.setdefault(one.event, []).append(one)
    return in_output_order(one[0] if len(one) == 1 else _one(one) for one in by_event.values())


def _one(several: Sequence[DerivedEvent]) -> DerivedEvent:
    ways = {way.key: way for one in several for way in one.derivations}
    return DerivedEvent(several[0].event, tuple(ways[key] for key in sorted(ways)), several[0].recipient)
