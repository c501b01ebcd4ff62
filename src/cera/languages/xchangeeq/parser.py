"""Reading XChangeEQ programs. Whatever the text is, what comes out is a program and diagnostics.

The text is cut into its items first, and each is parsed on its own by `grammar.lark` (Lark, LALR, contextual lexer). An
item that cannot be read is left out of the program and handed to `recovery`, which says why.
"""

from __future__ import annotations

from dataclasses import dataclass

from cera.diagnostics import Diagnostic, Source, Span, in_source_order
from cera.languages.text.items import Comment, scanned
from cera.languages.xchangeeq.cutting import Piece, cut
from cera.languages.xchangeeq.grammar import MismatchError, parse_tree
from cera.languages.xchangeeq.misreadings import misread
from cera.languages.xchangeeq.recovery import diagnose
from cera.languages.xchangeeq.syntax import Item, ProgramSyntax
from cera.languages.xchangeeq.transformer import transform


@dataclass(frozen=True)
class Parsed:
    """The items that could be read, what is wrong with the others, and the comments."""

    program: ProgramSyntax
    diagnostics: tuple[Diagnostic, ...]
    comments: tuple[Comment, ...]


def parse(source: Source) -> Parsed:
    lexemes, comments = scanned(source)
    items: list[Item] = []
    diagnostics: list[Diagnostic] = []
    for piece in cut(source.text, lexemes):
        item, problems = _parse_item(source, piece)
        items += [] if item is None else [item]
        diagnostics += problems
    return Parsed(ProgramSyntax(tuple(items)), tuple(in_source_order(diagnostics)), comments)


def _parse_item(source: Source, piece: Piece) -> tuple[Item | None, list[Diagnostic]]:
    try:
        tree = parse_tree(source.text[piece.start : piece.end])
    except MismatchError:
        return None, diagnose(source, piece)
    item, problems = transform(tree, lambda start, end: Span(source, piece.start + start, piece.start + end))
    return item, problems if item is None else [*problems, *misread(item)]
