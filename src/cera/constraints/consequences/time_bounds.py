"""What the parts of a conjunction say of times, as difference bounds (`cera.rules.reasoning.time_constraints`).

Whatever holds under a substitution is a solution of the bounds, and not the other way round. The end of a state that
has not ended is later than every time, so that it takes part as it is; a timer on a state is bounded only where that
does not depend on the state's end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, permutations
from typing import Literal as OneOf
from typing import assert_never

from cera.constraints.names import NOW, declared_identifier
from cera.constraints.numbers import counts, numbers_of
from cera.constraints.queries import (
    Combination,
    Gap,
    HullLiteral,
    Literal,
    Membership,
    Part,
    Spread,
    TimerLiteral,
    ValidityTime,
    WindowLiteral,
)
from cera.constraints.specification import SOME, AllLimits, AnyLimit, Limit, Specification
from cera.model.expressions.atoms import Between, Now, Sliding, Unbounded, Window
from cera.model.expressions.expression import (
    Call,
    Comparison,
    DurationLiteral,
    EventReference,
    Expression,
    Temporal,
    Within,
    rebuild,
)
from cera.model.expressions.expression import Literal as Constant
from cera.model.time.clock import TimeError
from cera.model.time.durations import Duration
from cera.model.time.time_text import parse_datetime
from cera.model.time.timers import TIMERS
from cera.rules.reasoning.cases import OPPOSITE
from cera.rules.reasoning.difference_bounds import Constraint
from cera.rules.reasoning.time_constraints import Clause, TimeConstraint, compared_hull
from cera.rules.reasoning.time_points import (
    EPOCH,
    Length,
    MovedPoint,
    Stretch,
    TimePoint,
    length_of,
    stretch_of,
    stretch_of_event,
    stretch_of_timer,
)

#: What an identifier stands for: a timer is what it is relative to.
ItemKind = OneOf["event", "state", "window", "always"]
Kinds = Mapping[str, ItemKind]


def kinds_of(parts: Sequence[Part]) -> dict[str, ItemKind]:
    """Returns what the identifiers that parts declare stand for."""
    found: dict[str, ItemKind] = {}
    timers: list[TimerLiteral] = []
    for part in parts:
        name = declared_identifier(part)
        if name is None:
            continue
        match part:
            case Literal():
                found[name.identifier] = "state" if part.kind == "state" else "event"
            case WindowLiteral():
                found[name.identifier] = "always" if isinstance(part.window, Unbounded) else "window"
            case TimerLiteral():
                timers.append(part)
            case _:
                found[name.identifier] = "event"
    for _ in timers:  # one may be relative to another one
        for timer in timers:
            if isinstance(timer.anchor, EventReference) and timer.identifier is not None:
                anchor = found.get(timer.anchor.identifier)
                if anchor is not None:
                    found[timer.identifier.identifier] = anchor
    return found


def bounds_of(parts: Sequence[Part], kinds: Kinds) -> Iterator[TimeConstraint]:
    """Yields the bounds that hold because there are these events, states, timers and windows, where they are."""
    for part in parts:
        name = declared_identifier(part)
        own = None if name is None else name.identifier
        if own is not None and kinds.get(own) != "always":
            yield _at_most(begin(own), end(own))
        match part:
            case Literal():
                if own is not None:
                    yield from _inside(own, part.time, kinds)
                numbers = numbers_of(part)
                if numbers is not None and 0 not in numbers and not part.negated:
                    yield from in_common(part.time, kinds)
            case TimerLiteral() if own is not None:
                yield from _timer(own, part, kinds)
            case WindowLiteral() if own is not None:
                yield from _window(own, part)
            case HullLiteral() if own is not None:
                for each in part.combination.identifiers:
                    yield _at_most(begin(own), begin(each.identifier))
                    yield _at_most(end(each.identifier), end(own))
            case Membership():
                numbers = counts(SOME if part.count is None else part.count)
                if numbers is not None and 0 not in numbers and not part.negated:
                    declared = [each for each in parts if declared_identifier(each) == part.identifier]
                    if declared and isinstance(declared[0], Literal):
                        yield from _inside(part.identifier.identifier, part.time, kinds)
            case _:
                pass


def begin(identifier: str) -> TimePoint:
    return TimePoint(identifier, "begin")


def end(identifier: str) -> TimePoint:
    return TimePoint(identifier, "end")


def _at_most(left: TimePoint, right: TimePoint, bound: int = 0) -> TimeConstraint:
    return Constraint(left, right, bound)


def _inside(own: str, time: ValidityTime | None, kinds: Kinds) -> Iterator[TimeConstraint]:
    """Yields the bounds of what lies in a time (`cera.constraints.times.Item.contains`)."""
    if isinstance(time, Combination):
        around = [each.identifier for each in time.identifiers] if time.operator == "intersection" else []
    else:
        around = [] if time is None else [time.identifier]
    for outer in around:
        if kinds.get(outer) not in ("event", "state", "window"):
            continue
        if kinds.get(own) == "state":
            yield _at_most(begin(outer), end(own))
            yield _at_most(begin(own), end(outer))
        else:
            yield _at_most(begin(outer), begin(own))
            yield _at_most(end(own), end(outer))
            if kinds[outer] == "state":
                yield _at_most(begin(outer), end(own), -1)


def in_common(time: ValidityTime | None, kinds: Kinds) -> Iterator[TimeConstraint]:
    """Yields that times have a point in common, because something lies in their intersection, or in their union."""
    if not isinstance(time, Combination) or time.operator not in ("intersection", "union"):
        return
    if time.operator == "union" and len(time.identifiers) > 2:
        return
    names = [each.identifier for each in time.identifiers if kinds.get(each.identifier) not in (None, "always")]
    for one, other in permutations(names, 2):
        yield _at_most(begin(one), end(other))


def _timer(own: str, timer: TimerLiteral, kinds: Kinds) -> Iterator[TimeConstraint]:
    if not isinstance(timer.anchor, EventReference):
        return
    is_state = kinds.get(own) == "state"
    (begin_edge, _), (end_edge, _) = TIMERS[timer.timer]
    stretch = stretch_of_timer(timer.timer, stretch_of_event(timer.anchor.identifier), length_of(timer.duration))
    pairs = [(begin(own), stretch.begin)]
    if not is_state or begin_edge == "end" or end_edge == "begin":  # else the state may not have ended
        pairs.append((end(own), stretch.end))
    for edge, moved in pairs:
        yield from _moved(edge, moved)


def _window(own: str, part: WindowLiteral) -> Iterator[TimeConstraint]:
    match part.window:
        case Sliding(range=length):
            yield _at_most(end(own), begin(own), length.microseconds - 1)
            yield _at_most(begin(own), end(own), 1 - length.microseconds)
        case Now():
            for edge in (begin(own), end(own)):
                yield _at_most(edge, present(own))
                yield _at_most(present(own), edge)
        case Between(begin=first, end=last):
            one, other = _edge(first, own), _edge(last, own)
            if one is not None:
                yield from _moved(begin(own), one.begin)
            if other is not None:
                yield from _moved(end(own), other.end)
        case Unbounded():
            return
        case _:
            assert_never(part.window)


def _edge(expression: Expression, own: str) -> Stretch | None:
    """Returns the time that a bound of a window is; each window has a present of its own, which is a point."""
    if isinstance(expression, Constant) and isinstance(expression.value, str):
        try:
            found = parse_datetime(expression.value, "UTC")
        except TimeError:
            return None
        return Stretch(MovedPoint(EPOCH, around(found.begin)), MovedPoint(EPOCH, around(found.end)))
    stretch = stretch_of(_with_present_as_point(expression))
    if stretch is None or stretch.begin.point.identifier != NOW:
        return stretch
    point = present(own)
    return Stretch(MovedPoint(point, stretch.begin.by), MovedPoint(point, stretch.end.by))


def present(window: str) -> TimePoint:
    """Returns the present time that a window is relative to."""
    return TimePoint(f"{NOW}{window}", "begin")


def span_around_present(window: Window) -> tuple[Length, Length] | None:
    """Returns how much later than the present a window begins and ends; None if that depends on something else, or it
    may end before it begins."""
    if isinstance(window, Now):
        return Length(0, 0), Length(0, 0)
    if not isinstance(window, Between):
        return None
    one, other = _edge(window.begin, ""), _edge(window.end, "")
    if one is None or other is None or {one.begin.point, other.end.point} != {present("")}:
        return None
    return (one.begin.by, other.end.by) if one.begin.by.most <= other.end.by.least else None


def _with_present_as_point(expression: Expression) -> Expression:
    if expression == EventReference(NOW):
        return Call("begin", (expression,))
    return expression if isinstance(expression, Call) else rebuild(expression, _with_present_as_point)


#: As long as no time zone is from another one.
_ZONES = 2 * 86_400_000_000


def around(time: int) -> Length:
    """Returns where a time of the calendar lies, whatever the time zone is."""
    return Length(time - _ZONES, time + _ZONES)


def _moved(edge: TimePoint, moved: MovedPoint) -> Iterator[TimeConstraint]:
    """Yields that an edge is some length after another point."""
    yield _at_most(edge, moved.point, moved.by.most)
    yield _at_most(moved.point, edge, -moved.by.least)


def expression_of(condition: Comparison | Temporal, kinds: Kinds) -> Expression:
    """Returns a condition as the prover reads it: a state is before what begins when it ends."""
    if isinstance(condition, Temporal) and condition.relation in ("before", "after"):
        first, second = condition.left, condition.right
        if condition.relation == "after":
            first, second = second, first
        if isinstance(first, EventReference) and kinds.get(first.identifier) == "state":
            return Comparison("<=", Call("end", (first,)), Call("begin", (second,)))
    return condition


def limit_branches(specification: Specification, *, holds: bool) -> list[tuple[Limit, ...]]:
    """Returns the conjunctions of limits of which one holds, if a specification does, or does not."""
    match specification:
        case Limit():
            if holds:
                return [(specification,)]
            return [(Limit(OPPOSITE[specification.operator], specification.amount),)]
        case AllLimits() | AnyLimit():
            parts = [limit_branches(each, holds=holds) for each in specification.parts]
            if isinstance(specification, AnyLimit) == holds:
                return [each for one in parts for each in one]
            found: list[tuple[Limit, ...]] = [()]
            for one in parts:
                found = [(*known, *each) for known in found for each in one]
            return found
        case _:
            assert_never(specification)


def branches_of(condition: Spread | Gap, *, holds: bool) -> list[tuple[Clause, ...]]:
    """Returns the cases, each with its clauses, of which one holds if a condition on lengths does, or does not."""
    found: list[tuple[Clause, ...]] = []
    for branch in limit_branches(condition.duration, holds=holds):
        clauses: list[Clause] = []
        for limit in branch:
            if isinstance(limit.amount, Duration):
                if isinstance(condition, Spread):
                    clauses += _hull(condition.identifiers, limit, limit.amount)
                else:
                    clauses += _gap(condition.identifiers, limit, limit.amount, denied=not holds)
        found.append(tuple(clauses))
    return found


def _hull(identifiers: Sequence[EventReference], limit: Limit, amount: Duration) -> Iterable[Clause]:
    reason = Within(tuple(identifiers), DurationLiteral(amount))
    stretches = [stretch_of_event(each.identifier) for each in identifiers]
    return compared_hull(reason, stretches, limit.operator, length_of(amount))


def _gap(identifiers: Sequence[EventReference], limit: Limit, amount: Duration, *, denied: bool) -> Iterator[Clause]:
    """Yields the clauses of the time between neighbours: of two that overlap it is none at all (ERR-60)."""
    length = length_of(amount)
    if len(identifiers) > 2 and (denied or limit.operator not in (">", ">=") or length.least <= 0):
        return  # all are that far apart, if neighbours are; how near others are is not known
    for one, other in combinations([each.identifier for each in identifiers], 2):
        orders = ((one, other), (other, one))
        if limit.operator in (">=", "=") and length.least > 0:
            yield tuple((_at_most(end(i), begin(j), -length.least),) for i, j in orders)
        if limit.operator == ">" and length.least >= 0:
            yield tuple((_at_most(end(i), begin(j), -length.least - 1),) for i, j in orders)
        if limit.operator in ("<=", "<", "="):
            most = length.most - (limit.operator == "<")
            yield tuple((_at_most(begin(j), end(i), most), _at_most(begin(i), begin(j))) for i, j in orders)
