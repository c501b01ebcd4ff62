"""Violations as events, and the places that nobody knows."""

from __future__ import annotations

from collections.abc import Iterator

from cera.constraints.semantics import Violation
from cera.constraints.stream import Happening
from cera.model.evaluation.functions import iso
from cera.model.events.event import Derivation, DerivedEvent, Event
from cera.model.events.states import name_of
from cera.model.terms.term import Term
from cera.model.time.interval import Time, point
from cera.model.time.time_text import TimeFormat, TimeUnit

#: The labels of the events that constraints derive.
VIOLATION, UNKNOWN_PLACE = "violation", "unknown_place"


def violation_event(module: str, violation: Violation, unit: TimeUnit | None = None) -> DerivedEvent:
    """Returns a violation as an event: a point at which it is certain. Times in it are numbers of the unit, if any."""
    clause = violation.clause
    children = [Term("constraint", [clause.constraint])]
    if clause.span is not None:
        children.append(Term("place", [str(clause.span)]))
    if violation.values:
        children.append(Term("binding", [Term(name, [value]) for name, value in violation.values]))
    if violation.window is not None:
        begin, end = (written_time(time, unit) for time in violation.window)
        children.append(Term("window", [Term("from", [begin]), Term("to", [end])]))
    children.append(Term("expected", [violation.expected]))
    if violation.found is not None:
        children.append(Term("found", [violation.found]))
    term = Term(VIOLATION, children)
    derivation = Derivation(f"{module}.{clause.name}", _causes(violation))
    return DerivedEvent(Event(term, point(violation.at)), (derivation,))


def written_time(time: Time, unit: TimeUnit | None) -> str | int | float:
    """Returns a time as a value: a number of the unit, or ISO 8601."""
    return iso(point(time)) or "" if unit is None else TimeFormat(unit).format(time)


def _causes(violation: Violation) -> dict[str, Event]:
    """Returns the events at fault by name: their identifiers, or else their labels with a number."""
    found: dict[str, Event] = {}
    for name, happening in violation.identified:
        for event in _events(happening):
            found.setdefault(name, event)
    for happening in violation.faults:
        for event in _events(happening):
            if event not in found.values():
                label, number = name_of(event.label), 1
                while (name := label if number == 1 else f"{label} {number}") in found:
                    number += 1
                found[name] = event
    return found


def _events(happening: Happening) -> Iterator[Event]:
    if happening.event is not None:
        yield happening.event
    for each in happening.sources:
        yield from _events(each)


def unknown_place_event(module: str, name: str, at: Time) -> DerivedEvent:
    """Returns the report of a place that conditions ask for and nobody knows, once for each."""
    shown = [Term("name", [name])] if name else []
    term = Term(UNKNOWN_PLACE, [Term("file", [module]), *shown])
    return DerivedEvent(Event(term, point(at)), (Derivation(module, {}),))
