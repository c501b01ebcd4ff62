"""The grammar file as a parser for single items, made when it is first needed."""

from __future__ import annotations

from functools import cache
from importlib import resources

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput, UnexpectedToken
from lark.parsers.lalr_interactive_parser import InteractiveParser

END_OF_TEXT = "$END"


class MismatchError(Exception):
    """A text is not an item: `position` is where reading stopped, `accepted` the terminals that could have followed."""

    def __init__(self, position: int, accepted: frozenset[str]) -> None:
        super().__init__(f"at {position}: expected one of {', '.join(sorted(accepted))}")
        self.position = position
        self.accepted = accepted


def parse_tree(text: str) -> Tree[Token]:
    """Lark's tree of one item."""
    try:
        return _lark().parse(text)
    except UnexpectedInput as error:
        at_end = isinstance(error, UnexpectedToken) and error.token.type == END_OF_TEXT
        position = len(text) if at_end else error.pos_in_stream
        raise MismatchError(position or 0, _accepted(error.interactive_parser)) from None


def accepted_at(text: str, position: int) -> frozenset[str]:
    """The terminals that could stand at a position; the text before it must be right."""
    interactive = _lark().parse_interactive(text)
    try:
        for token in interactive.lexer_thread.lex(interactive.parser_state):  # type: ignore[no-untyped-call]
            if token.start_pos >= position:
                break
            interactive.feed_token(token)
    except UnexpectedInput:
        pass
    return _accepted(interactive)


def _accepted(interactive: InteractiveParser) -> frozenset[str]:
    return frozenset(interactive.accepts())  # type: ignore[no-untyped-call]


def terminals() -> frozenset[str]:
    """The names of all terminals, those between the others left out."""
    ignored = _lark().ignore_tokens
    return frozenset(terminal.name for terminal in _lark().terminals if terminal.name not in ignored)


@cache
def _lark() -> Lark:
    grammar = resources.files(__package__).joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, start="item", parser="lalr", lexer="contextual", propagate_positions=True)
