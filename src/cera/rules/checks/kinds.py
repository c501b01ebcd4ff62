"""Operands, functions and heads of the right kind, aggregates and `all` in the right place: XC404 to XC407."""

from __future__ import annotations

from collections.abc import Iterator

from cera.diagnostics import Diagnostic
from cera.model.expressions import expression as expressions
from cera.model.expressions.constructs import All, Construct, ConstructValue, OptionalConstruct, own_expressions, walk
from cera.model.expressions.expression import Aggregate, Expression
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
                    as_data(kind, expression.span),
                )
            elif part is rule.head and isinstance(part, ConstructValue) and kind not in ("any", "unknown"):
                inference.wrong(
                    expression,
                    f"an event is a term, but {quoted(expression.span, 'it')} is {KIND_NAMES[kind]}",
                    "give it a label: name{…}",
                )
            yield from inference.problems


def check_placement(program: RuleProgram) -> Iterator[Diagnostic]:
    for rule in program.rules:
        for branch in rule.branches:
            for condition in branch.conditions:
                yield from _in_condition(condition)
            for accumulation in branch.accumulations:
                for condition in accumulation.conditions:
                    yield from _in_condition(condition)
        yield from _in_head(rule)


def _in_condition(condition: Expression) -> Iterator[Diagnostic]:
    for aggregate in _outermost_aggregates(condition):
        yield Diagnostic(
            "XC407",
            "error",
            f"the aggregate `{aggregate.function}` stands in a condition, but aggregates are made in heads",
            aggregate.span,
            "derive an event with the aggregate in its head, and put the condition on that event in a second rule",
        )


def _in_head(rule: Rule) -> Iterator[Diagnostic]:
    whole = _without_optional(rule.head)
    if isinstance(whole, All):
        yield Diagnostic(
            "XC407",
            "error",
            "`all` cannot be the whole head: it collects the children of one event",
            whole.span,
            "write name{ all … }; without `all` the rule derives one event for each match",
        )
    for part in walk(rule.head):
        inner = _without_optional(part.construct) if isinstance(part, All) else None
        if isinstance(inner, All):
            yield Diagnostic(
                "XC407",
                "error",
                "`all` stands directly inside `all`",
                inner.span,
                "give the inner one a term of its own: all name{ all … }",
            )
        for expression in own_expressions(part):
            for aggregate in _outermost_aggregates(expression):
                for nested in _outermost_aggregates(aggregate.operand):
                    yield Diagnostic(
                        "XC407",
                        "error",
                        f"the aggregate `{nested.function}` stands inside the aggregate `{aggregate.function}`",
                        nested.span,
                        "derive an event for the inner aggregate in a rule of its own",
                    )


def _without_optional(construct: Construct) -> Construct:
    return _without_optional(construct.construct) if isinstance(construct, OptionalConstruct) else construct


def _outermost_aggregates(expression: Expression) -> Iterator[Aggregate]:
    if isinstance(expression, Aggregate):
        yield expression
        return
    for operand in expressions.operands(expression):
        yield from _outermost_aggregates(operand)
