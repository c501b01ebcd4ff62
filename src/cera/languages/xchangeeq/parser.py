"""Reading XChangeEQ programs. Whatever the text is, what comes out is a program and diagnostics.

The text is cut into its items first, and each is parsed on its own by `grammar.lark` (Lark, LALR, contextual lexer). An
item that cannot be read is left out of the program and handed to `recovery`, which says why.
"""

from __future__ import annotations

from collections.abc import Iterator

from lark import Token, Tree

from cera.diagnostics import Diagnostic, Source, Span
from cera.languages.text import items
from cera.languages.xchangeeq.grammar import Piece, cut, parse_tree
from cera.languages.xchangeeq.recovery import diagnose
from cera.languages.xchangeeq.syntax import EventLiteral, Item, ProgramSyntax, RuleSyntax, literals
from cera.languages.xchangeeq.transformer import transform
from cera.model.matching.patterns import TermPattern

ParsedProgram = items.ParsedProgram[ProgramSyntax]


def parse(source: Source) -> ParsedProgram:
    return items.read_program(source, ProgramSyntax, cut, _READER)


def _transform(tree: Tree[Token], place: items.Place) -> tuple[Item | None, list[Diagnostic]]:
    item, problems = transform(tree, place)
    return item, problems if item is None else [*problems, *misread(item)]


_READER: items.ItemReader[Piece, Item] = items.ItemReader(
    lambda text, _: parse_tree(text), _transform, lambda source, piece, _: diagnose(source, piece)
)


_SWAPPED = {"adn": "and", "nad": "and"}


def misread(item: Item) -> Iterator[Diagnostic]:
    """Reports `AND { a, b }` and `adn { a, b }`, which are read as patterns. In quotes they are clearly meant."""
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
