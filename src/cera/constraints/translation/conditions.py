"""Conditions of a clause as conditions of rules.

A condition is certain when all of what it names is known, and a rule waits for the same: for events, and for the ends
of the states that it names. What does not hold, because a value is missing, is refuted like anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import assert_never

from cera.constraints.names import used_identifiers
from cera.constraints.queries import Condition, Gap, Spread
from cera.constraints.specification import AllLimits, AnyLimit, Limit, Specification
from cera.constraints.translation.places import NotByRulesError, Place, interval_of
from cera.model.evaluation.evaluator import compare
from cera.model.expressions.expression import (
    And,
    Call,
    Comparison,
    DurationLiteral,
    EventReference,
    Expression,
    Not,
    Or,
    Temporal,
    Within,
    event_references,
    rebuild,
)
from cera.model.expressions.expression import Literal as Constant
from cera.model.time.durations import Distance, Duration
from cera.rules.containment_conditions import begin_of, end_of

_FALSE = Comparison("=", Constant(0), Constant(1))
_TRUE = Comparison("=", Constant(0), Constant(0))
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "="}


def names_time(condition: Condition) -> bool:
    """Returns whether a condition speaks of times, and not of values alone."""
    return not isinstance(condition, Comparison) or bool(event_references(condition))


def whole_states(condition: Condition, places: Mapping[str, Place]) -> Iterator[str]:
    """Yields the states whose ends have to be known, also where the condition could be decided earlier."""
    match condition:
        case Comparison():
            return
        case Temporal(relation=relation) if relation in ("before", "after"):
            return
        case Temporal():
            named = event_references(condition)
        case _:
            named = frozenset(each.identifier for each in _identifiers(condition))
    yield from (name for name in named if places[name].kind == "state")


def _identifiers(condition: Condition) -> tuple[EventReference, ...]:
    match condition:
        case Spread() | Gap():
            return condition.identifiers
        case _:
            raise NotByRulesError(_refusal(condition))


def condition_of(condition: Condition, places: Mapping[str, Place]) -> Expression:
    """Returns the condition of a rule that holds if this one does. Raises NotByRulesError."""
    if any(places[each.identifier].kind == "always" for each in used_identifiers(condition)):
        raise NotByRulesError("a condition names all of time")
    match condition:
        case Comparison():
            return _with_places(condition, places)
        case Temporal():
            return _related(condition, places)
        case Spread():
            intervals = tuple(interval_of(places[each.identifier]) for each in condition.identifiers)
            return _limits(condition.duration, lambda limit: _spread(intervals, limit))
        case Gap(identifiers=(first, second)):
            left, right = places[first.identifier], places[second.identifier]
            return _limits(condition.duration, lambda limit: _gap(left, right, limit))
        case _:
            raise NotByRulesError(_refusal(condition))


def refuted(condition: Condition, places: Mapping[str, Place]) -> Expression:
    """Returns the condition of a rule that holds if this one does not. Raises NotByRulesError."""
    made = condition_of(condition, places)
    if isinstance(condition, Temporal) and isinstance(made, Comparison):  # of two times, which are always there
        return Comparison(_NEGATED[made.operator], made.left, made.right, made.span)  # type: ignore[arg-type]
    return Not(made)


def between(first: Place, second: Place, name: str) -> Expression:
    """Returns that an event lies between two others that do not overlap, bounds included."""

    def ordered(one: Place, other: Place) -> Expression:
        bounds = (Comparison("<=", one.end, begin_of(name)), Comparison("<=", end_of(name), other.begin))
        return And((Comparison("<=", one.end, other.begin), *bounds))

    return Or((ordered(first, second), ordered(second, first)))


def _refusal(condition: Condition) -> str:
    match condition:
        case Gap():
            return "more than two things are apart by a duration"
        case _:
            return f"{_KINDS.get(type(condition).__name__, 'this condition')} is a condition of its own"


_KINDS = {
    "GapContent": "what happens between others",
    "Directed": "where something lies",
    "SentFrom": "where something was sent from",
    "Apart": "a distance between places",
}


def _with_places(expression: Expression, places: Mapping[str, Place]) -> Expression:
    """Returns an expression in which timers and hulls are computed from what they are set on."""
    match expression:
        case Call(function="begin" | "end" as edge, arguments=(EventReference(identifier=name),)) if name in places:
            return places[name].begin if edge == "begin" else places[name].end
        case EventReference() if expression.identifier in places:
            return interval_of(places[expression.identifier])
        case _:
            return rebuild(expression, lambda part: _with_places(part, places))


def _related(condition: Temporal, places: Mapping[str, Place]) -> Expression:
    assert isinstance(condition.left, EventReference)
    assert isinstance(condition.right, EventReference)
    left, right = places[condition.left.identifier], places[condition.right.identifier]
    if condition.relation in ("before", "after"):
        first, second = (left, right) if condition.relation == "before" else (right, left)
        return Comparison("<=" if first.is_lasting else "<", first.end, second.begin, condition.span)  # ERR-52
    return Temporal(condition.relation, interval_of(left), interval_of(right), condition.span)


def _limits(specification: Specification, made: Callable[[Limit], Expression]) -> Expression:
    match specification:
        case Limit():
            return made(specification)
        case AllLimits():
            return And(tuple(_limits(part, made) for part in specification.parts))
        case AnyLimit():
            return Or(tuple(_limits(part, made) for part in specification.parts))
        case _:
            assert_never(specification)


def _spread(intervals: tuple[Expression, ...], limit: Limit) -> Expression:
    assert isinstance(limit.amount, Duration)
    length = DurationLiteral(limit.amount)
    if limit.operator == "<=":
        return Within(intervals, length)
    return Comparison(limit.operator, Call("length", (Call("hull", intervals),)), length)


def _gap(left: Place, right: Place, limit: Limit) -> Expression:
    """Returns that the time between two is so long; of two that overlap it is no time at all (ERR-60)."""
    assert isinstance(limit.amount, Duration)
    length = DurationLiteral(limit.amount)

    def ordered(first: Place, second: Place) -> Expression:
        between = Call("length", (Call("hull", (first.end, second.begin)),))
        return And((Comparison("<=", first.end, second.begin), Comparison(limit.operator, between, length)))

    overlap = And((Comparison(">", left.end, right.begin), Comparison(">", right.end, left.begin)))
    nothing = compare(limit.operator, Distance(0, 0), limit.amount) is True
    return Or((ordered(left, right), ordered(right, left), And((overlap, _TRUE if nothing else _FALSE))))
