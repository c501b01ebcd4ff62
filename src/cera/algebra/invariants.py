"""The invariants of every plan that an engine runs, whatever was rewritten.

That a plan is well-formed (schemas, no point defined twice, none used before it is defined) is checked when its nodes
are built. Here: the results are those of the plan it came from, and the shape is one that can be evaluated step by
step:

- a result constructs events from merged bodies, or is a union of such;
- a body is events joined, then their relative timers and periodic windows, then rows of relations, then accumulations,
  with selections anywhere, and above all of it at most one gathering;
- relative timers, periodic windows and relations stand to the right of a join, above all joins of events;
- the right side of a window is a relation of single events, beside the opening of a state where that is the window;
- any other point is a relation of events, perhaps joined with their timers.
"""

from __future__ import annotations

from cera.algebra.operators import (
    BESIDE_OPENINGS,
    AbsoluteTimers,
    AntiSemiJoin,
    BoundedWindows,
    Construction,
    Expression,
    Gathering,
    Join,
    Matching,
    Merging,
    PeriodicWindows,
    Projection,
    Reference,
    Relation,
    RelativeTimers,
    Renaming,
    Selection,
    TemporalJoin,
    Union,
    walk,
)
from cera.algebra.plan import Plan, Point
from cera.algebra.schema import STREAM


class InvariantError(Exception):
    """A plan is not one that an engine can run, or not the plan that it should be."""


def check_results(plan: Plan, before: Plan) -> None:
    """Raises InvariantError unless the same rules derive the same kinds of events for the same recipients, in order."""
    if [_promise(point) for point in plan.results] != [_promise(point) for point in before.results]:
        raise InvariantError("the results are no longer the same")
    if (plan.semantics, plan.calendars) != (before.semantics, before.calendars):
        raise InvariantError("the semantics or the calendars changed")


def _promise(point: Point) -> object:
    constructions = [part for part in walk(point.expression) if isinstance(part, Construction)]
    made = [(c.rule, repr(c.head), repr(c.recipient), tuple(name for name, _ in c.causes)) for c in constructions]
    return point.name, point.expression.schema, made


def check_shape(plan: Plan) -> None:
    """Raises InvariantError where an engine could not evaluate the plan."""
    for point in plan.points:
        if point.result:
            _result(point)
        else:
            _require(_is_timed(point.expression), point, "is no relation of events and their timers")


def _result(point: Point) -> None:
    constructions = point.expression.inputs if isinstance(point.expression, Union) else (point.expression,)
    for construction in constructions:
        _require(isinstance(construction, Construction), point, "is a result and does not construct events")
        assert isinstance(construction, Construction)
        bodies = construction.input.inputs if isinstance(construction.input, Union) else (construction.input,)
        for body in bodies:
            _require(isinstance(body, Merging), point, "constructs events from intervals that are not merged")
            assert isinstance(body, Merging)
            _body(body.input.input if isinstance(body.input, Gathering) else body.input, point)


def _body(expression: Expression, point: Point) -> None:
    match expression:
        case Selection() | Projection():
            _body(expression.input, point)
        case TemporalJoin() | AntiSemiJoin():
            is_single = _is_joined if expression.containment in BESIDE_OPENINGS else _is_unary
            _require(is_single(expression.right), point, "has a window over what is no relation of single events")
            _body(expression.left, point)
        case _:
            _require(_is_looked_up(expression), point, "joins windows or timers below a join of events")


def _is_looked_up(expression: Expression) -> bool:
    """Returns whether it is events with their timers, then joined with rows of relations."""
    match expression:
        case Selection():
            return _is_looked_up(expression.input)
        case Join(right=Relation()):
            return _is_looked_up(expression.left)
        case _:
            return _is_timed(expression)


def _is_timed(expression: Expression) -> bool:
    """Returns whether it is events joined, then joined with their timers."""
    match expression:
        case Selection():
            return _is_timed(expression.input)
        case Join(right=RelativeTimers() | PeriodicWindows() | BoundedWindows()):
            return _is_timed(expression.left)
        case _:
            return _is_joined(expression)


def _is_joined(expression: Expression) -> bool:
    match expression:
        case Selection():
            return _is_joined(expression.input)
        case Join():
            return _is_joined(expression.left) and _is_joined(expression.right)
        case _:
            return _is_unary(expression)


def _is_unary(expression: Expression) -> bool:
    """Returns whether it is a relation without joins of its own: matched events, selected, renamed."""
    match expression:
        case Selection() | Renaming() | Projection():
            return _is_unary(expression.input)
        case Matching() | AbsoluteTimers() | Reference():
            return expression.schema != STREAM
        case _:
            return False


def _require(holds: bool, point: Point, message: str) -> None:
    if not holds:
        raise InvariantError(f"{point.name} {message}")
