"""Absolute timers: `timer:datetime{{ weekday{1}, hour{9} }}` and `timer:NAME{{…}}` for a named calendar.

A timer is a pattern for the parts of a date and time. The parts with a number are fixed; for `datetime` the others are
free down to the finest one that is mentioned and lowest below it, so that `hour{9}` is every day at 9:00:00. A calendar
occurs when it says, and fixed parts are those of the begin of its occurrence, by its own time zone.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cache
from zoneinfo import ZoneInfo

from cera.model.events.event import Event
from cera.model.expressions.expression import TimerQuery
from cera.model.matching.patterns import (
    Descendant,
    OptionalPattern,
    Pattern,
    ScalarPattern,
    TermPattern,
    VariablePattern,
    Without,
)
from cera.model.message_text import did_you_mean
from cera.model.terms.term import Term, format_scalar
from cera.model.time.allen import RELATIONS
from cera.model.time.clock import DATETIME_PARTS, FINENESS, RANGES, ClockPattern, Part, clock_parts, time_zone
from cera.model.time.interval import Interval, Time, point
from cera.model.time.recurrence import Calendar

DATETIME = "datetime"


class CalendarError(ValueError):
    """A calendar or the file it stands in is wrong, or there is no such calendar."""


def check_timer(query: TimerQuery, calendars: Sequence[Calendar]) -> list[str]:
    """Returns what is wrong with the parts of a timer; whether its calendar exists is not checked here."""
    parts, problems = _read_parts(query.pattern)
    if query.name == DATETIME and not parts and not problems:
        problems.append(f"timer:datetime has no part; it needs one of {', '.join(DATETIME_PARTS)}")
    incomplete = query.pattern.total and set(parts) != set(DATETIME_PARTS)
    if not problems and (incomplete or query.pattern.ordered):
        problems.append(
            f"the event of a timer has all of {', '.join(DATETIME_PARTS)}, in no order, and this pattern never "
            f"matches that; write timer:{query.name}{{{{ … }}}}"
        )
    return problems


def timer_events(
    query: TimerQuery, calendars: Sequence[Calendar], first: Time, last: Time, timezone: str
) -> Iterator[Event]:
    """Yields the events of a timer that touch [first, last], by their begins; each has all parts in its term."""
    zone = _zone(query, calendars, timezone)
    label = f"timer:{query.name}"
    for interval in timer_intervals(query, calendars, first, last, timezone):
        parts = clock_parts(interval.begin, zone)
        yield Event(Term(label, itertools.starmap(_part, parts.items())), interval)


@cache
def _part(part: Part, value: int) -> Term:
    """Returns one term for all ticks that have the part: a timer may tick every second."""
    return Term(part, [value])


def timer_intervals(
    query: TimerQuery, calendars: Sequence[Calendar], first: Time, last: Time, timezone: str
) -> Iterator[Interval]:
    """Yields the intervals of a timer that touch [first, last], in the order of their begins."""
    if problems := check_timer(query, calendars):
        raise CalendarError(problems[0])
    zone = _zone(query, calendars, timezone)
    parts, _ = _read_parts(query.pattern)
    fixed = tuple((part, value) for part, value in parts.items() if value is not None)
    if query.name == DATETIME:
        pattern = ClockPattern(fixed, max(parts, key=FINENESS.__getitem__))
        return map(point, pattern.times(first, last, zone))
    return _with_parts(_calendar(query.name, calendars).occurrences(first, last), fixed, zone)


#: The relations of an occurrence to an interval in which it touches the begin of the interval, or else its end.
_AT_BEGIN = frozenset(("meets", "overlaps", "starts", "started-by", "contains", "equals"))
_AT_END = frozenset(("met-by", "overlapped-by", "finishes", "finished-by"))


def occurs_in_relation(
    query: TimerQuery, calendars: Sequence[Calendar], relation: str, interval: Interval, timezone: str
) -> bool:
    """Returns whether some occurrence stands in Allen's relation to the interval; never called for `before` and
    `after`.

    Only occurrences at one of the two ends can do so, or, for `during`, one inside. They come in the order of their
    begins, so the first that begins inside most often decides. A month of seconds is never gone through.
    """
    begin, end = interval
    if relation in _AT_BEGIN:
        end = begin
    elif relation in _AT_END:
        begin = end
    related = RELATIONS[relation]
    return any(related(one, interval) for one in timer_intervals(query, calendars, begin, end, timezone))


def _with_parts(
    occurrences: Iterator[Interval], fixed: tuple[tuple[Part, int], ...], zone: ZoneInfo
) -> Iterator[Interval]:
    for occurrence in occurrences:
        parts = clock_parts(occurrence.begin, zone) if fixed else {}
        if all(parts[part] == value for part, value in fixed):
            yield occurrence


def _zone(query: TimerQuery, calendars: Sequence[Calendar], timezone: str) -> ZoneInfo:
    return time_zone(timezone if query.name == DATETIME else _calendar(query.name, calendars).timezone)


def _calendar(name: str, calendars: Sequence[Calendar]) -> Calendar:
    for calendar in calendars:
        if calendar.name == name:
            return calendar
    guess = did_you_mean(name, (DATETIME, *(calendar.name for calendar in calendars)))
    raise CalendarError(f"there is no calendar '{name}'{guess}")


def _read_parts(pattern: TermPattern) -> tuple[dict[Part, int | None], list[str]]:
    """Returns the parts that the pattern mentions, with their numbers where fixed, and what is wrong with it."""
    parts: dict[Part, int | None] = {}
    required: set[Part] = set()
    problems: list[str] = []
    for child in pattern.children:
        inner, binding = _unwrapped(child)
        if not isinstance(inner, TermPattern):
            problems.append(f"a timer has parts like hour{{9}} or hour{{var H}}; there are {', '.join(DATETIME_PARTS)}")
            continue
        part = next((known for known in DATETIME_PARTS if known == inner.label), None)
        if part is None:
            problems.append(_unknown_part(inner))
            continue
        value = _number(part, inner)
        if isinstance(value, str):
            problems.append(value)
        elif not binding:
            parts.setdefault(part, None)
        elif part in required:
            problems.append(f"'{part}' stands twice, but a time has only one")
        else:
            required.add(part)
            parts[part] = value
    return parts, problems


def _unwrapped(pattern: Pattern) -> tuple[Pattern, bool]:
    """Returns the pattern inside of `var X ->`, `desc`, `without`, `optional`; False if it need not match (the last
    two)."""
    match pattern:
        case VariablePattern(pattern=inner) if inner is not None:
            return _unwrapped(inner)
        case Descendant(pattern=inner):
            return _unwrapped(inner)
        case Without(pattern=inner) | OptionalPattern(pattern=inner):
            return _unwrapped(inner)[0], False
        case _:
            return pattern, True


def _unknown_part(pattern: TermPattern) -> str:
    known = ", ".join(DATETIME_PARTS)
    if not isinstance(pattern.label, str):
        return f"the parts of a timer are given by name: {known}"
    guess = did_you_mean(pattern.label, DATETIME_PARTS) or f"; there are {known}"
    return f"a timer has no part '{pattern.label}'{guess}"


def _number(part: Part, pattern: TermPattern) -> int | str | None:
    """Returns the number that a part is fixed to, None when it is free, or what is wrong."""
    example = f"write {part}{{{RANGES[part][-1]}}} or {part}{{var X}}"
    if not pattern.children and not pattern.total:
        return None
    if len(pattern.children) != 1:
        return f"'{part}' has {len(pattern.children)} values instead of one; {example}"
    value, binding = _unwrapped(pattern.children[0])
    if isinstance(value, VariablePattern):
        return None
    if not isinstance(value, ScalarPattern):
        return f"the value of '{part}' is not a whole number; {example}"
    number = value.value
    if isinstance(number, bool) or not isinstance(number, int):
        return f"the value of '{part}' is {format_scalar(number)}, not a whole number; {example}"
    values = RANGES[part]
    if number not in values:
        return f"'{part}' is {number}, but goes from {values[0]} to {values[-1]}"
    return number if binding else None
