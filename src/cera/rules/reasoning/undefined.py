"""Expressions that have no value for any data, though their operands are of the right kinds: XC004, XC405."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cera.model.evaluation.functions import FUNCTIONS, UNITS_OF_TIME
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Arithmetic, Call, DateTime, Expression
from cera.model.regex.regular_expressions import RegexError, compile_regex
from cera.model.terms.values import is_number
from cera.model.time.durations import Duration
from cera.rules.reasoning.cases import constant, is_constant
from cera.rules.reasoning.quotation import quoted


class UndefinedReason(NamedTuple):
    """The reason why an expression has no value, and the part of it that is to blame."""

    at: Expression
    message: str
    hint: str | None = None
    code: str = "XC405"


def always_undefined(expression: Expression) -> UndefinedReason | None:
    """Returns the reason if the expression is undefined for all data; its operands are taken to be defined."""
    match expression:
        case Arithmetic(operator="/" | "mod") if _is_zero(expression.right):
            return UndefinedReason(expression, f"{quoted(expression.span, 'this')} divides by zero, so it has no value")
        case Call(function="matches", arguments=(_, pattern)):
            return _wrong_regex(pattern)
        case Call(function=function, arguments=(argument,)) if function in UNITS_OF_TIME and _has_months(argument):
            return UndefinedReason(
                argument,
                f"{quoted(argument.span, 'a month')} is no fixed number of {function}: how long a month is depends on "
                "where it begins",
                "days have a fixed length, as in 30 days",
            )
        case Call(function="substring", arguments=(_, *numbers)) if _wrong_positions(numbers):
            return UndefinedReason(
                expression,
                f"{quoted(expression.span, 'this')} has no value: characters are counted from 1, in whole numbers",
            )
        case _:
            return _undefined_constant(expression)


def _is_zero(expression: Expression) -> bool:
    value = constant(expression)
    return is_number(value) and value == 0


def _has_months(expression: Expression) -> bool:
    value = constant(expression)
    return isinstance(value, Duration) and value.months != 0


def _wrong_regex(pattern: Expression) -> UndefinedReason | None:
    text = constant(pattern)
    if isinstance(text, str):
        try:
            compile_regex(text)
        except RegexError as error:
            return UndefinedReason(pattern, f"the regular expression cannot be used: {error}", code="XC004")
    return None


def _wrong_positions(numbers: list[Expression]) -> bool:
    """Returns whether the constants among them are not a position or length in any text."""
    values = [constant(number) if is_constant(number) else 1 for number in numbers]
    return FUNCTIONS["substring"].apply("", *values) is None


def _undefined_constant(expression: Expression) -> UndefinedReason | None:
    if not is_constant(expression) or any(_unread(part) for part in expressions.walk(expression)):
        return None
    if constant(expression) is not None:
        return None
    hint = None
    if isinstance(expression, Arithmetic) and all(is_number(value) for value in _operand_values(expression)):
        hint = "integers have 64 bits, and decimals are doubles"
    return UndefinedReason(expression, f"{quoted(expression.span, 'this')} has no value", hint)


def _operand_values(expression: Expression) -> Iterator[object]:
    yield from (constant(operand) for operand in expressions.operands(expression))


def _unread(part: Expression) -> bool:
    """Returns whether a date has no value, which has been reported where it was read."""
    return isinstance(part, DateTime) and part.interval is None
