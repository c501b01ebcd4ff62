"""What is wrong with a piece of text whatever it means: comments, strings and brackets that are not closed."""

from __future__ import annotations

from collections.abc import Iterable

from cera.diagnostics import Diagnostic, Note, Source, Span
from cera.languages.text.scanner import Lexeme

_PARTNERS = {"(": ")", "[": "]", "{": "}"}


def open_ended(source: Source, lexemes: Iterable[Lexeme], comment_code: str, string_code: str) -> Diagnostic | None:
    """A comment or a string that goes on to the end."""
    for lexeme in lexemes:
        if lexeme.kind == "open comment":
            place = Span(source, lexeme.start, lexeme.start + 2)
            return Diagnostic(comment_code, "error", "the comment is not closed: '*/' is missing", place)
        if lexeme.kind == "open string":
            hint = 'a string ends on its line; a quote inside of it is written \\" and a backslash \\\\'
            return Diagnostic(string_code, "error", "the string is not closed", _span(source, lexeme), hint)
    return None


def unbalanced(source: Source, lexemes: Iterable[Lexeme], code: str) -> Diagnostic | None:
    """A bracket without a partner, or with one of another kind."""
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
