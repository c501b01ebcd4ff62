"""Why a piece of text is not an item of a program: what every language says of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from cera.diagnostics import Diagnostic, Source, Span, did_you_mean
from cera.languages.imbalance import open_ended, unbalanced
from cera.languages.item_grammar import MismatchError
from cera.languages.items import Cut
from cera.languages.phrases import Vocabulary


@dataclass(frozen=True, slots=True)
class Codes:
    """The codes of a language for what every language can get wrong."""

    unexpected: str
    not_closed: str
    string_not_closed: str


@dataclass(frozen=True, slots=True)
class Explaining(Generic[Cut]):
    """How the mistakes of a language are explained: its codes, its words, and its own hints."""

    codes: Codes
    vocabulary: Vocabulary
    #: By the piece and the index of the lexeme that did not fit.
    hint: Callable[[Cut, int], str | None]

    def __call__(self, source: Source, piece: Cut, mismatch: MismatchError) -> Diagnostic:
        """The mistake in a piece that could be read up to the mismatch."""
        return (
            open_ended(source, piece.lexemes, self.codes.not_closed, self.codes.string_not_closed)
            or unbalanced(source, piece.lexemes, self.codes.not_closed)
            or self._unexpected(source, piece, mismatch)
        )

    def _unexpected(self, source: Source, piece: Cut, mismatch: MismatchError) -> Diagnostic:
        code, position = self.codes.unexpected, piece.start + mismatch.position
        expected = self.vocabulary.expected(mismatch.accepted)
        index = next((i for i, lexeme in enumerate(piece.lexemes) if lexeme.end > position), None)
        if index is None:
            last = piece.lexemes[-1]
            return Diagnostic(code, "error", f"{expected} after '{last.text}'", Span(source, last.start, last.end))
        found = piece.lexemes[index]
        hint = self.hint(piece, index) or did_you_mean(found.text, self.vocabulary.keywords(mismatch.accepted))
        place = Span(source, found.start, found.end)
        return Diagnostic(code, "error", f"{expected}, found '{found.text}'", place, hint)
