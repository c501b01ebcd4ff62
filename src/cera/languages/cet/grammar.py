"""The grammar files as a parser for single items, made when it is first needed."""

from __future__ import annotations

from functools import cache

from lark import Lark, Token, Tree

from cera.languages.cet.syntax import STARTS, Start
from cera.languages.expressions.grammar import item_parser, read_grammar
from cera.languages.text.items import parse_item


def parse_tree(text: str, start: Start) -> Tree[Token]:
    return parse_item(lark(), text, start)


@cache
def lark() -> Lark:
    return item_parser(STARTS, shared_grammar(), read_grammar(__package__))


def shared_grammar() -> str:
    """Declarations, clauses, conditions and their words, as other languages of event types have them, too."""
    return read_grammar(__package__, "shared.lark")
