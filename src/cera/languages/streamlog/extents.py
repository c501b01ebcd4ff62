"""Where an evaluation time begins and ends, as far as its text says it: relative to an identifier, or absolutely.

Two such points can be compared if they are relative to the same bound of an identifier, or one to its beginning and
the other to its end, which is not before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal as OneOf

from cera.languages.atoms.syntax import NOW
from cera.languages.streamlog.syntax import EvaluationTime, Literal, TimerLiteral, WindowLiteral
from cera.languages.text.nodes import Identifier
from cera.model.expressions import expression as expressions
from cera.model.expressions.atoms import Between
from cera.model.expressions.expression import Arithmetic, Call, DateTime, DurationLiteral, EventReference, Expression
from cera.model.time.durations import Duration
from cera.model.time.time_text import TimeError, parse_datetime
from cera.model.time.timers import TIMERS

Edge = OneOf["begin", "end", "now", "absolute"]


@dataclass(frozen=True)
class Point:
    """Microseconds after the beginning or the end of an identifier, after now, or after 1970."""

    edge: Edge
    identifier: str
    offset: int

    def precedes(self, other: Point) -> bool:
        """Returns whether this is certainly earlier."""
        comparable = self.edge == other.edge or (self.edge, other.edge) == ("begin", "end")
        return comparable and self.identifier == other.identifier and self.offset < other.offset


Extent = tuple[Point | None, Point | None]


def disjoint(one: EvaluationTime, other: EvaluationTime, declared: Mapping[str, EvaluationTime]) -> bool:
    """Returns whether two evaluation times certainly have no time in common. `now` is another one for each literal."""
    (begin, end), (other_begin, other_end) = (_extent(each, declared) for each in (one, other))
    return _certainly(end, other_begin) or _certainly(other_end, begin)


def is_empty(window: WindowLiteral) -> bool:
    """Returns whether a window certainly ends before it begins."""
    begin, end = _extent(window, {})
    return begin is not None and end is not None and end.precedes(begin)


def _certainly(end: Point | None, begin: Point | None) -> bool:
    return end is not None and begin is not None and end.edge != "now" and end.precedes(begin)


def _extent(time: EvaluationTime, declared: Mapping[str, EvaluationTime]) -> Extent:
    match time:
        case Identifier():
            known = declared.get(time.name)
            return _of_event(time.name) if known is None or isinstance(known, Identifier) else _extent(known, declared)
        case Literal():
            return (None, None) if time.identifier is None else _of_event(time.identifier.name)
        case TimerLiteral():
            return _of_timer(time)
        case WindowLiteral(window=Between() as window):
            return _point(window.begin), _point(window.end)
        case WindowLiteral():
            return None, None


def _of_event(name: str) -> Extent:
    return Point("begin", name, 0), Point("end", name, 0)


def _of_timer(time: TimerLiteral) -> Extent:
    anchor, duration = time.timer.anchor, time.timer.duration
    identifier = anchor if isinstance(anchor, Identifier) else anchor.identifier
    if identifier is None or duration.months:
        return None, None
    begin, end = (Point(edge, identifier.name, sign * duration.microseconds) for edge, sign in TIMERS[time.timer.kind])
    return begin, end


def _point(bound: Expression) -> Point | None:
    match bound:
        case EventReference(identifier=name) if name == NOW:
            return Point("now", "", 0)
        case Call(function="begin", arguments=(EventReference(identifier=name),)):
            return Point("begin", name, 0)
        case Call(function="end", arguments=(EventReference(identifier=name),)):
            return Point("end", name, 0)
        case expressions.Literal(value=str() as text) | DateTime(texts=(text,)):
            return _absolute(text)
        case Arithmetic(operator="+" | "-", left=left, right=DurationLiteral(duration=Duration(months=0) as duration)):
            point = _point(left)
            moved = duration.microseconds if bound.operator == "+" else -duration.microseconds
            return None if point is None else Point(point.edge, point.identifier, point.offset + moved)
        case _:
            return None


def _absolute(text: str) -> Point | None:
    try:
        return Point("absolute", "", parse_datetime(text, "UTC").begin)
    except TimeError:
        return None
