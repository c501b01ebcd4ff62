"""The arguments of actions: expressions of the model, and `asctime`, which writes times and lengths of time."""

from __future__ import annotations

from collections.abc import Mapping

from cera.connectors.actions.texts.printf import ArgumentKind, asctime
from cera.datalog.arguments import argument_value
from cera.model.evaluation.evaluator import Evaluator
from cera.model.expressions.expression import (
    Arithmetic,
    Call,
    DurationLiteral,
    Expression,
    Literal,
    Negative,
    Variable,
    rebuild,
)
from cera.model.terms.term import Value
from cera.model.time.durations import Duration, format_duration
from cera.modules.tuples import EventTuple

#: For the arguments of actions only: a time or a length of time as C's asctime would write it.
ASCTIME = "asctime"


def action_argument(expression: Expression, bound: Mapping[str, EventTuple], evaluator: Evaluator) -> Value | None:
    """Returns the value of an argument for the events bound to the variables; None where it has none."""
    return argument_value(_written(expression, bound, evaluator), bound, evaluator)


def kind_of(expression: Expression) -> ArgumentKind:
    """Returns the kind of an argument as far as it is known before there is a value."""
    match expression:
        case Literal(value=str()) | Call(function="asctime"):
            return "string"
        case Literal(value=bool()):
            return "boolean"
        case Literal() | Arithmetic() | Negative():
            return "number"
        case _:
            return None


def _written(expression: Expression, bound: Mapping[str, EventTuple], evaluator: Evaluator) -> Expression:
    """Returns the expression with every `asctime` replaced by its text, and durations by microseconds.

    Where the time has no value, its expression stays in place of the text, and has no value either.
    """
    match expression:
        case DurationLiteral():
            return Literal(expression.duration.microseconds)
        case Call(function=function, arguments=(time,)) if function == ASCTIME:
            inner = _written(time, bound, evaluator)
            value = argument_value(inner, bound, evaluator)
            if not isinstance(value, int):
                return inner
            try:
                text = format_duration(Duration(0, value)) if _times(time) == 0 else asctime(value, evaluator.timezone)
            except (OverflowError, ValueError):  # no calendar has this day
                text = str(value)
            return Literal(text)
        case _:
            return rebuild(expression, lambda part: _written(part, bound, evaluator))


def _times(expression: Expression) -> int:
    """Returns the number of times that are added up: 1 is a time, 0 a length of time, which is a difference of two."""
    match expression:
        case Variable():
            return 1
        case Arithmetic(operator="+", left=left, right=right):
            return _times(left) + _times(right)
        case Arithmetic(operator="-", left=left, right=right):
            return _times(left) - _times(right)
        case Arithmetic(left=left):
            return _times(left)
        case _:
            return 0
