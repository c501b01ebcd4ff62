"""The grammar file as a parser for single items, made when it is first needed."""

from __future__ import annotations

from functools import cache
from importlib import resources

from lark import Lark, Token, Tree

from cera.languages.cet.grammar import STARTS, Start, shared_grammar
from cera.languages.text.item_grammar import parse_item


def parse_tree(text: str, start: Start) -> Tree[Token]:
    return parse_item(lark(), text, start)


@cache
def lark() -> Lark:
    own = resources.files(__package__).joinpath("grammar.lark").read_text(encoding="utf-8")
    grammar = f"{shared_grammar()}\n{own}"
    return Lark(grammar, start=list(STARTS), parser="lalr", lexer="contextual", propagate_positions=True)
