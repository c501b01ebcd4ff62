"""Violations as events, and the places that nobody knows."""

from __future__ import annotations

from collections.abc import Container, Iterator
from itertools import chain, count
from pathlib import PurePath

from cera.constraints.semantics import Violation
from cera.constraints.stream import Happening
from cera.diagnostics import Span
from cera.model.evaluation.functions import iso
from cera.model.events.event import Derivation, DerivedEvent, Event
from cera.model.events.states import name_of
from cera.model.terms.term import Term
from cera.model.time.interval import Time, point
from cera.model.time.time_text import TimeFormat, TimeUnit

#: The labels of the events that constraints derive.
VIOLATION, UNKNOWN_PLACE = "violation", "unknown_place"


def place_of(span: Span) -> str:
    """Returns where a constraint is written, whatever the folder from which its file was named: it is part of the id of
    a violation."""
    return f"{PurePath(span.source.name).name}:{span.line}:{span.column}"


def violation_event(module: str, violation: Violation, unit: TimeUnit | None = None) -> DerivedEvent:
    """Returns a violation as an event: a point at which it is certain. Times in it are numbers of the unit, if any."""
    clause = violation.clause
    children = [Term("constraint", [clause.constraint])]
    if clause.span is not None:
        children.append(Term("place", [place_of(clause.span)]))
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
    """Returns the events at fault by name: their identifiers, or else their labels with a number.

    An event that is more than one of them is there for each. What was derived from others is there by these.
    """
    found: dict[str, Event] = {}
    sources: list[Event] = []
    for name, happening in violation.identified:
        first, *more = _events(happening)
        found[name] = first
        sources += more
    for happening in violation.faults:
        if happening.event is not None:
            found[numbered(name_of(happening.event.label), found)] = happening.event
        else:
            sources += _events(happening)
    for event in sources:
        if event not in found.values():
            found[numbered(name_of(event.label), found)] = event
    return found


def numbered(label: str, taken: Container[str]) -> str:
    """Returns a label, with a number behind it if it is taken: `bid 2`."""
    numbers = (f"{label} {number}" for number in count(2))
    return next(name for name in chain([label], numbers) if name not in taken)


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
