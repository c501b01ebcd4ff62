"""The literals and conditions of a branch as difference bounds on times.

The nodes are the begin and the end of each identifier, and the epoch for constant times. Times are whole microseconds,
so x < y is x - y <= -1. Whatever cannot be said in differences is left out: every match of the branch is a solution of
its network, but not the other way round.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cera.model.expressions.expression import (
    And,
    Arithmetic,
    Call,
    Comparison,
    ComparisonOperator,
    Expression,
    InOneWindow,
    InState,
    Or,
    Temporal,
    Within,
)
from cera.model.time.allen import CONVERSES
from cera.model.time.bounded_windows import MovedEdge
from cera.rules.reasoning.cases import CONVERSE
from cera.rules.reasoning.difference_bounds import Constraint, DifferenceBounds
from cera.rules.reasoning.time_points import (
    EPOCH,
    NO_TIME,
    Length,
    MovedPoint,
    Stretch,
    TimePoint,
    constant_length,
    exactly,
    length_of,
    stretch_of,
    stretch_of_event,
    stretch_of_timer,
)
from cera.rules.rule import AbsoluteTimer, BoundedWindow, Branch, PeriodicWindow, RelativeTimer, Window


@dataclass(frozen=True)
class TimerExistence:
    """The reason for begin <= end of a timer: otherwise it does not happen."""

    timer: RelativeTimer


#: The reason for a constraint: a condition, the definition of a timer or window, or that a timer happens at all.
TimeReason = Expression | RelativeTimer | AbsoluteTimer | Window | TimerExistence
TimeConstraint = Constraint[TimePoint, TimeReason]
TimeNetwork = DifferenceBounds[TimePoint, TimeReason]

#: Constraints that hold together.
Alternative = tuple[TimeConstraint, ...]

#: Alternatives of which at least one holds.
Clause = tuple[Alternative, ...]

#: The timers that can have their begin after their end; all others happen whenever their anchor does.
MAY_FAIL = ("shorten", "shorten-begin")


def literal_constraints(branch: Branch) -> Alternative:
    """Returns begin <= end for every identifier, what relative timers are, and that a date and time is a point.

    A periodic window has its length, and what it is over lies inside of it.
    """
    found: list[TimeConstraint] = []
    for literal in branch.positive:
        own = stretch_of_event(literal.identifier)
        reason = TimerExistence(literal) if isinstance(literal, RelativeTimer) and literal.kind in MAY_FAIL else None
        found.append(_at_most(own.begin, own.end, NO_TIME, reason))
        if isinstance(literal, RelativeTimer):
            anchor = stretch_of_event(literal.anchor)
            found += _equal(own, stretch_of_timer(literal.kind, anchor, length_of(literal.duration)), literal)
        elif isinstance(literal, AbsoluteTimer) and literal.timer.name == "datetime":
            found += _point(own, literal)
        elif isinstance(literal, PeriodicWindow):
            found += _window(own, literal)
        elif isinstance(literal, BoundedWindow):
            found += _bounds(own, literal)
    return tuple(found)


def _window(own: Stretch, window: PeriodicWindow) -> Alternative:
    """Returns that a window is as long as it is, and contains what it is over."""
    last = exactly(window.length - 1)
    length = (_at_most(own.end, own.begin, last, window), _at_most(own.begin, own.end, -last, window))
    inside = [stretch_of_event(name) for name in window.over]
    begins = (_at_most(own.begin, each.begin, NO_TIME, window) for each in inside)
    ends = (_at_most(each.end, own.end, NO_TIME, window) for each in inside)
    return (*length, *begins, *ends)


def _bounds(own: Stretch, window: BoundedWindow) -> Alternative:
    """Returns that the bounds of a window are not before any of their points; a single one is the bound."""
    found: list[TimeConstraint] = []
    if (length := window.bounds.length) is not None:
        found.append(_at_most(own.end, own.begin, exactly(length), window))
    for edge, bound in (own.begin, window.bounds.begin), (own.end, window.bounds.end):
        points = [_edge_point(each) for each in bound]
        found += (_at_most(point, edge, NO_TIME, window) for point in points)
        if len(points) == 1:
            found.append(_at_most(edge, points[0], NO_TIME, window))
    return tuple(found)


def _edge_point(edge: MovedEdge) -> MovedPoint:
    point = EPOCH if edge.identifier is None else TimePoint(edge.identifier, edge.edge)
    return MovedPoint(point, length_of(edge.by))


def clauses(condition: Expression) -> tuple[Clause, ...]:
    """Returns clauses that all hold whenever the condition does; none if it says nothing about differences of times."""
    match condition:
        case And():
            return tuple(clause for operand in condition.operands for clause in clauses(operand))
        case Or():
            return (tuple(conjunction(operand) for operand in condition.operands),)
        case Temporal():
            left, right = stretch_of(condition.left), stretch_of(condition.right)
            return () if left is None or right is None else ((related(condition.relation, left, right, condition),),)
        case Within():
            length = constant_length(condition.duration)
            stretches = [stretch for i in condition.intervals if (stretch := stretch_of(i)) is not None]
            return () if length is None else ((_covered(stretches, length, condition),),)
        case InOneWindow():
            stretches = [stretch for i in condition.intervals if (stretch := stretch_of(i)) is not None]
            return ((_covered(stretches, exactly(condition.length - 1), condition),),)
        case InState():
            event, state = stretch_of(condition.event), stretch_of(condition.state)
            if event is None or state is None:
                return ()
            begun = _at_most(state.begin, event.begin, NO_TIME, condition)
            return (((begun, strictly_before(state.begin, event.end, condition)),),)
        case Comparison():
            return _compared(condition)
        case _:
            return ()


def conjunction(condition: Expression) -> Alternative:
    """Returns the constraints that hold with the condition, without those that are only alternatives."""
    return tuple(constraint for clause in clauses(condition) if len(clause) == 1 for constraint in clause[0])


def _at_most(left: MovedPoint, right: MovedPoint, length: Length, reason: TimeReason | None) -> TimeConstraint:
    """Returns left - right <= length. If the lengths are not exact, the weakest of the bounds."""
    return Constraint(left.point, right.point, length.most + right.by.most - left.by.least, reason)


def strictly_before(left: MovedPoint, right: MovedPoint, reason: TimeReason) -> TimeConstraint:
    return _at_most(left, right, exactly(-1), reason)


def _same(left: MovedPoint, right: MovedPoint, reason: TimeReason) -> Alternative:
    return (_at_most(left, right, NO_TIME, reason), _at_most(right, left, NO_TIME, reason))


def _equal(left: Stretch, right: Stretch, reason: TimeReason) -> Alternative:
    return (*_same(left.begin, right.begin, reason), *_same(left.end, right.end, reason))


def _point(stretch: Stretch, reason: TimeReason) -> Alternative:
    """Returns that the interval is a point: where it is not, order and differences are undefined."""
    return () if stretch.is_point else (_at_most(stretch.end, stretch.begin, NO_TIME, reason),)


def related(relation: str, i: Stretch, j: Stretch, reason: TimeReason) -> Alternative:
    """Returns Allen's relations as `cera.model.time.allen` defines them."""
    match relation:
        case "before":
            return (strictly_before(i.end, j.begin, reason),)
        case "meets":
            return _same(i.end, j.begin, reason)
        case "overlaps":
            return (
                strictly_before(i.begin, j.begin, reason),
                strictly_before(j.begin, i.end, reason),
                strictly_before(i.end, j.end, reason),
            )
        case "starts":
            return (*_same(i.begin, j.begin, reason), strictly_before(i.end, j.end, reason))
        case "during":
            return (strictly_before(j.begin, i.begin, reason), strictly_before(i.end, j.end, reason))
        case "finishes":
            return (strictly_before(j.begin, i.begin, reason), *_same(i.end, j.end, reason))
        case "equals":
            return _equal(i, j, reason)
        case _:
            return related(CONVERSES[relation], j, i, reason)


def _covered(stretches: Sequence[Stretch], length: Length, reason: TimeReason) -> Alternative:
    """Returns that the hull is at most that long: every end lies at most that long after every begin."""
    return tuple(_at_most(one.end, other.begin, length, reason) for one in stretches for other in stretches)


def _compared(condition: Comparison) -> tuple[Clause, ...]:
    left, right = stretch_of(condition.left), stretch_of(condition.right)
    if left is not None and right is not None:
        return (_compared_times(condition, left, right),)
    length = constant_length(condition.right)
    if length is not None:
        return _compared_length(condition, condition.left, condition.operator, length)
    length = constant_length(condition.left)
    if length is not None:
        return _compared_length(condition, condition.right, CONVERSE[condition.operator], length)
    return ()


def _compared_times(condition: Comparison, left: Stretch, right: Stretch) -> Clause:
    points = (*_point(left, condition), *_point(right, condition))
    match condition.operator:
        case "<":
            return ((*points, strictly_before(left.begin, right.begin, condition)),)
        case "<=":
            return ((*points, _at_most(left.begin, right.begin, NO_TIME, condition)),)
        case ">":
            return ((*points, strictly_before(right.begin, left.begin, condition)),)
        case ">=":
            return ((*points, _at_most(right.begin, left.begin, NO_TIME, condition)),)
        case "=":
            return (_equal(left, right, condition),)
        case "!=":
            return tuple(
                (strictly_before(one, other, condition),)
                for edge in ((left.begin, right.begin), (left.end, right.end))
                for one, other in (edge, edge[::-1])
            )


def _compared_length(
    condition: Comparison, measured: Expression, operator: ComparisonOperator, length: Length
) -> tuple[Clause, ...]:
    """Returns the clauses of `length(i)`, `timeDiff(i, j)` or a difference of times, compared with a constant
    length."""
    match measured:
        case Call(function="length", arguments=(interval,)):
            stretch = stretch_of(interval)
            return () if stretch is None else _difference(condition, stretch.end, stretch.begin, operator, length)
        case Call(function="timeDiff", arguments=(i, j)):
            stretches = [stretch for k in (i, j) if (stretch := stretch_of(k)) is not None]
            return compared_hull(condition, stretches, operator, length) if len(stretches) == 2 else ()
        case Arithmetic(operator="-"):
            later, earlier = stretch_of(measured.left), stretch_of(measured.right)
            if later is None or earlier is None:
                return ()
            points = ((*_point(later, condition), *_point(earlier, condition)),)
            return (points, *_difference(condition, later.begin, earlier.begin, operator, length))
        case _:
            return ()


def _difference(
    condition: Comparison | Within, later: MovedPoint, earlier: MovedPoint, operator: ComparisonOperator, length: Length
) -> tuple[Clause, ...]:
    """Returns the clauses of later - earlier operator length."""
    match operator:
        case "<":
            return (((_at_most(later, earlier, length + exactly(-1), condition),),),)
        case "<=":
            return (((_at_most(later, earlier, length, condition),),),)
        case ">":
            return (((_at_most(earlier, later, -length + exactly(-1), condition),),),)
        case ">=":
            return (((_at_most(earlier, later, -length, condition),),),)
        case "=":
            return (((_at_most(later, earlier, length, condition), _at_most(earlier, later, -length, condition)),),)
        case "!=":
            return ()


def compared_hull(
    condition: Comparison | Within, stretches: Sequence[Stretch], operator: ComparisonOperator, length: Length
) -> tuple[Clause, ...]:
    """Returns the clauses of: length of the hull operator length. It is at least that if some end is that long after
    some begin."""
    match operator:
        case "<":
            return ((_covered(stretches, length + exactly(-1), condition),),)
        case "<=":
            return ((_covered(stretches, length, condition),),)
        case ">" | ">=":
            pairs = [(one.end, other.begin) for one in stretches for other in stretches]
            return (
                tuple(
                    alternative
                    for end, begin in pairs
                    for clause in _difference(condition, end, begin, operator, length)
                    for alternative in clause
                ),
            )
        case "=":
            return (
                *compared_hull(condition, stretches, "<=", length),
                *compared_hull(condition, stretches, ">=", length),
            )
        case "!=":
            return ()


def combined(all_conditions: Iterable[Expression]) -> tuple[Alternative, tuple[Clause, ...]]:
    """Returns the conditions as constraints that all hold, and clauses of which one alternative each holds."""
    certain: list[TimeConstraint] = []
    open_clauses: list[Clause] = []
    for condition in all_conditions:
        for clause in clauses(condition):
            if len(clause) == 1:
                certain += clause[0]
            else:
                open_clauses.append(clause)
    return tuple(certain), tuple(open_clauses)
