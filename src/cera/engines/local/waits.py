"""The timers that a row has to wait for."""

from __future__ import annotations

from cera.algebra.operators import Expression, Matching, Reference, RelativeTimers, Renaming, inputs
from cera.algebra.plan import Plan
from cera.engines.local.rows import layout_of
from cera.model.time.timers import TIMERS


def awaited_columns(expression: Expression, plan: Plan) -> list[int]:
    """Returns the columns of relative timers that end after their anchors: only these can still lie ahead."""
    names, layout = _forward_timers(expression, plan), layout_of(expression, plan)
    return [layout.event(name) for name in layout.identifiers if name in names]


def _forward_timers(expression: Expression, plan: Plan) -> set[str]:
    match expression:
        case RelativeTimers():
            return {expression.identifier} if TIMERS[expression.kind][1][1] > 0 else set()
        case Matching():
            return set()
        case Reference():
            return _forward_timers(plan.by_name[expression.name].expression, plan)
        case Renaming():
            new_names = {old: new for new, old in expression.identifiers}
            return {new_names.get(name, name) for name in _forward_timers(expression.input, plan)}
        case _:
            return {name for part in inputs(expression) for name in _forward_timers(part, plan)}
