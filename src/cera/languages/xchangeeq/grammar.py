"""The grammar file as a parser for single items, made when it is first needed."""

from __future__ import annotations

from functools import cache

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from cera.languages.expressions.grammar import item_parser, read_grammar
from cera.languages.text.items import parse_item


def parse_tree(text: str) -> Tree[Token]:
    """Lark's tree of one item."""
    return parse_item(lark(), text, "item")


def accepted_at(text: str, position: int) -> frozenset[str]:
    """The terminals that could stand at a position; the text before it must be right."""
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
    """The names of all terminals, those between the others left out."""
    ignored = lark().ignore_tokens
    return frozenset(terminal.name for terminal in lark().terminals if terminal.name not in ignored)


@cache
def lark() -> Lark:
    return item_parser(["item"], read_grammar(__package__))
