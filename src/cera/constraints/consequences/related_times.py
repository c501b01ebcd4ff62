"""Times that others speak of and that are there as well, with how they lie to those of a clause.

    a timer on an event             always happens, if it does not shorten it
    windows of the clock            lie around others, and in others, by their alignment
    windows relative to now         are those of the same present time

Whatever makes the body of a clause hold makes it hold with these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from cera.constraints.cardinalities.windows import aligned, packed
from cera.constraints.clause import Clause
from cera.constraints.consequences.time_bounds import kinds_of, present, span_around_present
from cera.constraints.names import APART, declared_identifier
from cera.constraints.queries import Part, TimerLiteral, ValidityTime, WindowLiteral
from cera.constraints.subsumption.subsumption import covers
from cera.constraints.times import is_moving
from cera.model.expressions.atoms import Sliding, Window
from cera.model.expressions.expression import Call, Comparison, EventReference, Expression
from cera.model.time.periodic_windows import Period
from cera.model.time.timers import TIMERS
from cera.rules.reasoning.time_constraints import MAY_FAIL

#: At most so many times are added, and so many windows that lie in one window.
_MOST, _MOST_INSIDE = 24, 8


@dataclass(frozen=True)
class RelatedTimes:
    """Parts that hold with a body. Those of `inside` are there if the time that they lie in lies in the recording."""

    parts: tuple[Part, ...]
    inside: dict[str, ValidityTime]


def related_times(clause: Clause, premises: Iterable[Clause], *, decided: bool) -> RelatedTimes:
    """Returns the times that the bodies of premises ask for, and that of a clause does not. If all is *decided*,
    windows lie in the recording."""
    found: list[Part] = []
    inside: dict[str, ValidityTime] = {}
    asked = [part for premise in premises for part in premise.body]
    for timer in dict.fromkeys(_unnamed(each) for each in asked if isinstance(each, TimerLiteral)):
        found += _timers(timer, [*clause.body, *found])
    windows = [each for each in clause.body if isinstance(each, WindowLiteral)]
    for window in dict.fromkeys(each.window for each in asked if isinstance(each, WindowLiteral)):
        for each in windows:
            if each.identifier is None or each.window == window:
                continue
            if is_moving(window) and is_moving(each.window):
                found += _at_same_present(window, each.identifier, len(found))
            elif isinstance(window, Sliding) and isinstance(each.window, Sliding):
                found += _around(window, each.window, each.identifier, len(found))
                more = list(_inside(window, each.window, each.identifier, len(found), decided=decided))
                found += more
                inside |= {name.identifier: each.identifier for one in more if (name := declared_identifier(one))}
        if len(found) > _MOST:
            break
    return RelatedTimes(tuple(found), {} if decided else inside)


def _unnamed(timer: TimerLiteral) -> TimerLiteral:
    return replace(timer, anchor=EventReference(""), identifier=None, kind=None)


def _timers(timer: TimerLiteral, known: Sequence[Part]) -> Iterator[TimerLiteral]:
    """Yields a timer on each event that there is, where it is not there already. On a state it is known with that if
    it begins and ends after its begin."""
    (begin_edge, _), (end_edge, _) = TIMERS[timer.timer]
    if timer.timer in MAY_FAIL:
        return
    there = {
        (each.anchor, each.timer, each.duration)
        for each in known
        if isinstance(each, TimerLiteral) and isinstance(each.anchor, EventReference)
    }
    for number, (name, kind) in enumerate(kinds_of(known).items()):
        anchor = EventReference(name)
        if kind not in ("event", "state") or (anchor, timer.timer, timer.duration) in there:
            continue
        if kind == "state" and "end" in (begin_edge, end_edge):
            continue
        own = EventReference(f"{APART}t{len(known)}.{number}")
        yield replace(timer, anchor=anchor, kind=kind, identifier=own)


# Windows


def _around(outer: Sliding, inner: Sliding, name: EventReference, number: int) -> Iterator[Part]:
    """Yields a window around another one."""
    if covers(_period(outer), _period(inner)):
        own = EventReference(f"{APART}w{number}")
        yield WindowLiteral(outer, own)
        yield _at_most(_begin(own), _begin(name))
        yield _at_most(_end(name), _end(own))


def _inside(inner: Sliding, outer: Sliding, name: EventReference, number: int, *, decided: bool) -> Iterator[Part]:
    """Yields windows that lie in another one, of which none overlaps the next. If not all is decided, only the one that
    ends with it: others may be over before it is known that the recording has begun."""
    period, around = _period(inner), _period(outer)
    if not decided:
        ends = period.length <= around.length and not around.slide % period.slide
        if ends and not (around.length - period.length) % period.slide:
            own = EventReference(f"{APART}v{number}")
            yield WindowLiteral(inner, own)
            yield Comparison("=", _end(own), _end(name))
        return
    before: EventReference | None = None
    for place in range(min(packed(around.length, period, aligned(period, around)), _MOST_INSIDE)):
        own = EventReference(f"{APART}v{number}.{place}")
        yield WindowLiteral(inner, own)
        yield _at_most(_begin(name), _begin(own))
        yield _at_most(_end(own), _end(name))
        if before is not None:
            yield Comparison("<", _end(before), _begin(own))
        before = own


def _at_same_present(window: Window, name: EventReference, number: int) -> Iterator[Part]:
    """Yields a window that is relative to the present time that another one is relative to, if there always is one."""
    own = EventReference(f"{APART}n{number}")
    if span_around_present(window) is not None:
        yield WindowLiteral(window, own)
        points = (present(each.identifier) for each in (own, name))
        one, other = (Call("begin", (EventReference(each.identifier),)) for each in points)
        yield Comparison("=", one, other)


def _period(window: Sliding) -> Period:
    length = window.range.microseconds
    return Period(length, length if window.slide is None else window.slide.microseconds)


def _begin(name: EventReference) -> Expression:
    return Call("begin", (name,))


def _end(name: EventReference) -> Expression:
    return Call("end", (name,))


def _at_most(left: Expression, right: Expression) -> Comparison:
    return Comparison("<=", left, right)
