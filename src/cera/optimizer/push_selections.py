"""Selections as near to their relations as possible (section 3.4.2 of seed 000).

σ[c ∧ d](R)          → σ[c](σ[d](R))            unless there are very many (cera.algebra.selections)
σ[c](R ⋈ S)          → σ[c](R) ⋈ S              if attributes(c) ⊆ sch(R); with timers or rows for S as well
σ[c](R ⋈ S)          → R ⋈ σ[c](S)              if attributes(c) ⊆ sch(S); into both if both have them
σ[c](R ⋈_{i⊒j} S)    → σ[c](R) ⋈_{i⊒j} S        if attributes(c) ⊆ sch(R)
σ[c](R ⋈_{i⊒j} S)    → R ⋈_{i⊒j} σ[c](S)        if attributes(c) ⊆ schdata(S)
σ[c](R ▷_{i⊒j} S)    → σ[c](R) ▷_{i⊒j} S
R ▷_{i⊒j, c} S       → R ▷_{i⊒j} σ[c](S)        if attributes(c) ⊆ schdata(S)
σ[c](R ∪ S)          → σ[c](R) ∪ σ[c](S)        if attributes(c) ⊆ sch(R) ∩ sch(S)
σ[c](π[X](R))        → π[X](σ[c](R))
σ[c](ρ[n](R))        → ρ[n](σ[n⁻¹(c)](R))       unless R is a materialization point: σ stays above ρ there
"""

from __future__ import annotations

from dataclasses import replace

from cera.algebra.operators import (
    AntiSemiJoin,
    Expression,
    FollowingEvents,
    Join,
    Projection,
    Relation,
    Renaming,
    Selection,
    TemporalJoin,
    Union,
    rebuild,
)
from cera.algebra.plan import Plan
from cera.algebra.renaming import Names, is_point, renamed_condition
from cera.algebra.schema import Schema
from cera.algebra.selections import parted, select
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import And
from cera.model.expressions.expression import Expression as Condition
from cera.optimizer.plan_changes import with_expressions


def push_selections(plan: Plan) -> Plan:
    return with_expressions(plan, pushed)


def pushed(expression: Expression) -> Expression:
    """Returns the expression with all its selections pushed; the same object if they are where they should be."""
    if isinstance(expression, Selection):
        below = pushed(expression.input)
        if isinstance(expression.condition, And):
            parts = parted(expression.condition)
            if len(parts) > 1:
                return pushed(select(parts, below))
        lower = _push(expression.condition, below)
        if lower is not None:
            return lower
        return expression if below is expression.input else Selection(expression.condition, below)
    expression = rebuild(expression, pushed)
    return _into_window(expression) if isinstance(expression, AntiSemiJoin) else expression


def _push(condition: Condition, expression: Expression) -> Expression | None:
    """Returns σ[c] below the topmost operator of the expression; None if it has to stay above."""
    match expression:
        case Selection():  # past selections that stay where they are
            lower = _push(condition, expression.input)
            return None if lower is None else replace(expression, input=lower)
        case Join():
            left, right = _has(expression.left, condition), _has(expression.right, condition)
            if not (left or right):
                return None
            return replace(
                expression,
                left=_select(condition, expression.left) if left else expression.left,
                right=_select(condition, expression.right) if right else expression.right,
            )
        case TemporalJoin():
            if _has(expression.left, condition):
                return replace(expression, left=_select(condition, expression.left))
            if _has_data(expression.right, condition):
                return replace(expression, right=_select(condition, expression.right))
            return None
        case AntiSemiJoin():
            return replace(expression, left=_select(condition, expression.left))
        case Union():
            if all(_has(part, condition) for part in expression.inputs):
                return Union(tuple(_select(condition, part) for part in expression.inputs))
            return None
        case Projection():
            return replace(expression, input=_select(condition, expression.input))
        case Renaming() if not is_point(expression):
            names = Names(dict(expression.identifiers), dict(expression.variables))
            return replace(expression, input=_select(renamed_condition(condition, names), expression.input))
        case _:
            return None


def _select(condition: Condition, expression: Expression) -> Expression:
    lower = _push(condition, expression)
    return Selection(condition, expression) if lower is None else lower


def _into_window(window: AntiSemiJoin) -> Expression:
    """Makes the conditions of an absence that are about the absent event alone select it."""
    alone = tuple(c for c in window.condition if _has_data(window.right, c))
    if not alone:
        return window
    right = window.right
    for condition in alone:
        right = _select(condition, right)
    return replace(window, right=right, condition=tuple(c for c in window.condition if c not in alone))


def _has(expression: Expression, condition: Condition) -> bool:
    """Returns attributes(c) ⊆ sch(R)."""
    if isinstance(expression, FollowingEvents | Relation):
        return False  # timers are computed with the rows they are joined to, and rows of relations looked up
    return _within(condition, expression.schema)


def _has_data(expression: Expression, condition: Condition) -> bool:
    return _within(condition, Schema(expression.schema.data))


def _within(condition: Condition, schema: Schema) -> bool:
    times = expressions.event_references(condition)
    return expressions.variables(condition) <= schema.data and times <= schema.intervals
