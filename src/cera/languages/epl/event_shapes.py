"""Events that cannot be: those that may be empty where something has to happen, and limits of time on nothing."""

from __future__ import annotations

from collections.abc import Iterator

from cera.diagnostics import Diagnostic
from cera.languages.epl.syntax import (
    Basic,
    Conjunction,
    Event,
    First,
    Negation,
    Prior,
    RelaxedSequence,
    Rule,
    Sequence,
    Within,
    basics,
    can_be_empty,
    parts,
    walk,
)
from cera.languages.epl.variables import result_expressions
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import DurationLiteral

#: The most levels of the tree of an event, in which lists nest too: (E1, E2, E3) is seq(E1, seq(E2, E3)).
MOST_LEVELS = 200


def check_shapes(rule: Rule) -> Iterator[Diagnostic]:
    """Reports events that may be empty (EP301), limits of time that bound nothing or have no fixed length (EP302),
    events that are too long (EP304)."""
    if (levels := _levels(rule.event)) > MOST_LEVELS:
        message = f"this has {levels:,} events in a row or one inside of the other; there can be {MOST_LEVELS}"
        hint = "give a part of it a rule of its own, `as part(…)`, and monitor `part` in another module"
        yield Diagnostic("EP304", "error", message, rule.event.span, hint)
    if can_be_empty(rule.event):
        yield _empty(rule.event, "the event of a rule")
    for event in walk(rule.event):
        yield from _parts(event, rule)
        if isinstance(event, Within):
            yield from _limit(event)
    yield from _calendar_lengths(rule)


def _levels(event: Event) -> int:
    """Returns how many levels the tree of the event has. Lists nest to the right, `prior` to the left."""
    if isinstance(event, Within):
        return _levels(event.event)
    inside = parts(event)[::-1] if isinstance(event, Prior) else parts(event)
    deepest = max(1, len(inside) - 1)
    return max((min(place, deepest) + _levels(part) for place, part in enumerate(inside, 1)), default=1)


def _parts(event: Event, rule: Rule) -> Iterator[Diagnostic]:
    match event:
        case Negation():
            where = "what `!` negates"
        case Conjunction():
            where = "a part of `&`"
        case Prior():
            where = "a part of `prior`"
        case First():
            where = "what `first` looks for"
        case RelaxedSequence() if rule.context != "unrestricted":
            where = f"a part of `[…]` in the {rule.context} context"
        case _:
            return
    for part in parts(event):
        if can_be_empty(part):
            yield _empty(part, where)


def _empty(event: Event, where: str) -> Diagnostic:
    message = f"this may consist of no event at all, and {where} has to happen"
    hint = "`*:E` is zero or more; write `(E, *:E)` for one or more"
    return Diagnostic("EP301", "error", message, event.span, hint)


def _limit(event: Within) -> Iterator[Diagnostic]:
    inner = event.event
    if event.duration.months:
        message = "months and years have no fixed length, so they cannot limit a sequence"
        yield Diagnostic("EP302", "error", message, event.span, "write days: `within 30 days`")
    match inner:
        case Sequence() | RelaxedSequence() if can_be_empty(inner.events[0]):
            message = "`within` counts from the end of the first event, which may be missing here"
            yield Diagnostic("EP302", "error", message, event.span, "begin with an event that has to happen")
        case Prior() if len(inner.events) > 2:
            message = "`within` limits `prior` of two events only"
            hint = "say what the time runs between: `((A ; B) within 1 hour ; C) within 1 hour`"
            yield Diagnostic("EP302", "error", message, event.span, hint)
        case Sequence() | RelaxedSequence() | Prior():
            pass
        case _:
            message = "`within` limits sequences: `( , )`, `[ , ]`, `prior` and `;`"
            hint = "put the sequence in brackets: `[E1, E2] within 1 hour`"
            if isinstance(inner, Basic):
                message += "; an event alone takes no time"
            yield Diagnostic("EP302", "error", message, event.span, hint)


def _calendar_lengths(rule: Rule) -> Iterator[Diagnostic]:
    conditions = [condition for basic in basics(rule.event) for condition in basic.conditions]
    for expression in (*conditions, *result_expressions(rule)):
        for part in expressions.walk(expression):
            if isinstance(part, DurationLiteral) and part.duration.months:
                message = "months and years have no fixed length, and times are compared in microseconds"
                yield Diagnostic("EP302", "error", message, part.span, "write days: `30 days`")
