"""Random streams: few labels, small values, and times on a grid of seconds, so that boundaries coincide.

    a{k{1}, v{…}}                     b[k{1}, v{…}, v{…}]
    c{k{1}, sub{u{…}, w[…, …]}}       d, d{x{1}}, d{…}

`k` holds a small integer on which events join; `d` can also be derived, so that an event may be both base and derived.
"""

from __future__ import annotations

from collections.abc import Sequence

from cera.model.events.event import Event
from cera.model.terms.term import Term, Value
from cera.model.terms.values import Scalar
from cera.model.time.interval import Interval
from cera.testing import SECOND

from .choices import Choices

#: The last second of a stream.
LAST_SECOND = 30

#: The labels of base events. Rules may derive the last one as well.
BASE_LABELS = ("a", "b", "c", "d")

_OFTEN = (0, 5, 10, 15, 20, 25, 30)
_LENGTHS = (5, 10, 1, 2, 3)
_STRINGS = ("x", "y", "xy", "ü")
ODD_NAMES = ("and", "event", "@id", "x-y", "zwei Wörter", "true", "var", "timer", "")


def stream(choices: Choices, most: int = 12, labels: Sequence[str] | None = None) -> tuple[Event, ...]:
    """Up to `most` events: points and intervals, several at the same time, equal ones with and without ids.

    Unless told which, a stream has few of the labels, so that rules find several events of the same kind.
    """
    size = choices.integer(0, most) if choices.chance(20) else choices.integer(most // 2, most)
    labels = labels or choices.shuffled(BASE_LABELS)[: choices.weighted(((4, 2), (3, 3), (2, 4), (1, 1)))]
    events: list[Event] = []
    for number in range(size):
        if events and choices.chance(15):
            earlier = choices.one_of(events)
            again = earlier.interval if choices.chance(50) else _interval(choices)
            qualifier = f"n{number}" if choices.chance(70) else earlier.qualifier
            events.append(Event(earlier.term, again, qualifier))
        else:
            events.append(Event(base_term(choices, choices.one_of(labels)), _interval(choices)))
    return tuple(events)


def links(choices: Choices, most: int, absent: int = 2) -> tuple[Event, ...]:
    """Flat events a{k{…}, v{…}}, of which many follow upon each other, in value and in time; now and then one of b or
    c.
    """
    events: list[Event] = []
    for second in range(choices.integer(most - 2, most)):
        start = choices.integer(0, 3)
        term = Term("a", [Term("k", [start]), Term("v", [start + 1 if choices.chance(70) else choices.integer(0, 3)])])
        begin = choices.integer(0, 3) if choices.chance(30) else 3 * second
        events.append(Event(term, Interval(begin * SECOND, (begin + choices.integer(0, 2)) * SECOND)))
    for _ in range(choices.integer(0, absent)):
        at = choices.integer(0, LAST_SECOND) * SECOND
        events.append(Event(Term(choices.one_of(("b", "c")), [Term("k", [choices.integer(0, 3)])]), Interval(at, at)))
    return tuple(choices.shuffled(events))


def base_term(choices: Choices, label: str) -> Term:
    """A term as events with this label have it, most of the time."""
    children: list[Value] = [Term("k", [choices.integer(0, 3)])]
    match label:
        case "a":
            children.append(Term("v", [scalar(choices)]))
        case "b":
            children += [Term("v", [scalar(choices)]) for _ in range(choices.integer(1, 2))]
        case "c":
            inner = Term("w", [scalar(choices), scalar(choices)], ordered=True)
            children.append(Term("sub", [Term("u", [scalar(choices)]), inner]))
        case _:
            children = _loose_children(choices)
    if len(children) > 1 and choices.chance(10):
        children.pop(choices.integer(0, len(children) - 1))
    if choices.may("odd name", 3):
        children.append(Term(choices.one_of(ODD_NAMES), [scalar(choices)]))
    return Term(label, children, ordered=label == "b" or choices.chance(5))


def _loose_children(choices: Choices) -> list[Value]:
    match choices.integer(0, 3):
        case 0:
            return [Term("x", [choices.integer(0, 3)])]
        case 1:
            return [Term("x", [choices.integer(0, 3)]), Term("y", [scalar(choices)])]
        case 2:
            return [scalar(choices)]
        case _:
            return []


def scalar(choices: Choices) -> Scalar:
    """A small value: integers more often than fractions, strings and truth values."""
    match choices.weighted(((6, "integer"), (3, "string"), (1, "fraction"), (1, "truth"))):
        case "integer":
            return choices.integer(0, 3)
        case "string":
            return choices.one_of(_STRINGS)
        case "fraction":
            return choices.one_of((0.5, 2.5))
        case _:
            return choices.one_of((True, False))


def _interval(choices: Choices) -> Interval:
    begin = choices.one_of(_OFTEN) if choices.chance(60) else choices.integer(0, LAST_SECOND)
    end = begin if choices.chance(50) else min(LAST_SECOND, begin + choices.one_of(_LENGTHS))
    return Interval(begin * SECOND, end * SECOND)
