"""Reading ESCL. Whatever the text is, what comes out is a program and diagnostics.

The text is cut into its items first, declarations and sets of constraints, and each is parsed on its own by
`grammar.lark` (Lark, LALR, contextual lexer).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from lark import Lark, Token, Tree

from cera.diagnostics import Source
from cera.languages.escl.mistakes import explained, nesting
from cera.languages.escl.syntax import STARTS, Item, Program, Start, program_of
from cera.languages.escl.transformer import transform
from cera.languages.expressions.grammar import item_parser, read_grammar
from cera.languages.text import items
from cera.languages.text.items import Piece, parse_item, pieces
from cera.languages.text.scanner import Lexeme

ParsedProgram = items.ParsedProgram[Program]

_READER: items.ItemReader[items.Piece[Start], Item] = items.ItemReader(
    lambda text, piece: parse_tree(text, piece.kind), transform, explained
)
_JOINING = frozenset({"and", "or", "∧", "∨"})
#: Behind these words a set of constraints belongs to what is before it.
_GOING_ON = _JOINING | {"LET", "IN", "("}
_OPENED, _CLOSED = frozenset("([{"), frozenset(")]}")


def parse(source: Source) -> ParsedProgram:
    return items.read_program(source, program_of, cut, _READER)


def cut(text: str, lexemes: Sequence[Lexeme]) -> list[Piece[Start]]:
    """Returns the items among the lexemes (without comments) of a text.

    A set of constraints goes on while something is open, or joined by a connective. `WHILE` and `CONSTRAINT` at
    the beginning of a line, and all else behind a blank line, begin another one even if an `END` is missing.
    """
    bounds: list[tuple[int, Start]] = []
    depth = 0
    for index, lexeme in enumerate(lexemes):
        before = lexemes[index - 1].text if index else ""
        ended = (
            depth <= 0 and lexeme.text not in _JOINING and (before == "END" or (before == ")" and _begins_set(lexeme)))
        )
        begins = not bounds or (ended if bounds[-1][1] == "constraints" else _begins_set(lexeme))
        if _declares(lexemes, index) and (depth <= 0 or _leads_line(text, lexeme)):
            bounds.append((index, "declaration"))
            depth = 0
        elif begins or _restarts(text, lexeme, before):
            bounds.append((index, "constraints"))
            depth = 0
        depth += nesting(lexemes, index) + (lexeme.text in _OPENED) - (lexeme.text in _CLOSED)
    return pieces(lexemes, bounds)


def _begins_set(lexeme: Lexeme) -> bool:
    return lexeme.text in ("WHILE", "LET", "IN", "IF", "CONSTRAINT")


def _restarts(text: str, lexeme: Lexeme, before: str) -> bool:
    """Returns whether a set begins a line behind something that it is not joined to: not indented."""
    line = text.rfind("\n", 0, lexeme.start) + 1
    if line != lexeme.start or not _begins_set(lexeme) or before in _GOING_ON:
        return False
    blank = not text[text.rfind("\n", 0, max(line - 1, 0)) + 1 : line].strip()
    return blank or lexeme.text in ("WHILE", "CONSTRAINT")


def _leads_line(text: str, lexeme: Lexeme) -> bool:
    return not text[text.rfind("\n", 0, lexeme.start) + 1 : lexeme.start].strip()


def _declares(lexemes: Sequence[Lexeme], index: int) -> bool:
    following = lexemes[index + 1] if index + 1 < len(lexemes) else None
    if lexemes[index].text == "ORIGIN":
        return following is None or following.text not in ("(", ":", ")", ",")
    return lexemes[index].text == "relation" and following is not None and following.kind in ("word", "string")


def parse_tree(text: str, start: Start) -> Tree[Token]:
    return parse_item(lark(), text, start)


@cache
def lark() -> Lark:
    return item_parser(STARTS, read_grammar("cera.languages.atoms", "atoms.lark"), read_grammar(__package__))
