"""The grammar file as a parser for single items, made when it is first needed."""

from __future__ import annotations

from functools import cache
from importlib import resources

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput, UnexpectedToken

from cera.languages.cet.grammar import STARTS, MismatchError, Start, shared_grammar


def parse_tree(text: str, start: Start) -> Tree[Token]:
    """Lark's tree of one item; MismatchError where it is none."""
    try:
        return lark().parse(text, start=start)
    except UnexpectedInput as error:
        at_end = isinstance(error, UnexpectedToken) and error.token.type == "$END"
        position = len(text) if at_end else error.pos_in_stream
        accepted = error.interactive_parser.accepts()  # type: ignore[no-untyped-call]
        raise MismatchError(position or 0, frozenset(accepted)) from None


@cache
def lark() -> Lark:
    own = resources.files(__package__).joinpath("grammar.lark").read_text(encoding="utf-8")
    grammar = f"{shared_grammar()}\n{own}"
    return Lark(grammar, start=list(STARTS), parser="lalr", lexer="contextual", propagate_positions=True)
