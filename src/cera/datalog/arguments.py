"""Expressions over the arguments of a fact, event tuples with their attributes among them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cera.datalog.syntax import root
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.occurrence import unwrap
from cera.model.expressions.expression import Expression, Variable, variables
from cera.model.terms.term import Value
from cera.modules.tuples import EventTuple, cell_of, look_up, value_of


def argument_value(expression: Expression, bound: Mapping[str, Any], evaluator: Evaluator) -> Value | None:
    """Returns the value of an expression with dotted variables, None where it has none."""
    if isinstance(expression, Variable) and "." in expression.name:
        variable, _, attribute = expression.name.partition(".")
        return look_up(bound[variable], attribute)
    values: dict[str, Value] = {}
    for name in variables(expression):
        cell = bound[root(name)]
        value = look_up(cell, name.partition(".")[2]) if "." in name else value_of(cell)
        if value is not None:
            values[name] = value
    result = cell_of(evaluator.value(expression, values, {}))
    return None if result is None or isinstance(result, EventTuple) else unwrap(result)
