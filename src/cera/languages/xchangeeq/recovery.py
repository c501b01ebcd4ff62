"""What is wrong with an item that cannot be read.

Where reading stops, the mistake is explained, repaired on a draft of the text, and the draft is read again; so one
reading finds several mistakes. If the mistake is not understood, the part of the item that it spoils (a condition, a
literal, the head) is set aside. When neither leads further the search ends: the rest would be noise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from cera.diagnostics import Diagnostic, Note, Source, Span
from cera.languages.xchangeeq.brackets import Brackets
from cera.languages.xchangeeq.expectations import expected
from cera.languages.xchangeeq.grammar import MismatchError, accepted_at, parse_tree
from cera.languages.xchangeeq.mistakes import Edit, Mistake, Situation
from cera.languages.xchangeeq.scanner import Lexeme, Piece, scan
from cera.languages.xchangeeq.sections import set_aside
from cera.languages.xchangeeq.slips import described, misspelt_before_bracket, slip
from cera.languages.xchangeeq.transformer import transform
from cera.languages.xchangeeq.unbalanced import unbalanced

#: Mistakes reported for one item.
MOST_MISTAKES = 8

#: In a longer item only the first mistake is explained, without trying repairs: each trial reads the item again.
LONGEST_REPAIRED = 50_000


@dataclass(frozen=True)
class Draft:
    """A text under repair; `origins` are the offsets of its characters in the source, and of its end."""

    source: Source
    text: str
    origins: Sequence[int]

    def edited(self, edits: Sequence[Edit]) -> Draft:
        text, origins = self.text, list(self.origins)
        for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
            text = text[: edit.start] + edit.text + text[edit.end :]
            origins[edit.start : edit.end] = [origins[edit.start]] * len(edit.text)
        return Draft(self.source, text, origins)

    def span(self, start: int, end: int) -> Span:
        first = self.origins[start]
        last = self.origins[end - 1] + 1 if end > start else first
        return Span(self.source, first, max(first, min(last, len(self.source.text))))

    def lexemes(self) -> list[Lexeme]:
        return [lexeme for lexeme in scan(self.text) if lexeme.kind != "comment"]


def diagnose(source: Source, piece: Piece) -> list[Diagnostic]:
    """Why the piece of text is not an item."""
    draft = Draft(source, source.text[piece.start : piece.end], range(piece.start, piece.end + 1))
    found: list[Diagnostic] = []
    while len(found) < MOST_MISTAKES:
        lexemes = draft.lexemes()
        mistake = _open_ended(draft, lexemes)
        if mistake is None:
            try:
                tree = parse_tree(draft.text)
            except MismatchError as mismatch:
                mistake = _explain(draft, lexemes, mismatch, piece.following)
            else:
                return found + transform(tree, draft.span)[1]
        found.append(_diagnostic(draft, mistake))
        if not mistake.repair:
            break
        draft = draft.edited(mistake.repair)
    return found


def _explain(draft: Draft, lexemes: Sequence[Lexeme], mismatch: MismatchError, following: Lexeme | None) -> Mistake:
    index = next((i for i, lexeme in enumerate(lexemes) if lexeme.end > mismatch.position), len(lexemes))
    trying = len(draft.text) <= LONGEST_REPAIRED
    situation = Situation(
        draft.text,
        lexemes,
        index,
        mismatch.accepted,
        following,
        reaches=partial(_reaches, draft, lexemes, index) if trying else lambda _: 0,
        accepted_at=lambda i: accepted_at(draft.text, lexemes[i].start) if trying else frozenset(),
    )
    mistake = misspelt_before_bracket(situation) or unbalanced(situation) or slip(situation) or _unexpected(situation)
    if mistake.repair or mistake.code in ("XC002", "XC005"):
        return mistake
    edits = set_aside(situation)
    return replace(mistake, repair=edits) if edits and situation.reaches(edits) > 0 else mistake


def _reaches(draft: Draft, lexemes: Sequence[Lexeme], index: int, edits: Sequence[Edit]) -> int:
    """How many lexemes further than to the given one the draft can be read after the edits."""
    edited = draft.edited(edits)
    try:
        parse_tree(edited.text)
    except MismatchError as mismatch:
        reached = edited.origins[mismatch.position]
        return sum(draft.origins[lexeme.start] < reached for lexeme in lexemes[index:])
    return max(1, len(lexemes) - index) + 1


def _unexpected(situation: Situation) -> Mistake:
    wanted, found = expected(situation.accepted), situation.found
    if found is not None:
        return Mistake("XC001", f"{wanted}, found {described(found)}", found.start, found.end)
    last = situation.lexemes[-1]
    here = "the end of the file" if situation.following is None else f"'{situation.following.text}'"
    return Mistake("XC001", f"{wanted} after '{last.text}', found {here}", last.start, last.end)


def _open_ended(draft: Draft, lexemes: Sequence[Lexeme]) -> Mistake | None:
    """A string that does not end on its line, a comment that does not end at all."""
    for lexeme in lexemes:
        if lexeme.kind == "open comment":
            return Mistake("XC002", "the comment is not closed: '*/' is missing", lexeme.start, lexeme.start + 2)
        if lexeme.kind == "open string":
            hint = 'a string ends on its line; a quote inside of it is written \\" and a backslash \\\\'
            repair = _closed(draft, lexeme)
            return Mistake("XC004", "the string is not closed", lexeme.start, lexeme.end, hint, repair=repair)
    return None


def _closed(draft: Draft, string: Lexeme) -> tuple[Edit, ...]:
    """A quote where the string was probably meant to end: before the brackets that it swallowed."""
    for length in (len(string.text.rstrip(" \t\r,;}])")), len(re.split(r"\s*[,;}\])]", string.text, maxsplit=1)[0])):
        edit = Edit(string.start + length, string.start + length, '"')
        if Brackets(draft.edited((edit,)).lexemes()).balanced:
            return (edit,)
    return ()


def _diagnostic(draft: Draft, mistake: Mistake) -> Diagnostic:
    notes = tuple(Note(remark.message, draft.span(remark.start, remark.end)) for remark in mistake.remarks)
    span = draft.span(mistake.start, mistake.end)
    return Diagnostic(mistake.code, "error", mistake.message, span, mistake.hint, notes)
