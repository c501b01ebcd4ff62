"""Where the times that an expression names lie, relative to the events of a branch.

A month lasts 28 to 31 days and a year 365 or 366, so a length of time is known between two bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from cera.model.expressions.expression import (
    Arithmetic,
    Call,
    DateTime,
    DurationLiteral,
    EventReference,
    Expression,
    Negative,
)
from cera.model.expressions.expression import Literal as Constant
from cera.model.time.durations import Duration
from cera.model.time.timers import SYNONYMS, TIMERS, Edge

_DAY = 86_400_000_000


class TimePoint(NamedTuple):
    """The begin or the end of the event of an identifier."""

    identifier: str
    edge: Edge


#: 1970-01-01, from which constant times are counted. No identifier is empty.
EPOCH = TimePoint("", "begin")


@dataclass(frozen=True)
class Length:
    """A length of time in microseconds, between two bounds (equal unless months are involved)."""

    least: int
    most: int

    def __add__(self, other: Length) -> Length:
        return Length(self.least + other.least, self.most + other.most)

    def __neg__(self) -> Length:
        return Length(-self.most, -self.least)


NO_TIME = Length(0, 0)


def exactly(microseconds: int) -> Length:
    return Length(microseconds, microseconds)


def length_of(duration: Duration) -> Length:
    """Returns the bounds of the length of a duration."""
    if duration.months < 0:
        return -length_of(-duration)
    years, months = divmod(duration.months, 12)
    return Length((365 * years + 28 * months) * _DAY, (366 * years + 31 * months) * _DAY) + exactly(
        duration.microseconds
    )


@dataclass(frozen=True)
class MovedPoint:
    """The time that lies some length after a time point."""

    point: TimePoint
    by: Length = NO_TIME

    def later(self, length: Length) -> MovedPoint:
        return MovedPoint(self.point, self.by + length)


@dataclass(frozen=True)
class Stretch:
    """The interval that an expression stands for."""

    begin: MovedPoint
    end: MovedPoint

    @property
    def is_point(self) -> bool:
        """Returns whether it is a point by its form; an event can be one as well, but need not."""
        return self.begin == self.end


def stretch_of_event(identifier: str) -> Stretch:
    return Stretch(MovedPoint(TimePoint(identifier, "begin")), MovedPoint(TimePoint(identifier, "end")))


def stretch_of_timer(kind: str, anchor: Stretch, length: Length) -> Stretch:
    """Returns the interval of a relative timer, by its canonical name."""
    edges = {"begin": anchor.begin, "end": anchor.end}
    moves = {-1: -length, 0: NO_TIME, 1: length}
    (begin_edge, begin_sign), (end_edge, end_sign) = TIMERS[kind]
    return Stretch(edges[begin_edge].later(moves[begin_sign]), edges[end_edge].later(moves[end_sign]))


def stretch_of(expression: Expression) -> Stretch | None:
    """Returns the interval that an expression stands for, if it lies at constant lengths from an event or the epoch."""
    match expression:
        case EventReference():
            return stretch_of_event(expression.identifier)
        case DateTime() if expression.interval is not None:
            begin, end = expression.interval
            return Stretch(MovedPoint(EPOCH, exactly(begin)), MovedPoint(EPOCH, exactly(end)))
        case Call(function="begin" | "end", arguments=(argument,)):
            stretch = stretch_of(argument)
            if stretch is None:
                return None
            edge = stretch.begin if expression.function == "begin" else stretch.end
            return Stretch(edge, edge)
        case Call(arguments=(anchor, duration)) if expression.function in SYNONYMS:
            stretch, length = stretch_of(anchor), constant_length(duration)
            if stretch is None or length is None:
                return None
            return stretch_of_timer(SYNONYMS[expression.function], stretch, length)
        case Arithmetic(operator="+" | "-"):
            return _moved_point(expression)
        case _:
            return None


def _moved_point(expression: Arithmetic) -> Stretch | None:
    """Returns the interval of `begin(i) + 1 min`."""
    stretch, length = stretch_of(expression.left), constant_length(expression.right)
    if stretch is None and expression.operator == "+":
        stretch, length = stretch_of(expression.right), constant_length(expression.left)
    if stretch is None or length is None or not stretch.is_point:
        return None
    moved = stretch.begin.later(length if expression.operator == "+" else -length)
    return Stretch(moved, moved)


def constant_length(expression: Expression) -> Length | None:
    """Returns the length of a duration that is written out."""
    match expression:
        case DurationLiteral():
            return length_of(expression.duration)
        case Negative():
            length = constant_length(expression.operand)
            return None if length is None else -length
        case Arithmetic(operator="+" | "-"):
            left, right = constant_length(expression.left), constant_length(expression.right)
            if left is None or right is None:
                return None
            return left + (right if expression.operator == "+" else -right)
        case (
            Arithmetic(operator="*", left=DurationLiteral(duration=duration), right=Constant(value=factor))
            | Arithmetic(operator="*", left=Constant(value=factor), right=DurationLiteral(duration=duration))
        ) if isinstance(factor, int) and not isinstance(factor, bool):
            return length_of(Duration(duration.months * factor, duration.microseconds * factor))
        case _:
            return None
