"""Expressions that mean the same in every match, and conditions taken apart."""

from __future__ import annotations

from collections.abc import Iterable

from cera.model.evaluation.evaluator import Evaluator
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Aggregate, And, EventReference, Expression, Periodic, Variable


def constant(expression: Expression) -> object:
    """The value of an expression without variables and events; None if it has some, or is undefined."""
    return Evaluator().value(expression, {}, {}) if is_constant(expression) else None


def is_constant(expression: Expression) -> bool:
    return not any(
        isinstance(part, Variable | EventReference | Aggregate | Periodic) for part in expressions.walk(expression)
    )


def conjuncts(conditions: Iterable[Expression]) -> list[Expression]:
    """The conditions with their outer conjunctions taken apart."""
    found: list[Expression] = []
    for condition in conditions:
        found += conjuncts(condition.operands) if isinstance(condition, And) else [condition]
    return found
