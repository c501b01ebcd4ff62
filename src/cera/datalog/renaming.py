"""Expressions with other variables."""

from __future__ import annotations

from collections.abc import Mapping

from cera.model.expressions.expression import Expression, Variable, rebuild


def renamed(expression: Expression, names: Mapping[str, str]) -> Expression:
    """The expression with new names for variables; `X.k` is an attribute of X, and what has no new name stays."""
    if isinstance(expression, Variable):
        owner, dot, attribute = expression.name.partition(".")
        return Variable(f"{names.get(owner, owner)}{dot}{attribute}", expression.span)
    return rebuild(expression, lambda part: renamed(part, names))
