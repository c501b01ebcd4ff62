"""From Lark's tree to patterns and to the constructs of rule heads."""

from __future__ import annotations

from collections.abc import Sequence

from lark import Token

from cera.diagnostics import Span
from cera.languages.expressions.transformer import ExpressionTransformer, variable_name
from cera.languages.text.literals import read_regex
from cera.model.expressions.constructs import All, Construct, ConstructTerm, ConstructValue, OptionalConstruct, OrderKey
from cera.model.expressions.expression import EventReference, Expression, Variable
from cera.model.matching.patterns import (
    AnyLabel,
    Descendant,
    Label,
    OptionalPattern,
    Pattern,
    RegexLabel,
    RegexPattern,
    ScalarPattern,
    TermPattern,
    VariablePattern,
    Without,
)


class TermTransformer(ExpressionTransformer):
    def _label(self, token: Token) -> Label:
        match token.type:
            case "ANY_LABEL":
                return AnyLabel()
            case "REGEX":
                return RegexLabel(self._read(read_regex, token, ""))
            case "STRING":
                return self._string(token)
            case _:
                return str(token)

    def bare_pattern(self, span: Span, label: Token) -> TermPattern:
        return TermPattern(self._label(label), span=span)

    def total_unordered(self, span: Span, label: Token, *children: Pattern) -> TermPattern:
        return TermPattern(self._label(label), children, ordered=False, total=True, span=span)

    def partial_unordered(self, span: Span, label: Token, *children: Pattern) -> TermPattern:
        return TermPattern(self._label(label), children, ordered=False, total=False, span=span)

    def total_ordered(self, span: Span, label: Token, *children: Pattern) -> TermPattern:
        return TermPattern(self._label(label), children, ordered=True, total=True, span=span)

    def partial_ordered(self, span: Span, label: Token, *children: Pattern) -> TermPattern:
        return TermPattern(self._label(label), children, ordered=True, total=False, span=span)

    def scalar_pattern(self, span: Span, token: Token) -> ScalarPattern:
        return ScalarPattern(self._scalar(token), span)

    def regex_pattern(self, span: Span, token: Token) -> RegexPattern:
        return RegexPattern(self._read(read_regex, token, ""), span)

    def variable_pattern(self, span: Span, variable: Token, pattern: Pattern | None) -> VariablePattern:
        return VariablePattern(variable_name(variable), pattern, span)

    def descendant(self, span: Span, pattern: Pattern) -> Descendant:
        return Descendant(pattern, span)

    def without(self, span: Span, pattern: Pattern) -> Without:
        return Without(pattern, span)

    def optional_pattern(self, span: Span, pattern: Pattern) -> OptionalPattern:
        return OptionalPattern(pattern, span)

    def _construct_label(self, token: Token) -> str:
        return self._string(token) if token.type == "STRING" else str(token)

    def bare_construct(self, span: Span, label: Token) -> ConstructTerm:
        return ConstructTerm(str(label), span=span)

    def variable_construct(self, span: Span, variable: Token) -> ConstructValue:
        return ConstructValue(Variable(variable_name(variable), span), span)

    def unordered_construct(self, span: Span, label: Token, *children: Construct) -> ConstructTerm:
        return ConstructTerm(self._construct_label(label), children, ordered=False, span=span)

    def ordered_construct(self, span: Span, label: Token, *children: Construct) -> ConstructTerm:
        return ConstructTerm(self._construct_label(label), children, ordered=True, span=span)

    def value(self, span: Span, expression: Expression) -> Construct:
        """In a head a bare name is the empty term, not an event: an event is no value."""
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
