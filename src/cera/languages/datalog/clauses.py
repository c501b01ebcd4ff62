"""A text cut into its rules, so that a broken one does not take the others with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LEXEME = re.compile(
    r"""
      (?P<blank>[\s\ufeff]+)
    | (?P<comment>%[^\n]*)
    | (?P<string>"(?:[^"\\\n]|\\[^\n])*")
    | (?P<number>[0-9]+(?:\.[0-9]+)?)
    | (?P<name>[A-Za-z_][A-Za-z0-9_]*(?:\.(?:[A-Za-z_][A-Za-z0-9_]*|"(?:[^"\\\n]|\\[^\n])*"))?)
    | (?P<stop>\.)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Piece:
    """The characters start to end of a text. `closed` says whether it ends with its full stop."""

    start: int
    end: int
    closed: bool


def clauses(text: str) -> Iterator[Piece]:
    """The rules of a text, from the first character of each to behind its full stop."""
    start: int | None = None
    end = 0
    for lexeme in _LEXEME.finditer(text):
        if lexeme.lastgroup in ("blank", "comment"):
            continue
        start = lexeme.start() if start is None else start
        end = lexeme.end()
        if lexeme.lastgroup == "stop":
            yield Piece(start, end, closed=True)
            start = None
    if start is not None:
        yield Piece(start, end, closed=False)


def comments(text: str) -> Iterator[tuple[int, int]]:
    """Where the comments of a text begin and end."""
    return (found.span() for found in _LEXEME.finditer(text) if found.lastgroup == "comment")
