"""From Lark's tree to expressions and to the constructs of rule heads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lark import Token

from cera.diagnostics import Diagnostic, Span
from cera.languages.patterns.transformer import PatternTransformer, variable_name
from cera.model.expressions.constructs import All, Construct, ConstructTerm, ConstructValue, OptionalConstruct, OrderKey
from cera.model.expressions.expression import (
    AGGREGATES,
    Aggregate,
    DateTime,
    EventReference,
    Expression,
    InState,
    Periodic,
    Temporal,
    TimerQuery,
    Variable,
    Within,
)
from cera.model.matching.patterns import TermPattern


class TermTransformer(PatternTransformer):
    def variable(self, span: Span, token: Token) -> Variable:
        return Variable(variable_name(token), span)

    def datetime(self, span: Span, first: Token, second: Token | None) -> DateTime:
        texts = (self._string(first),) if second is None else (self._string(first), self._string(second))
        return DateTime(texts, span=span)

    def periodic(self, span: Span, pattern: TermPattern) -> Periodic:
        return Periodic(timer_query(pattern), span)

    def aggregate(self, span: Span, function: Token, *rest: Any) -> Aggregate:
        *how, operand = rest
        if str(function) not in AGGREGATES:
            known = ", ".join(AGGREGATES)
            message = f"'{function}' does not aggregate; the functions that do are {known}"
            self._problems.append(Diagnostic("XC406", "error", message, self._span_of(function)))
        return Aggregate(str(function), operand, any(word.type == "DISTINCT" for word in how), span)

    def temporal(self, span: Span, left: Expression, relation: Token, right: Expression) -> Temporal:
        return Temporal(str(relation), left, right, span)

    def in_state(self, span: Span, event: Expression, state: Any) -> InState:
        return InState(event, EventReference(state.name, state.span), span)

    def within(self, span: Span, *operands: Expression) -> Within:
        return Within(operands[:-1], operands[-1], span)

    def bare_construct(self, span: Span, label: Token) -> ConstructTerm:
        return ConstructTerm(str(label), span=span)

    def variable_construct(self, span: Span, variable: Token) -> ConstructValue:
        return ConstructValue(Variable(variable_name(variable), span), span)

    def unordered_construct(self, span: Span, label: Token, *children: Construct) -> ConstructTerm:
        return ConstructTerm(self._label(label), children, ordered=False, span=span)

    def ordered_construct(self, span: Span, label: Token, *children: Construct) -> ConstructTerm:
        return ConstructTerm(self._label(label), children, ordered=True, span=span)

    def value(self, span: Span, expression: Expression) -> Construct:
        """Reads a value in a head, where a bare name is the empty term: an event is not a value."""
        if isinstance(expression, EventReference):
            return ConstructTerm(expression.identifier, span=span)
        return ConstructValue(expression, span)

    def all_(
        self, span: Span, construct: Construct, group_by: tuple[str, ...] | None, order_by: tuple[OrderKey, ...] | None
    ) -> All:
        return All(construct, group_by or (), order_by or (), span)

    def optional_construct(self, span: Span, construct: Construct, default: Construct | None) -> OptionalConstruct:
        return OptionalConstruct(construct, default, span)

    def group_by(self, _: Span, *variables: Token) -> tuple[str, ...]:
        return tuple(variable_name(variable) for variable in variables)

    def order_by(self, _: Span, *keys: OrderKey) -> Sequence[OrderKey]:
        return keys

    def order_by_one(self, span: Span, expression: Expression, direction: Token | None) -> Sequence[OrderKey]:
        return (self.order_key(span, expression, direction),)

    def order_key(self, _: Span, expression: Expression, direction: Token | None) -> OrderKey:
        return OrderKey(expression, direction is not None and direction.type == "DESCENDING")


def timer_query(pattern: TermPattern) -> TimerQuery:
    return TimerQuery(str(pattern.label).removeprefix("timer:"), pattern)
