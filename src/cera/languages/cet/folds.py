"""Folds in heads: `count(E1)`, `sum(E1.v)`."""

from __future__ import annotations

from collections.abc import Iterator

from cera.diagnostics import Diagnostic
from cera.languages.cet.printer import print_expression
from cera.model.expressions.expression import (
    AGGREGATES,
    Aggregate,
    Call,
    EventReference,
    Expression,
    Variable,
    operands,
)


def check_folds(expression: Expression, *, in_head: bool) -> Iterator[Diagnostic]:
    """Folds in conditions, and folds of what is not an attribute (CE204)."""
    if not isinstance(expression, Aggregate):
        for operand in operands(expression):
            yield from check_folds(operand, in_head=in_head)
        return
    text = print_expression(expression)
    if not in_head:
        message = f"`{text}` is made of all instances of a component, and a condition is about one of each"
        hint = _instead(expression)
        yield Diagnostic("CE204", "error", message, expression.span, hint)
        return
    match expression.operand:
        case Variable():
            return
        case EventReference(identifier=name):
            if expression.function == "count":
                return
            hint = f"write the attribute: `{expression.function}({name}.…)`"
        case Call(function=function) if function in AGGREGATES:
            hint = f"`{expression.function}` takes one attribute"
        case _:
            hint = f"fold one attribute and compute with the result: `2 * {expression.function}(E1.v)`"
    message = f"`{expression.function}` folds an attribute of a component, as in `{expression.function}(E1.v)`"
    yield Diagnostic("CE204", "error", message, expression.span, hint)


def _instead(expression: Aggregate) -> str:
    if expression.function == "count":
        return "how many there have to be says a delimiter: `(3-): E1`"
    given_on = f"as total(value: {expression.function}(…))"
    return f"give it on in a head, `T := … {given_on}`, and compare it in a type of that: `or(T) where T.value > 3`"
