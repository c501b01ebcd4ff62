"""The columns of the rows of each operator."""

from __future__ import annotations

from typing import assert_never

from cera.algebra.operators import (
    AbsoluteTimers,
    AntiSemiJoin,
    Construction,
    Expression,
    Join,
    Matching,
    Merging,
    Projection,
    Reference,
    RelativeTimers,
    Renaming,
    Selection,
    Stream,
    TemporalJoin,
    Union,
)
from cera.algebra.plan import Plan
from cera.engines.local.patterns import pattern_layout
from cera.engines.local.rows import Column, Layout


def layout_of(expression: Expression, plan: Plan) -> Layout:
    match expression:
        case Matching():
            return pattern_layout(expression.identifier, expression.pattern)
        case AbsoluteTimers():
            return pattern_layout(expression.identifier, expression.timer.pattern)
        case Reference():
            return layout_of(plan.by_name[expression.name].expression, plan)
        case Join(right=RelativeTimers() as timer):
            return layout_of(expression.left, plan).with_(Column("event", timer.identifier))
        case Join():
            left = layout_of(expression.left, plan)
            return left.with_(*(c for c in layout_of(expression.right, plan).columns if c not in left))
        case Selection() | Merging() | AntiSemiJoin():
            return layout_of(expression.left if isinstance(expression, AntiSemiJoin) else expression.input, plan)
        case Projection():
            columns = layout_of(expression.input, plan).columns
            return Layout(tuple(c for c in columns if c.kind != "data" or c.name in expression.attributes))
        case TemporalJoin():
            left = layout_of(expression.left, plan)
            new = (c for c in layout_of(expression.right, plan).columns if c.kind == "data" and c not in left)
            return left.with_(*new, Column("match", expression.element))
        case Renaming():
            identifiers = {old: new for new, old in expression.identifiers}
            variables = {old: new for new, old in expression.variables}
            return layout_of(expression.input, plan).renamed(identifiers, variables)
        case Union():
            layout = layout_of(expression.inputs[0], plan)
            for part in expression.inputs[1:]:
                layout = layout.with_(*(c for c in layout_of(part, plan).columns if c not in layout))
            return layout
        case Stream() | Construction() | RelativeTimers():
            raise AssertionError(f"{type(expression).__name__} has events, not rows")
        case _:
            assert_never(expression)
