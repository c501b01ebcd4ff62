"""Complex event types, small histories for them and what is detected in these, in a short notation.

    history("e1 e1|e2 . e3(v=2) e2@3")

has a word for each second from 1 on: events at the same time are connected by `|`, `.` is a second without any, values
are in brackets, and `@3` says when a longer event began. The s-th event of E1 has the child `n{s}` and is called e1^s:

    detected(answer) == seen("e1^1 e2^1, e1^2 e2^1")
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from cera.instances.events.module import EventTypeModule
from cera.instances.types import STRENGTH, ComplexType, Component, Delimiter, EventType, OperatorName, TimerType
from cera.model.events.event import DerivedEvent, Event
from cera.model.expressions.expression import Comparison, ComparisonOperator, Expression, Literal, Variable
from cera.model.terms.term import Term
from cera.modules.answers.answer import Answer
from cera.modules.monitoring import MonitoredEvents, Output
from cera.testing import SECOND, event

_WORD = re.compile(r"(?P<label>\w+)(?:\((?P<values>[^)]*)\))?(?:@(?P<begin>\d+))?")
_MODES = re.compile(r"^(?P<modes>(?:[^:]+:)*)\s*(?P<type>\w+)(?:\s+as\s+(?P<name>\w+))?$")
_RANGE = re.compile(r"\((?P<least>\d*)(?P<upto>-?)(?P<most>\d*)\)")


def component(text: str) -> Component:
    """`last: inside shared: outside exclusive: (2-): E1 as a`, with the modes in any order."""
    written = _MODES.match(text.strip())
    assert written, text
    given: dict[str, Any] = {"type": written["type"], "name": written["name"] or written["type"]}
    for mode in (each.strip() for each in written["modes"].split(":")[:-1]):
        if mode.startswith("("):
            given["delimiter"] = _delimiter(mode)
        elif mode in STRENGTH:
            given |= {"inside": mode, "outside": mode}
        elif mode.startswith(("inside ", "outside ")):
            domain, _, consumption = mode.partition(" ")
            given[domain] = consumption
        else:
            given["selection"] = mode
    return Component(**given)


def _delimiter(text: str) -> Delimiter:
    found = _RANGE.fullmatch(text)
    assert found, text
    least = int(found["least"] or 0)
    if not found["upto"]:
        return Delimiter(least, least)
    return Delimiter(least, int(found["most"]) if found["most"] else None)


def complex_type(name: str, operator: OperatorName, *components: str, **options: Any) -> ComplexType:
    label = options.pop("label", name)
    return ComplexType(name, operator, tuple(component(each) for each in components), label=label, **options)


def module(*types: EventType, events: str = "", partition: str | None = None, **options: Any) -> EventTypeModule:
    """Of these types; all names that none of them defines are labels of events, and those of `events` are as well."""
    defined = {each.name for each in types}
    names = dict.fromkeys((*(name for each in types for name in _uses(each)), *events.split()))
    monitored = [MonitoredEvents(name, name) for name in names if name not in defined]
    told = [each for each in types if isinstance(each, ComplexType) and not each.hidden]
    outputs = tuple(Output(f"M.{each.name}", each.name, (), each.label, ()) for each in told)
    given = {"monitored": tuple(monitored), **options}
    return EventTypeModule("M", types=tuple(types), outputs=outputs, partition=partition, **given)


def _uses(type_: EventType) -> Iterable[str]:
    match type_:
        case ComplexType():
            return [each.type for each in type_.components]
        case TimerType():
            return [type_.start, *([type_.stop] if type_.stop else [])]


def compared(left: str, operator: ComparisonOperator, right: str | int) -> Expression:
    """`E1.v < E2.v`, or with a number."""
    other = Literal(right) if isinstance(right, int) else Variable(right)
    return Comparison(operator, Variable(left), other)


def history(text: str) -> list[Event]:
    counts: dict[str, int] = {}
    events = []
    for second, simultaneous in enumerate(text.split(), 1):
        for word in simultaneous.split("|") if simultaneous != "." else ():
            found = _WORD.fullmatch(word)
            assert found, word
            label = found["label"].upper()
            counts[label] = counts.get(label, 0) + 1
            values = dict(each.split("=") for each in found["values"].split(",")) if found["values"] else {}
            children = [Term("n", [counts[label]]), *(Term(name, [int(value)]) for name, value in values.items())]
            events.append(event(Term(label, children), float(found["begin"] or second), second))
    return events


def detected(answer: Answer, label: str | None = None) -> list[str]:
    """The primitive events that each detected one rests on, sorted: `e1^1 e2^1`. With a label, those that have it."""
    known = {one.event: one for one in answer.derived}
    told = [one for one in answer.derived if label in (None, one.event.label)]
    return sorted(" ".join(_names(way.causes.values(), known)) for one in told for way in one.derivations)


def _names(causes: Iterable[Event], known: dict[Event, DerivedEvent]) -> Sequence[str]:
    leaves: set[Event] = set()
    waiting = list(causes)
    while waiting:
        each = waiting.pop()
        if each in known:
            waiting += [cause for way in known[each].derivations for cause in way.causes.values()]
        else:
            leaves.add(each)
    return [_name(one) for one in sorted(leaves, key=lambda one: (one.end, one.begin, one.label, _number(one)))]


def _name(leaf: Event) -> str:
    """Ticks are called by their time: `t@4`."""
    number = _number(leaf)
    return f"{leaf.label.lower()}^{number}" if number else f"{leaf.label.lower()}@{leaf.end / SECOND:g}"


def _number(leaf: Event) -> Any:
    numbers = [each.children[0] for each in leaf.term.children if isinstance(each, Term) and each.label == "n"]
    return numbers[0] if numbers else 0


def seen(text: str) -> list[str]:
    """What `detected` gives for `e1^1 e2^1, e1^2 e2^1`."""
    return sorted(each.strip() for each in text.split(",") if each.strip())


def times(answer: Answer, label: str | None = None) -> list[float]:
    """When something is detected, in seconds."""
    return [one.event.end / SECOND for one in answer.derived if label in (None, one.event.label)]
