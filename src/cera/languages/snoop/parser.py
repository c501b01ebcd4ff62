"""Reading Snoop. Whatever the text is, what comes out is a program and diagnostics.

The text is cut into its items first, and each is parsed on its own by `grammar.lark` (Lark, LALR, contextual lexer). An
item that cannot be read is left out of the program and handed to `mistakes`, which says why.
"""

from __future__ import annotations

from dataclasses import dataclass

from cera.diagnostics import Diagnostic, Source, Span, in_source_order
from cera.languages.cet.cutting import Piece
from cera.languages.cet.grammar import MismatchError
from cera.languages.snoop.cutting import cut
from cera.languages.snoop.grammar import parse_tree
from cera.languages.snoop.mistakes import explained
from cera.languages.snoop.syntax import Item, Program
from cera.languages.snoop.transformer import transform
from cera.languages.xchangeeq.parser import Comment
from cera.languages.xchangeeq.scanner import scan


@dataclass(frozen=True)
class Parsed:
    """The items that could be read, what is wrong with the others, and the comments."""

    program: Program
    diagnostics: tuple[Diagnostic, ...]
    comments: tuple[Comment, ...]


def parse(source: Source) -> Parsed:
    lexemes = list(scan(source.text))
    comments = tuple(
        Comment(lexeme.text, Span(source, lexeme.start, lexeme.end)) for lexeme in lexemes if lexeme.kind == "comment"
    )
    items: list[Item] = []
    diagnostics: list[Diagnostic] = []
    for piece in cut(source.text, [lexeme for lexeme in lexemes if lexeme.kind != "comment"]):
        item, problems = _item(source, piece)
        items += [] if item is None else [item]
        diagnostics += problems
    return Parsed(Program(tuple(items)), tuple(in_source_order(diagnostics)), comments)


def _item(source: Source, piece: Piece) -> tuple[Item | None, list[Diagnostic]]:
    try:
        tree = parse_tree(source.text[piece.start : piece.end], piece.kind)
    except MismatchError as mismatch:
        return None, [explained(source, piece, mismatch)]
    return transform(tree, lambda first, last: Span(source, piece.start + first, piece.start + last))
