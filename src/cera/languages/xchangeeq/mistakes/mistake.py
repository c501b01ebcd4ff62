"""A mistake in an item, and the place that is looked at when one is explained."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from cera.languages.text.scanner import Lexeme

CLOSING = {"{": "}", "[": "]", "(": ")"}


class Brackets:
    """The brackets of a text by the indexes of their lexemes. `partner` maps both brackets of a pair to the other one.

    A closing bracket of the wrong kind closes the innermost open bracket all the same, and is listed in `mismatched`.
    """

    def __init__(self, lexemes: Sequence[Lexeme]) -> None:
        self._lexemes = lexemes
        self.partner: dict[int, int] = {}
        self.mismatched: list[int] = []
        self.surplus: list[int] = []
        self.unclosed: list[int] = []
        for index, lexeme in enumerate(lexemes):
            if lexeme.kind != "bracket":
                continue
            if lexeme.text in CLOSING:
                self.unclosed.append(index)
            elif not self.unclosed:
                self.surplus.append(index)
            else:
                opening = self.unclosed.pop()
                self.partner[opening], self.partner[index] = index, opening
                if CLOSING[lexemes[opening].text] != lexeme.text:
                    self.mismatched.append(index)

    @property
    def balanced(self) -> bool:
        return not (self.mismatched or self.surplus or self.unclosed)

    def open_at(self, index: int) -> list[int]:
        """Returns the brackets that are open before the lexeme, outermost first."""
        return [
            opening
            for opening in range(min(index, len(self._lexemes)))
            if self._lexemes[opening].text in CLOSING
            and self._lexemes[opening].kind == "bracket"
            and self.partner.get(opening, index) >= index
        ]

    def is_second(self, opening: int) -> bool:
        """Returns whether the bracket is the second one of `{{` or `[[`."""
        return (
            opening > 0
            and self._lexemes[opening - 1].text == self._lexemes[opening].text
            and self._lexemes[opening - 1].end == self._lexemes[opening].start
        )

    def torn(self) -> int | None:
        """Returns the innermost `{{` whose closing brackets do not stand side by side, so were probably not meant for
        it.

        The index is that of its second bracket.
        """
        candidates = [opening for opening in self.partner if self._is_torn(opening)]
        return min(candidates, key=self.partner.__getitem__, default=None)

    def _is_torn(self, opening: int) -> bool:
        if self._lexemes[opening].text not in ("{", "[") or not self.is_second(opening):
            return False
        if self.label(opening) == "where":  # where {{s, t} within 1 min}
            return False
        inner, outer = self.partner[opening], self.partner.get(opening - 1)
        return outer is None or self._lexemes[inner].end != self._lexemes[outer].start

    def label(self, opening: int) -> str:
        """Returns the word before an opening bracket, or before the pair that it belongs to."""
        first = opening - 1 if self.is_second(opening) else opening
        before = self._lexemes[first - 1] if first > 0 else None
        return before.text if before is not None and before.kind == "word" else ""


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
    """Mistake from `start` to `end` of an item's text, and the edits after which the item could be read further."""

    code: str
    message: str
    start: int
    end: int
    hint: str | None = None
    remarks: tuple[Remark, ...] = ()
    repair: tuple[Edit, ...] = ()


@dataclass(frozen=True)
class Situation:
    """Situation at the lexeme of an item's text that could not be read.

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
        """Returns the lexeme at a distance after the one that could not be read, or before it."""
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
    """Returns the lexeme as a message names it."""
    if lexeme.kind == "string":
        return f"the string {lexeme.text}"
    return f"'{lexeme.text}'" if lexeme.text.isprintable() else f"the character {lexeme.text!a}"
