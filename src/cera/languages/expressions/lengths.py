"""Lengths of time in expressions, as the calculi that count in microseconds have them."""

from __future__ import annotations

from cera.model.expressions.expression import DurationLiteral, Expression, Literal, rebuild


def in_microseconds(expression: Expression) -> Expression:
    """Replaces durations by numbers, since times of events are numbers: `Y.evtime - X.evtime < 10 min`."""
    if isinstance(expression, DurationLiteral):
        return Literal(expression.duration.microseconds, expression.span)
    return rebuild(expression, in_microseconds)
