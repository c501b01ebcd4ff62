"""Why a piece of text is not an item of a program: what every language says of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from cera.diagnostics import Diagnostic, Source, Span, did_you_mean
from cera.languages.text.imbalance import open_ended, unbalanced
from cera.languages.text.item_grammar import MismatchError
from cera.languages.text.items import Kind, Piece
from cera.languages.text.vocabulary import Vocabulary
from cera.model.time.durations import DurationError, parse_duration


@dataclass(frozen=True, slots=True)
class Codes:
    """The codes of a language for what every language can get wrong."""

    #: What does not fit where it stands, or is nested too deeply.
    unexpected: str
    #: A bracket or a comment.
    not_closed: str
    #: A string that is not closed, a literal without a value.
    bad_literal: str


@dataclass(frozen=True, slots=True)
class Explaining(Generic[Kind]):
    """How the mistakes of a language are explained: its codes, its words, and its own hints."""

    codes: Codes
    vocabulary: Vocabulary
    #: By the piece and the index of the lexeme that did not fit.
    hint: Callable[[Piece[Kind], int], str | None]

    def __call__(self, source: Source, piece: Piece[Kind], mismatch: MismatchError) -> list[Diagnostic]:
        """The mistake in a piece that could be read up to the mismatch."""
        found = (
            open_ended(source, piece.lexemes, self.codes.not_closed, self.codes.bad_literal)
            or unbalanced(source, piece.lexemes, self.codes.not_closed)
            or self._unexpected(source, piece, mismatch)
        )
        return [found]

    def _unexpected(self, source: Source, piece: Piece[Kind], mismatch: MismatchError) -> Diagnostic:
        code, position = self.codes.unexpected, piece.start + mismatch.position
        expected = self.vocabulary.expected(mismatch.accepted)
        index = next((i for i, lexeme in enumerate(piece.lexemes) if lexeme.end > position), None)
        if index is None:
            last = piece.lexemes[-1]
            return Diagnostic(code, "error", f"{expected} after '{last.text}'", Span(source, last.start, last.end))
        found = piece.lexemes[index]
        hint = _without_unit(piece, index) if "DURATION" in mismatch.accepted else None
        hint = hint or self.hint(piece, index)
        hint = hint or did_you_mean(found.text, self.vocabulary.keywords(mismatch.accepted))
        place = Span(source, found.start, found.end)
        return Diagnostic(code, "error", f"{expected}, found '{found.text}'", place, hint)


def _without_unit(piece: Piece[Kind], index: int) -> str | None:
    """Of a number where a length of time is expected: that its unit is none, or missing."""
    number, *following = (lexeme.text for lexeme in piece.lexemes[index : index + 2])
    if not number[0].isdigit():
        return None
    try:
        parse_duration(" ".join((number, *(word for word in following if word.isalpha()))))
    except DurationError as error:
        return str(error)
    return None
