"""Conditions that compare nothing (EP503): they hold only where their value is `true`."""

from __future__ import annotations

from collections.abc import Iterator

from cera.diagnostics import Diagnostic
from cera.languages.epl.printer import print_condition
from cera.languages.epl.syntax import Module, basics
from cera.model.evaluation.functions import FUNCTIONS
from cera.model.expressions.expression import And, Call, Comparison, Expression, Literal, Not, Or, Variable


def check_conditions(module: Module) -> Iterator[Diagnostic]:
    for rule in module.rules:
        for basic in basics(rule.event):
            for condition in basic.conditions:
                yield from _compares(condition)


def _compares(condition: Expression) -> Iterator[Diagnostic]:
    match condition:
        case And(operands=operands) | Or(operands=operands):
            for operand in operands:
                yield from _compares(operand)
        case Not(operand=operand):
            yield from _compares(operand)
        case Comparison() | Literal(value=bool()):
            pass
        case Call(function=function) if FUNCTIONS[function].result in ("boolean", "any"):
            pass
        case Variable():
            text = print_condition(condition)
            message = f"`{text}` is compared with nothing: it holds only where its value is `true`"
            yield Diagnostic("EP503", "warning", message, condition.span, f"write `{text} = true` if that is meant")
        case _:
            message = f"`{print_condition(condition)}` is no truth value, so this never holds"
            yield Diagnostic("EP503", "warning", message, condition.span, "compare it with something")
