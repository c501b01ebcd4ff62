"""The grammar file as a parser for single items, made when it is first needed."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Literal

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput, UnexpectedToken

Start = Literal["beginning", "declaration", "rule"]
STARTS: tuple[Start, ...] = ("beginning", "declaration", "rule")


class MismatchError(Exception):
    """A text is not an item: `position` is where reading stopped, `accepted` the terminals that could have followed."""

    def __init__(self, position: int, accepted: frozenset[str]) -> None:
        super().__init__(f"at {position}: expected one of {', '.join(sorted(accepted))}")
        self.position = position
        self.accepted = accepted


def parse_tree(text: str, start: Start) -> Tree[Token]:
    """Lark's tree of one item."""
    try:
        return lark().parse(text, start=start)
    except UnexpectedInput as error:
        at_end = isinstance(error, UnexpectedToken) and error.token.type == "$END"
        position = len(text) if at_end else error.pos_in_stream
        accepted = error.interactive_parser.accepts()  # type: ignore[no-untyped-call]
        raise MismatchError(position or 0, frozenset(accepted)) from None


@cache
def lark() -> Lark:
    grammar = resources.files(__package__).joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, start=list(STARTS), parser="lalr", lexer="contextual", propagate_positions=True)
