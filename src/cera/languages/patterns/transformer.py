"""From Lark's tree to patterns."""

from __future__ import annotations

from lark import Token

from cera.diagnostics import Span
from cera.languages.expressions.transformer import ExpressionTransformer
from cera.languages.text.literals import read_regex
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


class PatternTransformer(ExpressionTransformer):
    def _pattern_label(self, token: Token) -> Label:
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
        return TermPattern(self._pattern_label(label), span=span)

    def total_unordered(self, span: Span, label: Token, *children: Pattern) -> TermPattern:
        return TermPattern(self._pattern_label(label), children, ordered=False, total=True, span=span)

    def partial_unordered(self, span: Span, label: Token, *children: Pattern) -> TermPattern:
        return TermPattern(self._pattern_label(label), children, ordered=False, total=False, span=span)

    def total_ordered(self, span: Span, label: Token, *children: Pattern) -> TermPattern:
        return TermPattern(self._pattern_label(label), children, ordered=True, total=True, span=span)

    def partial_ordered(self, span: Span, label: Token, *children: Pattern) -> TermPattern:
        return TermPattern(self._pattern_label(label), children, ordered=True, total=False, span=span)

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


def variable_name(token: Token) -> str:
    """Returns X of `var X`."""
    return token.split()[1]
