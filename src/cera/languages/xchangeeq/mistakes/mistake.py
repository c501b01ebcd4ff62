"""A mistake in an item, and the place that is looked at when one is explained."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from cera.languages.text.scanner import Lexeme
from cera.languages.xchangeeq.mistakes.brackets import Brackets


@dataclass(frozen=True)
class Edit:
    """The text from `start` to `end` is replaced."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Remark:
    """A further place that a mistake is explained with."""

    message: str
    start: int
    end: int


@dataclass(frozen=True)
class Mistake:
    """What is wrong from `start` to `end` of an item's text, and the edits after which it could be read further."""

    code: str
    message: str
    start: int
    end: int
    hint: str | None = None
    remarks: tuple[Remark, ...] = ()
    repair: tuple[Edit, ...] = ()


@dataclass(frozen=True)
class Situation:
    """An item's text at the lexeme that could not be read.

    `following` begins the next item. `reaches(edits)` is how many lexemes further the text can be read after the edits
    (0 if it is no further); `accepted_at(n)` are the terminals that could have stood at the n-th lexeme.
    """

    text: str
    lexemes: Sequence[Lexeme]
    index: int
    accepted: frozenset[str]
    following: Lexeme | None
    reaches: Callable[[Sequence[Edit]], int] = field(repr=False)
    accepted_at: Callable[[int], frozenset[str]] = field(repr=False)

    @cached_property
    def brackets(self) -> Brackets:
        return Brackets(self.lexemes)

    @property
    def found(self) -> Lexeme | None:
        """The lexeme that could not be read; None at the end of the item."""
        return self.at(0)

    def at(self, distance: int) -> Lexeme | None:
        """The lexeme so many places after the one that could not be read, or before it."""
        index = self.index + distance
        return self.lexemes[index] if 0 <= index < len(self.lexemes) else None

    def text_at(self, distance: int) -> str:
        lexeme = self.at(distance)
        return "" if lexeme is None else lexeme.text


def mistake_at(
    code: str, lexeme: Lexeme, message: str, hint: str | None = None, repair: tuple[Edit, ...] = ()
) -> Mistake:
    return Mistake(code, message, lexeme.start, lexeme.end, hint, repair=repair)


def described(lexeme: Lexeme) -> str:
    """The lexeme as a message names it."""
    if lexeme.kind == "string":
        return f"the string {lexeme.text}"
    return f"'{lexeme.text}'" if lexeme.text.isprintable() else f"the character {lexeme.text!a}"
