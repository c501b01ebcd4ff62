"""Parsing single items by a grammar of Lark: the tree, or where and why reading stopped."""

from __future__ import annotations

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput, UnexpectedToken


class MismatchError(Exception):
    """A text is not an item: `position` is where reading stopped, `accepted` the terminals that could have followed."""

    def __init__(self, position: int, accepted: frozenset[str]) -> None:
        super().__init__(f"at {position}: expected one of {', '.join(sorted(accepted))}")
        self.position = position
        self.accepted = accepted


def parse_item(parser: Lark, text: str, start: str) -> Tree[Token]:
    """Lark's tree of one item; MismatchError where it is none."""
    try:
        return parser.parse(text, start=start)
    except UnexpectedInput as error:
        at_end = isinstance(error, UnexpectedToken) and error.token.type == "$END"
        position = len(text) if at_end else error.pos_in_stream
        accepted = error.interactive_parser.accepts()  # type: ignore[no-untyped-call]
        raise MismatchError(position or 0, frozenset(accepted)) from None
