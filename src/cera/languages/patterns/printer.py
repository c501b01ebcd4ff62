"""Patterns as documents, in canonical spelling.

Whatever gets a line of its own when its surroundings are broken (a child of a term, here) is handed to `decorate`, so
that the formatter can put comments beside it.
"""

from __future__ import annotations

import re

from cera.languages.expressions.printer import ExpressionPrinter
from cera.languages.text.layout import Document, bracket, concat
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
from cera.model.terms import term as terms

_SLASH_OR_ESCAPE = re.compile(r"\\.|/", re.DOTALL)


class PatternPrinter(ExpressionPrinter):
    def pattern(self, pattern: Pattern) -> Document:
        match pattern:
            case TermPattern():
                return self._term(self._pattern_label(pattern), pattern)
            case ScalarPattern():
                return terms.format_scalar(pattern.value)
            case RegexPattern():
                return _regex(pattern.expression)
            case VariablePattern():
                bound = "" if pattern.pattern is None else concat(" -> ", self.pattern(pattern.pattern))
                return concat(self._pattern_variable(pattern.name), bound)
            case Descendant():
                return concat("desc ", self.pattern(pattern.pattern))
            case Without():
                return concat("without ", self.pattern(pattern.pattern))
            case OptionalPattern():
                return concat("optional ", self.pattern(pattern.pattern))

    def _pattern_label(self, pattern: TermPattern) -> str:
        return plain_label_text(pattern.label)

    def _pattern_variable(self, name: str) -> str:
        return f"var {name}"

    def _term(self, label: str, pattern: TermPattern) -> Document:
        opening, closing = "[]" if pattern.ordered else "{}"
        times = 1 if pattern.total else 2
        children = [self.decorate(child, self.pattern(child)) for child in pattern.children]
        return bracket(label + opening * times, children, closing * times)


def plain_label_text(label: Label) -> str:
    match label:
        case str():
            return terms.label(label)
        case AnyLabel():
            return "*"
        case RegexLabel():
            return _regex(label.expression)


def _regex(expression: str) -> str:
    escaped = _SLASH_OR_ESCAPE.sub(lambda found: r"\/" if found[0] == "/" else found[0], expression)
    return f"/{escaped}/"
