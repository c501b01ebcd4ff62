"""What an evaluation time demands of what lies in it, as conditions of the hub.

an event x in an event or a timer i     b(i) <= b(x) and e(x) <= e(i)
an event x in a state s                 x in s
events in one window of the clock       they lie in one window
events in [now - d, now]                they span at most d
an event x in [f, g]                    f <= b(x) and e(x) <= g
a state s in an event i                 i in s
a state s in a window, timer or state   both share a point of time, or s has no length and lies inside
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from cera.diagnostics import Span
from cera.model.expressions.expression import (
    Arithmetic,
    Call,
    DateTime,
    DurationLiteral,
    EventReference,
    Expression,
    event_references,
)
from cera.model.time.bounded_windows import Bounds, MovedEdge
from cera.model.time.durations import Duration
from cera.model.time.interval import Interval


@dataclass(frozen=True)
class EventTime:
    """An event."""


@dataclass(frozen=True)
class TimerTime:
    """A timer on an event or on a state, of which it has the kind."""

    anchor: str


@dataclass(frozen=True)
class StateTime:
    """A state."""


@dataclass(frozen=True)
class ClockTime:
    """A window of the clock: `Range d Slide d'` and `now`, in microseconds."""

    length: int
    slide: int
    span: Span | None = None


@dataclass(frozen=True)
class SpanTime:
    """`[now - d, now]`."""

    duration: Duration
    span: Span | None = None


@dataclass(frozen=True)
class BoundsTime:
    """`[f, g]`."""

    begin: Expression
    end: Expression
    span: Span | None = None

    @property
    def identifiers(self) -> tuple[str, ...]:
        """What the bounds are relative to."""
        return tuple(sorted(event_references(self.begin) | event_references(self.end)))

    @property
    def bounds(self) -> Bounds | None:
        """The bounds as moved edges; None if they are something else."""
        begin, end = _edge_of(self.begin), _edge_of(self.end)
        return None if begin is None or end is None else Bounds((begin,), (end,))


@dataclass(frozen=True)
class OuterTime:
    """A window `[now - d, now]` that ends with another match."""


@dataclass(frozen=True)
class AllTime:
    """`unbounded`."""


Time = EventTime | TimerTime | StateTime | ClockTime | SpanTime | BoundsTime | OuterTime | AllTime


def _edge_of(bound: Expression) -> MovedEdge | None:
    """Returns `b(i)`, `e(i)` or a date and time, perhaps moved by durations."""
    match bound:
        case Call(function="begin" | "end" as edge, arguments=(EventReference(identifier=name),)):
            return MovedEdge(name, "begin" if edge == "begin" else "end")
        case Call(function="begin", arguments=(DateTime(interval=Interval() as interval),)):
            return MovedEdge(None, by=Duration(0, interval.begin))
        case Arithmetic(operator="+" | "-", left=left, right=DurationLiteral(duration=duration)):
            point = _edge_of(left)
            return None if point is None else _moved(point, duration if bound.operator == "+" else -duration)
        case Arithmetic(operator="+", left=DurationLiteral(duration=duration), right=right):
            point = _edge_of(right)
            return None if point is None else _moved(point, duration)
        case _:
            return None


def _moved(point: MovedEdge, duration: Duration) -> MovedEdge | None:
    """Returns a point moved once more; None where that is not one move: months are added by the calendar."""
    if point.identifier is None and duration.months:
        return None
    known = (point.by.months, point.by.microseconds, duration.months, duration.microseconds)
    same_sign = all(part >= 0 for part in known) or all(part <= 0 for part in known)
    only_time = not point.by.months and not duration.months
    return replace(point, by=point.by + duration) if only_time or (same_sign and point.by == Duration()) else None
