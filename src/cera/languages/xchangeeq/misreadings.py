"""Items that can be read, but hardly as they were meant (XC003)."""

from __future__ import annotations

from collections.abc import Iterator

from cera.diagnostics import Diagnostic, Span
from cera.languages.xchangeeq.syntax import EventLiteral, Item, RuleSyntax, literals
from cera.model.matching.patterns import TermPattern

_SWAPPED = {"adn": "and", "nad": "and"}


def misread(item: Item) -> Iterator[Diagnostic]:
    """`AND { a, b }` and `adn { a, b }` are patterns of these names. In quotes it is clear that they are meant."""
    if not isinstance(item, RuleSyntax):
        return
    for literal in literals(item.query):
        if not isinstance(literal, EventLiteral) or not isinstance(literal.pattern, TermPattern):
            continue
        pattern, span = literal.pattern, literal.pattern.span
        meant = _meant(pattern)
        if meant is None or span is None or span.text.startswith('"'):
            continue
        yield Diagnostic(
            "XC003",
            "error",
            f"'{pattern.label}' is read as the label of an event",
            Span(span.source, span.start, span.start + len(str(pattern.label))),
            f"did you mean '{meant} {{ … }}'? A label like this is written in quotes: \"{pattern.label}\"{{…}}",
        )


def _meant(pattern: TermPattern) -> str | None:
    if not isinstance(pattern.label, str) or pattern.ordered or not pattern.total or not pattern.children:
        return None
    word = pattern.label.lower()
    return word if word in ("and", "or") else _SWAPPED.get(word)
