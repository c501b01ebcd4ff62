"""Why a piece of text is not an item of a program: what every language says of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

from cera.diagnostics import Diagnostic, Note, Source, Span, did_you_mean
from cera.languages.text.items import Kind, MismatchError, Piece
from cera.languages.text.scanner import Lexeme
from cera.model.time.durations import DurationError, parse_duration

#: Terminals that together are one thing to a reader, and what it is called; the larger groups come first.
Groups = Sequence[tuple[frozenset[str], str]]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The terminals of a language as its readers know them."""

    groups: Groups
    names: Mapping[str, str]
    words: Mapping[str, tuple[str, ...]]
    #: Separators and brackets, which are most often forgotten, so they are named first.
    first: Sequence[str]
    #: More alternatives than these do not help.
    most: int = 5

    def expected(self, accepted: Iterable[str]) -> str:
        """Returns the accepted terminals, grouped and by their everyday names: `expected ',' or '}'`."""
        phrases = self._phrases(set(accepted))
        if not phrases:
            return "expected nothing more"
        if len(phrases) > self.most:
            return f"expected {', '.join(phrases[: self.most])}, …"
        *others, last = phrases
        return f"expected {', '.join(others)} or {last}" if others else f"expected {last}"

    def keywords(self, accepted: Iterable[str]) -> list[str]:
        """Returns the words of the language among the accepted terminals."""
        return [word for terminal in sorted(accepted) for word in self.words.get(terminal, ())]

    def _phrases(self, rest: set[str]) -> list[str]:
        phrases: list[str] = []
        for terminals, phrase in self.groups:
            if terminals <= rest:
                phrases.append(phrase)
                rest -= terminals
        phrases += sorted({self._name(terminal) for terminal in rest if terminal != "$END"})
        first = self.first
        return sorted(dict.fromkeys(phrases), key=lambda phrase: first.index(phrase) if phrase in first else len(first))

    def _name(self, terminal: str) -> str:
        return self.names.get(terminal) or f"'{self.words.get(terminal, (terminal.strip('_').lower(),))[0]}'"


_PARTNERS = {"(": ")", "[": "]", "{": "}"}


def open_ended(source: Source, lexemes: Iterable[Lexeme], comment_code: str, string_code: str) -> Diagnostic | None:
    """Reports a comment or a string that goes on to the end."""
    for lexeme in lexemes:
        if lexeme.kind == "open comment":
            place = Span(source, lexeme.start, lexeme.start + 2)
            return Diagnostic(comment_code, "error", "the comment is not closed: '*/' is missing", place)
        if lexeme.kind == "open string":
            hint = 'a string ends on its line; a quote inside of it is written \\" and a backslash \\\\'
            return Diagnostic(string_code, "error", "the string is not closed", _span(source, lexeme), hint)
    return None


def unbalanced(source: Source, lexemes: Iterable[Lexeme], code: str) -> Diagnostic | None:
    """Reports a bracket without a partner, or with one of another kind."""
    opened: list[Lexeme] = []
    for lexeme in lexemes:
        if lexeme.kind != "bracket":
            continue
        if lexeme.text in _PARTNERS:
            opened.append(lexeme)
            continue
        if not opened:
            return Diagnostic(code, "error", f"`{lexeme.text}` closes nothing", _span(source, lexeme))
        before = opened.pop()
        if _PARTNERS[before.text] != lexeme.text:
            message = f"`{lexeme.text}` does not close `{before.text}`"
            note = Note(f"`{before.text}` is opened here", _span(source, before))
            hint = f"write `{_PARTNERS[before.text]}`"
            return Diagnostic(code, "error", message, _span(source, lexeme), hint, (note,))
    if not opened:
        return None
    message = f"`{opened[0].text}` is not closed"
    hint = f"write `{_PARTNERS[opened[0].text]}` where it ends"
    return Diagnostic(code, "error", message, _span(source, opened[0]), hint)


def _span(source: Source, lexeme: Lexeme) -> Span:
    return Span(source, lexeme.start, lexeme.end)


@dataclass(frozen=True, slots=True)
class Codes:
    """The codes of a language for what every language can get wrong."""

    #: Something that does not fit where it stands, or is nested too deeply.
    unexpected: str
    #: A bracket or a comment.
    not_closed: str
    #: A string that is not closed, a literal without a value.
    bad_literal: str


@dataclass(frozen=True, slots=True)
class Explainer(Generic[Kind]):
    """Explainer of the mistakes of a language, with its codes, its words, and its own hints."""

    codes: Codes
    vocabulary: Vocabulary
    #: By the piece and the index of the lexeme that did not fit.
    hint: Callable[[Piece[Kind], int], str | None]

    def __call__(self, source: Source, piece: Piece[Kind], mismatch: MismatchError) -> list[Diagnostic]:
        """Reports the mistake in a piece that could be read up to the mismatch."""
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
    """Returns why a number is not a length of time: its unit is unknown or missing."""
    number, *following = (lexeme.text for lexeme in piece.lexemes[index : index + 2])
    if not number[0].isdigit():
        return None
    return without_unit(" ".join((number, *(word for word in following if word.isalpha()))))


def without_unit(text: str) -> str | None:
    """Returns why a text is not a length of time, None if it is one."""
    try:
        parse_duration(text)
    except DurationError as error:
        return str(error)
    return None
