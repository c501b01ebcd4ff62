"""Projections below windows, where the events are that have the variables which they drop.

π[X](σ[c](R))        → σ[c](π[X](R))                       if attributes(c) ⊆ X
π[X](R ⋈_{i⊒j} S)    → π[X](R) ⋈_{i⊒j} S                   if what is dropped is not in sch(S)
π[X](R ⋈_{i⊒j} S)    → R ⋈_{i⊒j} π[X](S)                   if what is dropped is not in sch(R), and S has no state
π[X](R ▷_{i⊒j, c} S) → π[X](R) ▷_{i⊒j, c} S                if what is dropped is neither in sch(S) nor in c

A projection with several variables is taken apart first. Windows over single events are recognised by engines, which
look events up or sort them; with a projection above them they would be joined.
"""

from __future__ import annotations

from dataclasses import replace

from cera.algebra.operators import AntiSemiJoin, Expression, Projection, Selection, TemporalJoin, rebuild
from cera.algebra.plan import Plan
from cera.model.expressions import expression as expressions
from cera.optimizer.plan_changes import with_expressions


def push_projections(plan: Plan) -> Plan:
    return with_expressions(plan, _pushed)


def _pushed(expression: Expression) -> Expression:
    """Returns the expression with all its projections pushed; the same object if they are where they should be."""
    expression = rebuild(expression, _pushed)
    if not isinstance(expression, Projection):
        return expression
    below, left = expression.input, set[str]()
    for name in sorted(below.schema.data - expression.attributes):
        lower = _without(name, below)
        if lower is None:
            left.add(name)
        else:
            below = lower
    if not left:
        return below
    return expression if below is expression.input else projected(below, left)


def projected(expression: Expression, dropped: set[str] | frozenset[str]) -> Expression:
    """Returns the expression without some variables."""
    if isinstance(expression, Projection):
        return projected(expression.input, dropped | (expression.input.schema.data - expression.schema.data))
    return Projection(expression.schema.attributes - dropped, expression)


def _without(name: str, expression: Expression) -> Expression | None:
    """Returns the expression with a variable dropped below its topmost operator; None if that is not possible."""
    match expression:
        case Selection() if name not in expressions.variables(expression.condition):
            lower = _without(name, expression.input)
            return None if lower is None else replace(expression, input=lower)
        case TemporalJoin():
            if name in expression.left.schema.data & expression.right.schema.data or _needs(expression, name):
                return None
            if name in expression.left.schema.data:
                return replace(expression, left=_dropped(name, expression.left))
            alone = expression.containment != "in-state"
            return replace(expression, right=_dropped(name, expression.right)) if alone else None
        case AntiSemiJoin() if name not in expression.right.schema.data and not _needs(expression, name):
            return replace(expression, left=_dropped(name, expression.left))
        case _:
            return None


def _needs(window: TemporalJoin | AntiSemiJoin, name: str) -> bool:
    return any(name in expressions.variables(condition) for condition in window.condition)


def _dropped(name: str, expression: Expression) -> Expression:
    lower = _without(name, expression)
    return projected(expression, {name}) if lower is None else lower
