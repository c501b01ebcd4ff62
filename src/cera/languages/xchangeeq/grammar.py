"""The items of a program: where each begins and ends in a text, and the grammar file as a parser for one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from cera.languages.expressions.grammar import item_parser, read_grammar
from cera.languages.patterns.grammar import pattern_grammar
from cera.languages.text.items import parse_item
from cera.languages.text.scanner import Lexeme
from cera.languages.xchangeeq.mistakes.expectations import DIRECTIVES, ITEM_WORDS, RELATION_CLAUSES


@dataclass(frozen=True)
class Piece:
    """The text from `start` to `end` that is to be read as one item; `following` begins the next one."""

    start: int
    end: int
    following: Lexeme | None = None


def cut(text: str, lexemes: Sequence[Lexeme]) -> list[Piece]:
    """Returns the items among the lexemes (without comments) of a text, and the stray text between them as pieces.

    An item ends with its END, with its line if it is a directive, or before a word that begins another one.
    """
    starts: list[int] = []
    depth, closed = 0, True
    for index, lexeme in enumerate(lexemes):
        begins = closed or _begins_item(lexemes, index, depth)
        if begins:
            starts.append(index)
            depth = 0
        depth = max(0, depth + _step(lexeme))
        closed = _ends_item(text, lexemes, starts[-1], index, depth)
    bounds = [*starts[1:], len(lexemes)] if starts else []
    return [
        Piece(lexemes[first].start, lexemes[last - 1].end, lexemes[last] if last < len(lexemes) else None)
        for first, last in zip(starts, bounds, strict=True)
    ]


def _step(lexeme: Lexeme) -> int:
    if lexeme.kind != "bracket":
        return 0
    return 1 if lexeme.text in "{[(" else -1


def _begins_item(lexemes: Sequence[Lexeme], index: int, depth: int) -> bool:
    """Returns whether the lexeme begins an item though the one before it is not closed.

    Inside of brackets that is a guess: the same word can be a label there. It is not one if what belongs behind the
    keyword follows it.
    """
    lexeme = lexemes[index]
    if lexeme.kind != "word" or lexeme.text not in ITEM_WORDS:
        return False
    following = lexemes[index + 1] if index + 1 < len(lexemes) else None
    if following is None:
        return depth == 0
    if following.kind == "bracket" or following.text in (",", ";", ":"):
        return False
    if depth == 0:
        return True
    match lexeme.text:
        case "RAISE":
            return following.text.lower() == "to"
        case "CALENDARS":
            return following.kind == "string"
        case _:
            return following.kind in ("word", "string")


def _ends_item(text: str, lexemes: Sequence[Lexeme], first: int, index: int, depth: int) -> bool:
    lexeme = lexemes[index]
    following = lexemes[index + 1] if index + 1 < len(lexemes) else None
    if following is None:
        return True
    if lexemes[first].text in DIRECTIVES:
        goes_on = index == first or depth > 0 or lexeme.text in (",", ";")
        goes_on = goes_on or (lexemes[first].text == "RELATION" and following.text in RELATION_CLAUSES)
        return not goes_on and "\n" in text[lexeme.end : following.start]
    if lexeme.text != "END" or following.text in ("{", "[", ":"):
        return False
    return depth == 0 or following.text in ITEM_WORDS


def parse_tree(text: str) -> Tree[Token]:
    """Returns Lark's tree of one item."""
    return parse_item(lark(), text, "item")


def accepted_at(text: str, position: int) -> frozenset[str]:
    """Returns the terminals that could stand at a position; the text before it must be right."""
    interactive = lark().parse_interactive(text)
    try:
        for token in interactive.lexer_thread.lex(interactive.parser_state):  # type: ignore[no-untyped-call]
            if token.start_pos >= position:
                break
            interactive.feed_token(token)
    except UnexpectedInput:
        pass
    return frozenset(interactive.accepts())  # type: ignore[no-untyped-call]


def terminals() -> frozenset[str]:
    """Returns the names of all terminals, except for ignored ones."""
    ignored = lark().lexer_conf.ignore
    return frozenset(terminal.name for terminal in lark().terminals if terminal.name not in ignored)


@cache
def lark() -> Lark:
    return item_parser(["item"], pattern_grammar(), read_grammar(__package__))
