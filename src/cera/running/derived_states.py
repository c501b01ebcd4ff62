"""Derived states on their way to an output: once, when they have ended, or as they open and close.

Events that only serve to compose states are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from cera.model.events.event import DerivedEvent, Event
from cera.model.events.states import ENDING, OPENING, is_early_answer, is_ending, is_internal, is_opening, state_label
from cera.modules.processor import Detection


class DerivedStates:
    """The derived states of a run that are open. With `changes`, openings are shown as they come, and
    answers over all of a state when they are certain."""

    def __init__(self, *, changes: bool) -> None:
        self._changes = changes
        self._open: dict[str, Detection] = {}
        #: The states of no length whose endings came before their openings.
        self._over: set[str] = set()

    def shown(self, found: Iterable[Detection]) -> Iterator[Detection]:
        """Yields those that are shown now."""
        for one in found:
            label = one.label
            if is_internal(label):
                if self._changes and is_early_answer(label):
                    yield one
                continue
            if is_opening(label) and not self._changes:
                if one.occurrence.id in self._over:
                    self._over.remove(one.occurrence.id)
                else:
                    self._open[one.occurrence.id] = one
                continue
            if is_ending(label) and not self._changes:
                opened = self._open.pop(one.occurrence.id, None)
                if opened is None and one.begin == one.end:
                    self._over.add(one.occurrence.id)
            yield one

    def still_open(self) -> list[Detection]:
        """Returns the openings of the states that have not ended and were not shown, in the order of time."""
        return sorted(self._open.values(), key=lambda one: one.begin)


def with_known_causes(derived: Iterable[DerivedEvent], events: Iterable[Event]) -> list[DerivedEvent]:
    """Returns derived events in which the causes of states are the events themselves, as far as these are known.

    The processors of states know no more of a cause than its id and its times.
    """
    found = list(derived)
    known = {event.id: event for event in (*(one.event for one in found), *events) if not is_ending(event.label)}
    return [_known(one, known) if _is_bare(one) else one for one in found]


def _is_bare(one: DerivedEvent) -> bool:
    """Returns whether some cause may be known by its id and times only."""
    if state_label(one.event.label) is not None:
        return True
    return any(not cause.term.children for way in one.derivations for cause in way.causes.values())


def _known(state: DerivedEvent, known: Mapping[str, Event]) -> DerivedEvent:
    ways = (
        replace(way, causes={name: known.get(cause.id, cause) for name, cause in way.causes.items()})
        for way in state.derivations
    )
    return replace(state, derivations=tuple(ways))


def ended_states(derived: Mapping[str, int]) -> dict[str, int]:
    """Returns how many derived states have ended, by label, from the numbers of derived events."""
    return {label.removeprefix(ENDING): number for label, number in derived.items() if label.startswith(ENDING)}


def counted_states(derived: Mapping[str, int], *, changes: bool) -> Counter[str]:
    """Returns the numbers of derived events by label with each state counted once, under the label of its opening."""
    events = {label: n for label, n in derived.items() if state_label(label) is None}
    counted = Counter({label: n for label, n in events.items() if not is_early_answer(label)})
    for label, number in derived.items():
        state = state_label(label)
        if state is not None and (is_opening(label) or not changes):
            counted[OPENING + state] += number
    return counted
