"""The grammar files as a parser for single items, made when it is first needed."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Literal

from lark import Lark, Token, Tree

from cera.languages.text.item_grammar import MismatchError as MismatchError
from cera.languages.text.item_grammar import parse_item

Start = Literal["declaration", "definition"]
STARTS: tuple[Start, ...] = ("declaration", "definition")


def parse_tree(text: str, start: Start) -> Tree[Token]:
    return parse_item(lark(), text, start)


@cache
def lark() -> Lark:
    grammar = f"{shared_grammar()}\n{_read('grammar.lark')}"
    return Lark(grammar, start=list(STARTS), parser="lalr", lexer="contextual", propagate_positions=True)


def shared_grammar() -> str:
    """Declarations, clauses, conditions and their words, as other languages of event types have them, too."""
    return _read("shared.lark")


def _read(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
