"""The variables that have a value in every tuple of an expression; the others are those under `optional`."""

from __future__ import annotations

from typing import assert_never

from cera.algebra.operators import (
    AbsoluteTimers,
    AntiSemiJoin,
    BoundedWindows,
    Construction,
    Expression,
    Gathering,
    Join,
    Matching,
    Merging,
    PeriodicWindows,
    Projection,
    Reference,
    Relation,
    RelativeTimers,
    Renaming,
    Selection,
    Stream,
    TemporalJoin,
    Union,
)
from cera.algebra.plan import Plan
from cera.model.matching.patterns import bound_variables


def certain_variables(expression: Expression, plan: Plan) -> frozenset[str]:
    """Returns the data attributes that are never absent."""
    match expression:
        case Matching() | Relation():
            return bound_variables(expression.pattern)
        case AbsoluteTimers():
            return bound_variables(expression.timer.pattern)
        case Reference():
            return certain_variables(plan.by_name[expression.name].expression, plan)
        case Join() | TemporalJoin():
            return certain_variables(expression.left, plan) | certain_variables(expression.right, plan)
        case AntiSemiJoin():
            return certain_variables(expression.left, plan)
        case Selection() | Projection() | Gathering() | Merging():
            return certain_variables(expression.input, plan) & expression.schema.data
        case Renaming():
            names = {old: new for new, old in expression.variables}
            return frozenset(names.get(name, name) for name in certain_variables(expression.input, plan))
        case Union():
            return frozenset[str].intersection(*(certain_variables(part, plan) for part in expression.inputs))
        case RelativeTimers() | PeriodicWindows() | BoundedWindows() | Stream() | Construction():
            return frozenset()
        case _:
            assert_never(expression)
