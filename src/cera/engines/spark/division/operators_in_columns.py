"""Which operators of a stream are answered in columns: rules that can be, if events matter for a limited time."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from cera.engines.columns.lowering import lower
from cera.engines.columns.physical import PhysicalPlan
from cera.engines.spark.division.operators import Operator
from cera.model.events.states import is_early_answer
from cera.modules.rules.module import RuleModule

#: `0` turns columns off.
SWITCH = "CERA_COLUMNS"


def columns_plan(operator: Operator) -> PhysicalPlan | str:
    """Returns the plan of an operator over columns, or why it has none."""
    if not isinstance(operator.module, RuleModule):
        return "it is a module"
    if operator.acting:
        return "its rules have actions"
    if operator.takes_all:
        return "rules have absolute timers"
    if any(label is None or is_early_answer(label) for label in operator.derives):
        return "answers may be certain before their end"
    found = lower(operator.module.plan, operator.max_duration)
    if isinstance(found, PhysicalPlan) and found.horizon is None:
        return "events may matter for good"
    return found


def in_columns(operators: Sequence[Operator]) -> tuple[Operator, ...]:
    """Returns the operators, those marked that begin in columns."""
    if os.environ.get(SWITCH, "") == "0":
        return tuple(operators)
    return tuple(replace(each, in_columns=not isinstance(columns_plan(each), str)) for each in operators)


def why_not_in_columns(operator: Operator) -> str | None:
    """Returns why an operator is answered event by event; None if it is in columns."""
    plan = columns_plan(operator)
    return plan if isinstance(plan, str) else None
