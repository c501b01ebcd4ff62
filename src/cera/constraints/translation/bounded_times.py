"""Windows with bounds of their own in a branch: from a time or an event on, up to an event."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from operator import neg

from cera.constraints.translation.places import NotByRulesError, Place
from cera.model.expressions.atoms import Between
from cera.model.expressions.expression import (
    Arithmetic,
    Call,
    DateTime,
    DurationLiteral,
    EventReference,
    Expression,
    Literal,
)
from cera.model.time.bounded_windows import Bounds, MovedEdge
from cera.model.time.durations import Duration
from cera.model.time.interval import Interval, Time
from cera.model.time.time_text import TimeFormat, parse_datetime
from cera.model.time.timers import Edge
from cera.rules.rule import BoundedWindow

_REFUSED = "a window moves with each event, or has bounds that are not times of events"


def _same(duration: Duration) -> Duration:
    return duration


#: How an operator moves a time by a duration.
_MOVED: Mapping[str, Callable[[Duration], Duration]] = {"+": _same, "-": neg}


def point(time: Time) -> Expression:
    """Returns a time as a value of conditions."""
    return DateTime((str(TimeFormat().format(time)),), Interval(time, time))


def bounded_place(window: Between, name: str, places: Mapping[str, Place], timezone: str) -> Place:
    """Returns the time of `[b(x) - d, e(y)]` or `["2026-01-01", b(x)]`. Raises NotByRulesError.

    It has ended when all its events are known.
    """
    begin, first = _bound(window.begin, "begin", timezone)
    end, last = _bound(window.end, "end", timezone)
    named = {each.identifier for each in (first, last) if each.identifier is not None}
    is_over = last.by.months <= 0 and last.by.microseconds <= 0
    if last.identifier is None or not is_over or any(_kind(each, places) != "event" for each in named):
        raise NotByRulesError(_REFUSED)
    return Place("timer", name, begin, end, first, last, over=True, may_begin_early=True, is_bounded=True)


def bounded_window(place: Place) -> BoundedWindow:
    """Returns the window of a branch that such a time is."""
    assert place.first is not None
    assert place.last is not None
    return BoundedWindow(place.name, Bounds((place.first,), (place.last,)), anonymous=True)


def _kind(name: str, places: Mapping[str, Place]) -> str | None:
    return places[name].kind if name in places else None


def _bound(expression: Expression, edge: Edge, timezone: str) -> tuple[Expression, MovedEdge]:
    """Returns a bound as a value of conditions, and as an edge of a window."""
    match expression:
        case Literal(value=str() as text):
            interval = parse_datetime(text, timezone)
            time = interval.begin if edge == "begin" else interval.end
            return point(time), MovedEdge(None, by=Duration(0, time))
        case EventReference(identifier=name):
            return Call(edge, (expression,)), MovedEdge(name, edge)
        case Call(function="begin" | "end" as function, arguments=(EventReference(identifier=name),)):
            return expression, MovedEdge(name, "begin" if function == "begin" else "end")
        case Arithmetic(operator=operator, left=left, right=DurationLiteral(duration=duration)) if operator in _MOVED:
            value, moved = _bound(left, edge, timezone)
            if moved.identifier is None or moved.by != Duration():
                raise NotByRulesError(_REFUSED)
            return replace(expression, left=value), replace(moved, by=_MOVED[operator](duration))
        case _:
            raise NotByRulesError(_REFUSED)
