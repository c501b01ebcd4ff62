"""Reading complex event types. Whatever the text is, what comes out is a program and diagnostics.

The text is cut into its items first, and each is parsed on its own by `grammar.lark` (Lark, LALR, contextual lexer). An
item that cannot be read is left out of the program and handed to `mistakes`, which says why.

A definition begins with its name and `:=`, which stands nowhere else; so a bracket that is not closed spoils one
definition only. A declaration begins with `event` or `partition` after the end of another item. An item ends with a
semicolon outside of brackets; before a bracket, a semicolon is the operator.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from lark import Lark, Token, Tree

from cera.diagnostics import Source
from cera.languages.cet.mistakes import explained
from cera.languages.cet.syntax import STARTS, Item, Program, Start
from cera.languages.cet.transformer import transform
from cera.languages.expressions.grammar import item_parser, read_grammar
from cera.languages.text import items
from cera.languages.text.items import Piece, parse_item, pieces
from cera.languages.text.scanner import Lexeme

ParsedProgram = items.ParsedProgram[Program]

_READER: items.ItemReader[items.Piece[Start], Item] = items.ItemReader(
    lambda text, piece: parse_tree(text, piece.kind), transform, explained
)


def parse(source: Source) -> ParsedProgram:
    return items.read_program(source, Program, cut, _READER)


_OPENING = ("(", "[", "{")

#: After these a name stands, so that `as event` is a label.
_BEFORE_NAMES = ("as", "after", "until", "last", "by", "=", ".", ",", ":", "(")


def cut(text: str, lexemes: Sequence[Lexeme]) -> list[Piece[Start]]:
    """Returns the items among the lexemes (without comments) of a text."""
    bounds: list[tuple[int, Start]] = []
    depth, closed = 0, True
    for index, lexeme in enumerate(lexemes):
        kind = _kind_of(text, lexemes, index, depth)
        if kind is None and closed:
            kind = "declaration" if lexeme.text in ("event", "partition") else "definition"
        if kind is not None:
            bounds.append((index, kind))
            depth = 0
        if lexeme.kind == "bracket":
            depth = max(0, depth + (1 if lexeme.text in _OPENING else -1))
        following = lexemes[index + 1].text if index + 1 < len(lexemes) else ""
        closed = lexeme.text == ";" and depth == 0 and following != "("
    return pieces(lexemes, bounds)


def _kind_of(text: str, lexemes: Sequence[Lexeme], index: int, depth: int) -> Start | None:
    """Returns the kind of the item that begins here, if one does."""
    lexeme = lexemes[index]
    following = lexemes[index + 1] if index + 1 < len(lexemes) else None
    if following is None or lexeme.kind not in ("word", "string"):
        return None
    if following.text == ":=":
        return "definition"
    preceding = lexemes[index - 1].text if index else ";"
    leads_line = not text[text.rfind("\n", 0, lexeme.start) + 1 : lexeme.start].strip()
    if preceding in _BEFORE_NAMES or (depth and not leads_line):
        return None
    if lexeme.text == "partition" and following.text == "by":
        return "declaration"
    declares = lexeme.text == "event" and following.kind in ("word", "string")
    return "declaration" if declares and (preceding == ";" or leads_line) else None


def parse_tree(text: str, start: Start) -> Tree[Token]:
    return parse_item(lark(), text, start)


@cache
def lark() -> Lark:
    return item_parser(STARTS, shared_grammar(), read_grammar(__package__))


def shared_grammar() -> str:
    """Returns the grammar of declarations, clauses and conditions, which other languages of event types have too."""
    return read_grammar(__package__, "shared.lark")
