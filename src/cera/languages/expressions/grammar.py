"""The grammar files of a language as a parser for single items: expressions first, then what it adds to them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources

from lark import Lark


def item_parser(starts: Sequence[str], *grammars: str) -> Lark:
    """Returns the parser of a language, whose items are the rules `starts`. Its grammars can use and extend those of
    `expressions.lark`, which come before them."""
    text = "\n".join((read_grammar(__package__, "expressions.lark"), *grammars))
    return Lark(text, start=list(starts), parser="lalr", lexer="contextual", propagate_positions=True)


def read_grammar(package: str, name: str = "grammar.lark") -> str:
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")
