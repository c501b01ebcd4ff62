"""Timers and windows: whether they can be, and how they are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cera.constraints.names import declared_identifier
from cera.constraints.queries import (
    Combination,
    HullLiteral,
    Literal,
    Membership,
    Spread,
    TimerLiteral,
    ValidityTime,
    WindowLiteral,
)
from cera.constraints.specification import limits
from cera.diagnostics import Diagnostic, did_you_mean
from cera.languages.atoms.windows import check_gaps
from cera.languages.escl.module_times import check_outside
from cera.languages.escl.scopes import Scope
from cera.model.expressions.atoms import Between, Sliding
from cera.model.expressions.expression import EventReference, Expression, walk
from cera.model.expressions.expression import Literal as Constant
from cera.model.time.clock import TimeError
from cera.model.time.durations import format_duration
from cera.model.time.periodic_windows import checked_period
from cera.model.time.time_text import parse_datetime
from cera.rules.states import STATE_TIMERS


def check_times(scope: Scope) -> Iterator[Diagnostic]:
    kinds = _kinds(scope)
    declared = {each.identifier: part for part in scope.parts if (each := declared_identifier(part)) is not None}
    for part in scope.parts:
        match part:
            case TimerLiteral():
                yield from _timer(part, kinds)
            case WindowLiteral():
                yield from _window(part, scope)
            case Literal() | Membership():
                yield from _combined(part.time, kinds)
                yield from check_outside(part.time, scope, declared)
            case Spread():
                yield from _bare(part)
            case _:
                pass


def _kinds(scope: Scope) -> dict[str, str]:
    """Returns what identifiers stand for: an event, a state, or a window. A timer is what it is relative to."""
    found: dict[str, str] = {}
    for part in scope.parts:
        identifier = declared_identifier(part)
        if identifier is None:
            continue
        match part:
            case Literal():
                found[identifier.identifier] = part.kind or "event"
            case TimerLiteral():
                anchor = part.anchor
                known = found.get(anchor.identifier) if isinstance(anchor, EventReference) else anchor.kind
                found[identifier.identifier] = known or "event"
            case WindowLiteral():
                found[identifier.identifier] = "window"
            case HullLiteral():
                found[identifier.identifier] = "event"
            case _:
                pass
    return found


def _timer(part: TimerLiteral, kinds: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Reports timers that a state cannot have (EC302), because they would begin or end before it."""
    anchor = part.anchor
    kind = kinds.get(anchor.identifier) if isinstance(anchor, EventReference) else anchor.kind
    if kind == "state" and part.timer not in STATE_TIMERS:
        message = f"a state has no timer `{part.timer}`: it would begin or end before the state does"
        yield Diagnostic("EC302", "error", message, part.span, f"of a state there are {', '.join(STATE_TIMERS)}")
    elif kind == "window":
        hint = "a timer is relative to an event or a state"
        yield Diagnostic("EC302", "error", "a window has no timers", part.span, hint)


def _combined(time: ValidityTime | None, kinds: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Reports the union of states (EC303), whose end is not known when they begin."""
    if isinstance(time, Combination) and time.operator == "union":
        for each in time.identifiers:
            if kinds.get(each.identifier) == "state":
                message = f"`union` is of events, and `{each.identifier}` is a state, whose end may not be known"
                yield Diagnostic("EC303", "error", message, each.span, "write `cover-all`")


def _window(part: WindowLiteral, scope: Scope) -> Iterator[Diagnostic]:
    """Reports windows that cannot be (EC305), that say nothing (EC306) or have gaps between them (EC309)."""
    window = part.window
    if isinstance(window, Sliding):
        for duration in (window.range, window.slide):
            if duration is not None and duration.months:
                message = f"a window of {format_duration(duration)} has no fixed length"
                days = f"`Range {30 * duration.months} days`" if duration is window.range else "`Slide 30 days`"
                yield Diagnostic("EC305", "error", message, part.span, f"write days: {days}")
                return
        slide = window.range if window.slide is None else window.slide
        try:
            checked_period(window.range.microseconds, slide.microseconds, 0)
        except ValueError as error:
            yield Diagnostic("EC305", "error", str(error), part.span)
        else:
            yield from check_gaps(window, "EC309")
    if isinstance(window, Between):
        edges = []
        for bound in (window.begin, window.end):
            if isinstance(bound, Constant) and isinstance(bound.value, str):
                try:
                    edges.append(parse_datetime(bound.value, "UTC").begin)
                except TimeError as error:
                    hint = did_you_mean(bound.value, ("now",))
                    yield Diagnostic("EC003", "error", str(error), bound.span, hint)
            else:
                yield from _texts(bound)
        if len(edges) == 2 and edges[0] > edges[1]:
            yield Diagnostic("EC305", "error", "the window ends before it begins", part.span)
    if part.identifier is None and part not in scope.modules:
        hint = "give it an identifier, `w: Range 1h`, and evaluate literals in it: `while w: p(X)`"
        yield Diagnostic("EC306", "error", "this window says nothing by itself", part.span, hint)


def _texts(bound: Expression) -> Iterator[Diagnostic]:
    """Reports texts in the bounds of windows, which have no time (EC305): words in small letters are texts."""
    for each in walk(bound):
        if isinstance(each, Constant) and isinstance(each.value, str):
            message = f"expected a time in the bound of a window, found the text `{each.value}`"
            hint = did_you_mean(each.value, ("now",)) or "write `now`, `b(i)` or `e(i)`, with or without a duration"
            yield Diagnostic("EC305", "error", message, each.span, hint)


def _bare(part: Spread) -> Iterator[Diagnostic]:
    """Reports `within 1 min`, which the paper reads as exactly that, and its examples as at most that (EC401)."""
    for limit in limits(part.duration):
        if limit.bare:
            message = "`within` without `min`, `max` or `exact` is read as at most"
            yield Diagnostic("EC401", "warning", message, limit.span, "write `within max …`, or `within exact …`")
