"""The way of a run: the transitions that have fired in it, with their events. It is kept where `why` asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cera.automata.explanations import Name, shown
from cera.automata.structure import Structure
from cera.model.events.occurrence import Occurrence, unwrap
from cera.model.terms.term import Term
from cera.model.time.interval import Time


class Firing(NamedTuple):
    """A transition that an instance has executed, by its number; without an event if time alone made it fire."""

    time: Time
    number: int
    name: Name
    event: Occurrence | None

    @property
    def order(self) -> tuple[Time, int, str, str]:
        return self.time, self.number, "" if self.event is None else self.event.id, repr(self.name)


Trace = tuple[Firing, ...]


def shortest(one: Trace, other: Trace) -> Trace:
    """Returns the trace that is kept of two runs that have become equal: the shorter one, or else the first in order.

    With the same firings after it, it is still the one that is kept.
    """
    if one == other:
        return one
    return min(one, other, key=lambda trace: (len(trace), [firing.order for firing in trace]))


def trace_causes(structure: Structure, trace: Trace, fault: Occurrence | None) -> Sequence[tuple[str, Occurrence]]:
    """Returns the transitions of a run that has died as causes, and the event that it did not survive."""
    found: list[tuple[str, Occurrence]] = []
    for position, firing in enumerate(trace, start=1):
        transition = structure.steps[firing.number].transition
        name = f"{position}. {transition.text or transition.name}"
        if firing.name:
            name += f" [{', '.join(f'{attribute} {shown(unwrap(value))}' for attribute, value in firing.name)}]"
        found.append((name, firing.event or _time_passed(firing.time)))
    return [*found, *([] if fault is None else [("event", fault)])]


def _time_passed(time: Time) -> Occurrence:
    """Returns what made a transition without an event fire."""
    return Occurrence(time, time, "time", known=Term("time", ["has come"]))
