"""Times of clauses that a recording does not have: what is counted from below in them is never missed.

    WHILE Range 1h LET … exists >= 5 …                     no whole hour lies in the recording
    WHILE ["2026-01-01", "2026-02-01"] LET …               the recording is of another year
    … event w: from-start-backward[x, 1h] THEN while w: …  no event has an hour of the recording before it

A time that may have been judged is taken for one that was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from cera.constraints.clause import Clause
from cera.constraints.numbers import counts
from cera.constraints.queries import Combination, Literal, Part, TimerLiteral, WindowLiteral
from cera.constraints.times import between
from cera.model.evaluation.evaluator import Evaluator
from cera.model.expressions.atoms import Between, Sliding
from cera.model.expressions.expression import EventReference, event_references
from cera.model.time.durations import shift
from cera.model.time.interval import Interval, Time
from cera.model.time.time_text import TimeFormat
from cera.model.time.timers import TIMERS


@dataclass(frozen=True)
class Recording:
    """The time of a recording, and how times are written and windows of the clock are laid."""

    extent: Interval
    times: TimeFormat
    timezone: str = "UTC"
    origin: Time = 0


@dataclass(frozen=True)
class _Outside:
    """Why a time was not judged from below; `empty` if nothing of the recording can be in it either."""

    reason: str
    empty: bool = False


def unjudged_time(clause: Clause, recording: Recording) -> str | None:
    """Returns why none of the times in which a clause counts was judged; None if some may have been."""
    outside = dict(_outside(clause, recording))
    for part in clause.body:
        for found in _times(part, outside):
            if found.empty and isinstance(part, Literal) and _from_below(part):
                return found.reason
    for alternative in clause.head:
        reasons = [_irrefutable(part, outside) for part in alternative]
        if reasons and None not in reasons:  # whatever the other alternatives are
            return reasons[0]
    return None


def _irrefutable(part: Part, outside: Mapping[str, _Outside]) -> str | None:
    """Returns why a part of a head cannot be refuted; None if it can."""
    if not isinstance(part, Literal) or part.kind == "relation":
        return None
    return next((each.reason for each in _times(part, outside) if each.empty or _from_below(part)), None)


def _from_below(literal: Literal) -> bool:
    """Returns whether more of it never hurts, and none at all does."""
    if literal.negated:
        return False
    numbers = None if literal.count is None else counts(literal.count)
    if literal.count is None:
        return True
    return numbers is not None and 0 not in numbers and bool(numbers) and numbers.has_all_from(numbers.ranges[0][0])


def _times(part: Part, outside: Mapping[str, _Outside]) -> Iterator[_Outside]:
    """Yields the times outside of the recording that a literal has to be in."""
    named: Iterable[EventReference] = ()
    match part:
        case Literal(time=EventReference() as one):
            named = (one,)
        case Literal(time=Combination("intersection", several, of_modules=True)):
            # what they have in common may lie in the recording where one of them does not as a whole
            named = [each for each in several if each.identifier in outside and outside[each.identifier].empty]
        case _:
            pass
    return (outside[each.identifier] for each in named if each.identifier in outside)


def _outside(clause: Clause, recording: Recording) -> Iterator[tuple[str, _Outside]]:
    derived = {each.head.atom.label for each in clause.definitions}
    events = {
        part.identifier.identifier
        for part in clause.body
        if isinstance(part, Literal) and part.kind == "event" and part.identifier is not None
        if part.atom.label not in derived
    }
    for part in clause.body:
        match part:
            case WindowLiteral(Sliding() as window, EventReference(name)):
                found = _sliding(window, recording)
            case WindowLiteral(Between() as window, EventReference(name)):
                found = _between(window, recording)
            case TimerLiteral(anchor=EventReference(anchor), identifier=EventReference(name)) if anchor in events:
                found = _backward(part, recording)
            case _:
                continue
        if found is not None:
            yield name, found


def _sliding(window: Sliding, recording: Recording) -> _Outside | None:
    (begin, end), length = recording.extent, window.range.microseconds
    slide = length if window.slide is None else window.slide.microseconds
    first = recording.origin - (recording.origin - begin) // slide * slide
    if first + length - 1 <= end:
        return None
    if end - begin + 1 < length:
        return _Outside(f"the recording is shorter than a window of {window.range}")
    return _Outside(f"no window of {window.range} lies in the recording as a whole")


def _between(window: Between, recording: Recording) -> _Outside | None:
    if event_references(window.begin) | event_references(window.end):
        return None
    found = between(window, None, {}, {}, Evaluator((), recording.timezone), recording.timezone)
    if found is None:
        return None
    (begin, end), extent = found.interval, recording.extent
    if extent.begin <= begin and end <= extent.end:
        return None
    named = f"the window from {recording.times.format(begin)} to {recording.times.format(end)}"
    if end < extent.begin or begin > extent.end:
        return _Outside(f"{named} is outside of the recording", empty=True)
    return _Outside(f"{named} does not lie in the recording as a whole")


def _backward(timer: TimerLiteral, recording: Recording) -> _Outside | None:
    """Returns why a timer on an event begins before the recording, whenever the event is."""
    (_, sign), _ = TIMERS[timer.timer]
    begin = shift(recording.extent.end, -timer.duration) if sign < 0 else None
    if begin is None or begin >= recording.extent.begin:
        return None
    return _Outside(f"the recording is shorter than the {timer.duration} before an event")
