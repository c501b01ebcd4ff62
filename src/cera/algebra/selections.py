"""Selections by many conditions.

Each condition is an operator of its own, σ[c](σ[d](R)), so that it can be pushed to where its attributes are. Where
there are very many, those that are about the same attributes, and so are pushed to the same places, stay together:
σ[c ∧ d](R).
"""

from __future__ import annotations

from collections.abc import Sequence

from cera.algebra.operators import Expression, Selection
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import And
from cera.model.expressions.expression import Expression as Condition

#: At most this many selections are put one above the other.
MAX_SELECTIONS = 32


def select(conditions: Sequence[Condition], expression: Expression) -> Expression:
    """Returns σ[cn](… σ[c1](R))."""
    for condition in gathered(conditions):
        expression = Selection(condition, expression)
    return expression


def gathered(conditions: Sequence[Condition]) -> list[Condition]:
    """Returns the conditions as at most `MAX_SELECTIONS`, the last of which has all that are left."""
    groups = _alike(conditions)
    rest = [condition for group in groups[MAX_SELECTIONS - 1 :] for condition in group]
    return [*map(_together, groups[: MAX_SELECTIONS - 1]), *([_together(rest)] if rest else ())]


def parted(conjunction: And) -> list[Condition]:
    """Returns the parts of a conjunction that can be pushed to different places; itself if they are too many."""
    groups = _alike(conjunction.operands)
    return [_together(group) for group in groups] if 1 < len(groups) <= MAX_SELECTIONS else [conjunction]


def _alike(conditions: Sequence[Condition]) -> list[list[Condition]]:
    """Returns each condition separately, or if there are many, those that are about the same attributes together."""
    if len(conditions) <= MAX_SELECTIONS:
        return [[condition] for condition in conditions]
    alike: dict[tuple[frozenset[str], frozenset[str]], list[Condition]] = {}
    for condition in conditions:
        attributes = expressions.variables(condition), expressions.event_references(condition)
        alike.setdefault(attributes, []).append(condition)
    return list(alike.values())


def _together(conditions: list[Condition]) -> Condition:
    return conditions[0] if len(conditions) == 1 else And(tuple(conditions))
