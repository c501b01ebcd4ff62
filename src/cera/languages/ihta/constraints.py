"""Constraints of labels as bounds: on sums of times, and on numbers of instances."""

from __future__ import annotations

from collections import Counter
from typing import cast

from cera.automata.automaton import TerminationConstraint
from cera.automata.times import Bound, TimeConstraint
from cera.languages.ihta.syntax import NOW
from cera.model.expressions.expression import (
    Arithmetic,
    Call,
    Comparison,
    DurationLiteral,
    EventReference,
    Expression,
    Literal,
    Negative,
    Variable,
    walk,
)

_COUNTS = ("finishedInstances", "allInstances")
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_EXAMPLE = "write sums of now, b(j), e(j) and durations: e(this) - e(last) < 30s"


class BoundError(Exception):
    """A condition is not a bound that an automaton can have."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def is_count(condition: Expression) -> bool:
    """Returns whether a condition is about numbers of instances."""
    return any(isinstance(part, Call) and part.function in _COUNTS for part in walk(condition))


def is_temporal(condition: Expression) -> bool:
    """Returns whether a condition is about times."""
    return any(isinstance(part, EventReference | DurationLiteral) for part in walk(condition))


def termination(condition: Expression) -> TerminationConstraint:
    """Returns a constraint on the number of instances of a state."""
    if isinstance(condition, Comparison):
        left, right, operator = condition.left, condition.right, condition.operator
        if isinstance(left, Literal):
            left, right, operator = right, left, _MIRRORED.get(operator, operator)  # type: ignore[assignment]
        is_number = isinstance(right, Literal) and right.value.__class__ is int
        if isinstance(left, Call) and left.function in _COUNTS and is_number and len(left.arguments) == 1:
            [state] = left.arguments
            assert isinstance(state, EventReference)
            assert isinstance(right, Literal)
            number = cast(int, right.value)
            return TerminationConstraint(left.function, state.identifier, operator, number, condition.span)  # type: ignore[arg-type]
    raise BoundError("a number of instances is compared with a whole number", "write finishedInstances(b) >= 2")


def time_constraint(condition: Expression) -> TimeConstraint:
    """Returns a bound on a sum of times."""
    if not isinstance(condition, Comparison):
        raise BoundError("a constraint on times is a comparison", _EXAMPLE)
    found = Counter[tuple[Bound, str] | None]()
    constant = _collect(condition.left, 1, found) + _collect(condition.right, -1, found)
    now = found.pop(None, 0)
    terms = tuple((factor, bound, name) for (bound, name), factor in sorted(found.items()) if factor)  # type: ignore[misc]
    total = now + sum(factor for factor, _, _ in terms)
    moving = now + sum(factor for factor, bound, name in terms if (bound, name) == ("e", "this"))
    if moving not in (-1, 0, 1) or total:
        raise BoundError("a constraint compares the difference of two times with a duration", _EXAMPLE)
    return TimeConstraint(terms, now, condition.operator, -constant, condition.span)


def _collect(part: Expression, sign: int, found: Counter[tuple[Bound, str] | None]) -> int:
    """Adds the times of a sum to those found; returns its durations in microseconds."""
    match part:
        case EventReference() if part.identifier == NOW:
            found[None] += sign
            return 0
        case Call(function="b" | "e", arguments=(EventReference() as event,)):
            found[cast(Bound, part.function), event.identifier] += sign
            return 0
        case DurationLiteral() if not part.duration.months:
            return sign * part.duration.microseconds
        case DurationLiteral():
            raise BoundError("months have no fixed length", "write days")
        case Arithmetic(operator="+" | "-"):
            second = sign if part.operator == "+" else -sign
            return _collect(part.left, sign, found) + _collect(part.right, second, found)
        case Negative():
            return _collect(part.operand, -sign, found)
        case Literal(value=0):
            return 0
        case Variable() | Literal():
            raise BoundError("times are compared with durations, not with data", _EXAMPLE)
        case _:
            raise BoundError("this is no sum of times", _EXAMPLE)
