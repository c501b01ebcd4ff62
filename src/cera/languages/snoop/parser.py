"""Reading Snoop. Whatever the text is, what comes out is a program and diagnostics.

The text is cut into its items first, and each is parsed on its own by `grammar.lark` (Lark, LALR, contextual lexer). An
item that cannot be read is left out of the program and handed to `mistakes`, which says why.

A definition begins with its name and `:=`, which stands nowhere else; so a bracket that is not closed spoils one
definition only. It ends where the next item begins, for a semicolon in it is the sequence operator; one at its very end
is left out. A declaration begins with `event` or `partition` and ends with its semicolon.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from lark import Lark, Token, Tree

from cera.diagnostics import Source
from cera.languages.cet.parser import shared_grammar
from cera.languages.cet.syntax import STARTS, Start
from cera.languages.expressions.grammar import item_parser, read_grammar
from cera.languages.snoop.mistakes import explained
from cera.languages.snoop.syntax import Item, Program
from cera.languages.snoop.transformer import transform
from cera.languages.text import items
from cera.languages.text.items import Piece, parse_item, pieces
from cera.languages.text.scanner import Lexeme

ParsedProgram = items.ParsedProgram[Program]

_READER: items.ItemReader[items.Piece[Start], Item] = items.ItemReader(
    lambda text, piece: parse_tree(text, piece.kind), transform, explained
)


def parse(source: Source) -> ParsedProgram:
    return items.read_program(source, Program, cut, _READER)


#: The words that can follow an event called `event`.
_AFTER_NAMES = ("and", "AND", "or", "OR", "where", "within", "as")


def cut(text: str, lexemes: Sequence[Lexeme]) -> list[Piece[Start]]:
    """Returns the items among the lexemes (without comments) of a text."""
    bounds: list[tuple[int, Start]] = []
    closed = True
    for index, lexeme in enumerate(lexemes):
        kind = _kind_of(text, lexemes, index)
        if kind is None and closed:
            kind = "definition"
        if kind is not None:
            bounds.append((index, kind))
        closed = lexeme.text == ";" and bounds[-1][1] == "declaration"
    return [_without_end(piece) for piece in pieces(lexemes, bounds)]


def _without_end(piece: Piece[Start]) -> Piece[Start]:
    *others, last = piece.lexemes
    ended = piece.kind == "definition" and others and last.text == ";"
    return Piece(piece.kind, tuple(others)) if ended else piece


def _kind_of(text: str, lexemes: Sequence[Lexeme], index: int) -> Start | None:
    """Returns the kind of the item that begins here, if one does."""
    lexeme = lexemes[index]
    following = lexemes[index + 1] if index + 1 < len(lexemes) else None
    if following is None or lexeme.kind not in ("word", "string"):
        return None
    if following.text == ":=":
        return "definition"
    preceding = lexemes[index - 1].text if index else ";"
    leads_line = not text[text.rfind("\n", 0, lexeme.start) + 1 : lexeme.start].strip()
    if not (leads_line or preceding == ";"):
        return None
    declares = lexeme.text == "event" and following.kind in ("word", "string") and following.text not in _AFTER_NAMES
    return "declaration" if declares or (lexeme.text == "partition" and following.text == "by") else None


def parse_tree(text: str, start: Start) -> Tree[Token]:
    return parse_item(lark(), text, start)


@cache
def lark() -> Lark:
    return item_parser(STARTS, shared_grammar(), read_grammar(__package__))
