"""Which expressions and conditions are evaluated in columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cera.model.expressions.expression import (
    And,
    Arithmetic,
    Call,
    Comparison,
    DurationLiteral,
    EventReference,
    Expression,
    Literal,
    Negative,
    Not,
    Or,
    Temporal,
    Variable,
    Within,
)
from cera.model.expressions.meaning import PartialMeaning
from cera.model.terms.values import Scalar, is_number

#: Below this every whole double is the integer that it stands for.
EXACT = 2**53
#: The functions that are defined for all arguments of their kinds, and called in columns.
TOTAL = frozenset(
    (
        *("abs", "round", "floor", "ceiling", "concat", "string-length", "upper-case", "lower-case", "trim", "replace"),
        *("contains", "starts-with", "ends-with"),
    )
)


_NO_COMPARISON = "a condition is not a comparison or a relation of times"
_NO_VALUE = "an expression divides by what is read, or is about times"


def why_not_condition(condition: Expression) -> str | None:
    """Returns why a condition is not evaluated in columns; None if it is."""
    return _Reasons().truth(condition)


def why_not_value(value: Expression | Scalar) -> str | None:
    """Returns why a value is not computed in columns; None if it is."""
    return _why_not_scalar(value) if isinstance(value, str | int | float) else _Reasons().value(value)


class _Reasons(PartialMeaning[str | None, str | None]):
    """Why the arrays of `conditions` have nothing for a node; None where they have. The first reason is given."""

    def other_truth(self, condition: Expression) -> str:
        return _NO_COMPARISON

    def other_value(self, expression: Expression) -> str:
        return _NO_VALUE

    def conjunction(self, condition: And, operands: Iterator[str | None]) -> str | None:
        return next(filter(None, operands), None)

    def disjunction(self, condition: Or, operands: Iterator[str | None]) -> str | None:
        return next(filter(None, operands), None)

    def negation(self, condition: Not, operand: str | None) -> str | None:
        return operand

    def comparison(self, condition: Comparison, left: str | None, right: str | None) -> str | None:
        return left or right

    def temporal(self, condition: Temporal, sides: Iterator[str | None]) -> str | None:
        return None if _are_events(condition.left, condition.right) else _NO_COMPARISON

    def within(self, condition: Within, intervals: Sequence[str | None], duration: str | None) -> str | None:
        limit = condition.duration
        fixed = isinstance(limit, DurationLiteral) and not limit.duration.months
        return None if fixed and _are_events(*condition.intervals) else _NO_COMPARISON

    def literal(self, literal: Literal) -> str | None:
        return _why_not_scalar(literal.value)

    def variable(self, variable: Variable) -> None:
        return None

    def negative(self, expression: Negative, operand: str | None) -> str | None:
        return operand

    def arithmetic(self, expression: Arithmetic, left: str | None, right: str | None) -> str | None:
        match expression:
            case Arithmetic(operator="+" | "-" | "*"):
                return left or right
            case Arithmetic(right=Literal(value=divisor)):
                if not is_number(divisor) or not divisor:
                    return "something is divided by what is not a number or zero"
                return left or right
            case _:
                return _NO_VALUE

    def call(self, call: Call, arguments: Iterator[str | None]) -> str | None:
        return next(filter(None, arguments), None) if call.function in TOTAL else f"an expression calls {call.function}"


def _why_not_scalar(value: Scalar) -> str | None:
    exact = isinstance(value, str | bool) or abs(value) < EXACT
    return None if exact else "a number has more than 53 bits"


def _are_events(*expressions: Expression) -> bool:
    return all(isinstance(expression, EventReference) for expression in expressions)
