"""Which expressions and conditions are evaluated in columns."""

from __future__ import annotations

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


def why_not_condition(condition: Expression) -> str | None:
    """Returns why a condition is not evaluated in columns; None if it is."""
    match condition:
        case And() | Or():
            return next((reason for part in condition.operands if (reason := why_not_condition(part))), None)
        case Not():
            return why_not_condition(condition.operand)
        case Comparison():
            return why_not_value(condition.left) or why_not_value(condition.right)
        case Temporal(left=EventReference(), right=EventReference()):
            return None
        case Within(duration=DurationLiteral(duration=duration), intervals=intervals) if not duration.months:
            if all(isinstance(interval, EventReference) for interval in intervals):
                return None
        case _:
            pass
    return "a condition is not a comparison or a relation of times"


def why_not_value(value: Expression | Scalar) -> str | None:
    """Returns why a value is not computed in columns; None if it is."""
    match value:
        case Variable() | str() | bool():
            return None
        case int() | float():
            return None if abs(value) < EXACT else "a number has more than 53 bits"
        case Literal():
            return why_not_value(value.value)
        case Negative():
            return why_not_value(value.operand)
        case Arithmetic(operator="/" | "mod", right=Literal(value=divisor)):
            if not is_number(divisor) or not divisor:
                return "something is divided by what is not a number or zero"
            return why_not_value(value.left) or why_not_value(value.right)
        case Arithmetic(operator="+" | "-" | "*"):
            return why_not_value(value.left) or why_not_value(value.right)
        case Call() if value.function in TOTAL:
            return next((reason for each in value.arguments if (reason := why_not_value(each))), None)
        case Call(function=function):
            return f"an expression calls {function}"
        case _:
            return "an expression divides by what is read, or is about times"
