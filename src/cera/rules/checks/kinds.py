"""Operands, functions and heads of the right kind: XC404, XC405, XC406."""

from __future__ import annotations

from collections.abc import Iterator

from cera.diagnostics import Diagnostic
from cera.model.expressions.constructs import ConstructValue, own_expressions, walk
from cera.model.expressions.expression import Expression
from cera.rules.reasoning.expression_kinds import DATA_KINDS, KIND_NAMES, KindInference, as_data
from cera.rules.reasoning.quotation import quoted
from cera.rules.rule import Rule, RuleProgram


def check_kinds(program: RuleProgram) -> Iterator[Diagnostic]:
    for rule in program.rules:
        for branch in rule.branches:
            for condition in branch.conditions:
                yield from problems_of_condition(condition)
            for accumulation in branch.accumulations:
                for condition in accumulation.conditions:
                    yield from problems_of_condition(condition)
        yield from _problems_of_head(rule)


def problems_of_condition(condition: Expression) -> list[Diagnostic]:
    inference = KindInference()
    kind = inference.kind(condition)
    if kind not in ("boolean", "any", "unknown"):
        what = quoted(condition.span, "it")
        inference.wrong(condition, f"a condition is true or false, but {what} is {KIND_NAMES[kind]}")
    return inference.problems


def _problems_of_head(rule: Rule) -> Iterator[Diagnostic]:
    for part in walk(rule.head):
        for expression in own_expressions(part):
            inference = KindInference()
            kind = inference.kind(expression)
            if kind not in (*DATA_KINDS, "unknown"):
                inference.wrong(
                    expression,
                    f"a head is made of data, but {quoted(expression.span, 'it')} is {KIND_NAMES[kind]}",
                    as_data(kind),
                )
            elif part is rule.head and isinstance(part, ConstructValue) and kind not in ("any", "unknown"):
                inference.wrong(
                    expression,
                    f"an event is a term, but {quoted(expression.span, 'it')} is {KIND_NAMES[kind]}",
                    "give it a label: name{…}",
                )
            yield from inference.problems
