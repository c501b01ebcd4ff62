"""The mistakes in an item that cannot be read.

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
from cera.languages.text.items import MismatchError
from cera.languages.text.scanner import Lexeme, scan
from cera.languages.xchangeeq.grammar import Piece, accepted_at, parse_tree
from cera.languages.xchangeeq.mistakes.expectations import VOCABULARY
from cera.languages.xchangeeq.mistakes.misspellings import misspelt_before_bracket
from cera.languages.xchangeeq.mistakes.mistake import Brackets, Edit, Mistake, Situation, described
from cera.languages.xchangeeq.mistakes.sections import spoilt_section
from cera.languages.xchangeeq.mistakes.slips import slip
from cera.languages.xchangeeq.mistakes.unbalanced import unbalanced
from cera.languages.xchangeeq.transformer import transform

#: Mistakes reported for one item.
MOST_MISTAKES = 10

#: Places that are tried as the end of a string.
MOST_TRIALS = 50

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
    """Reports why the piece of text is not an item."""
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
        draft = draft.edited(mistake.repair)
        if not mistake.repair or not draft.text.strip():
            break
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
    return replace(mistake, repair=_sound_repair(situation, mistake))


def _sound_repair(situation: Situation, mistake: Mistake) -> tuple[Edit, ...]:
    """Returns edits after which further mistakes are independent: mostly one that leads past the spoilt section.

    If the repair of the mistake does not, the section is set aside.
    """
    if mistake.code == "XC003":
        return mistake.repair
    if mistake.code == "XC002":
        return mistake.repair if situation.reaches(mistake.repair) > 2 else ()
    if mistake.code == "XC005" or not situation.brackets.balanced:
        return ()
    section = spoilt_section(situation)
    if section is None:
        return mistake.repair if situation.reaches(mistake.repair) > 1 else ()
    to_its_end = section.after - situation.index
    candidates = (mistake.repair, (section.edit,))
    return next((edits for edits in candidates if edits and situation.reaches(edits) > to_its_end), ())


def _reaches(draft: Draft, lexemes: Sequence[Lexeme], index: int, edits: Sequence[Edit]) -> int:
    """Returns how many lexemes further the draft can be read after the edits, one more than there are if to its end."""
    if not edits:
        return 0
    edited = draft.edited(edits)
    try:
        parse_tree(edited.text)
    except MismatchError as mismatch:
        reached = edited.origins[mismatch.position]
        return sum(draft.origins[lexeme.start] < reached for lexeme in lexemes[index:])
    return max(1, len(lexemes) - index) + 1


def _unexpected(situation: Situation) -> Mistake:
    wanted, found = VOCABULARY.expected(situation.accepted), situation.found
    if found is not None:
        return Mistake("XC001", f"{wanted}, found {described(found)}", found.start, found.end)
    last = situation.lexemes[-1]
    here = "the end of the file" if situation.following is None else f"'{situation.following.text}'"
    return Mistake("XC001", f"{wanted} after '{last.text}', found {here}", last.start, last.end)


def _open_ended(draft: Draft, lexemes: Sequence[Lexeme]) -> Mistake | None:
    """Finds a string that does not end on its line, or a comment that does not end at all."""
    for index, lexeme in enumerate(lexemes):
        if lexeme.kind == "open comment":
            return Mistake("XC002", "the comment is not closed: '*/' is missing", lexeme.start, lexeme.start + 2)
        if lexeme.kind == "open string":
            return _open_string(draft, lexemes, index)
    return None


def _open_string(draft: Draft, lexemes: Sequence[Lexeme], index: int) -> Mistake:
    """Finds the string that lacks a quote: after it, strings and the text between them have changed places.

    So the culprit is the first string of the line that would make the line right if it ended before a bracket or comma.
    """
    line_start = draft.text.rfind("\n", 0, lexemes[index].start) + 1
    strings = [string for string in lexemes[:index] if string.kind == "string" and string.start >= line_start]
    message = "the string is not closed"
    hint = 'a string ends on its line; a quote inside of it is written \\" and a backslash \\\\'
    candidates = [
        (string, string.start + match.start())
        for string in (*strings, lexemes[index])
        for match in re.finditer(r"\s*[,;}\])]", string.text)
    ][:MOST_TRIALS]
    for string, end in candidates:
        edits = (Edit(end, end, '"'),)
        if _reads_past(draft.edited(edits).text, lexemes[index].end):
            return Mistake("XC004", message, string.start, end, hint, repair=edits)
    for string, end in candidates:
        repaired = draft.edited((Edit(end, end, '"'),)).lexemes()
        if Brackets(repaired).balanced and all(lexeme.kind != "open string" for lexeme in repaired):
            return Mistake("XC004", message, string.start, end, hint)
    return Mistake("XC004", message, lexemes[index].start, lexemes[index].end, hint)


def _reads_past(text: str, position: int) -> bool:
    try:
        parse_tree(text)
    except MismatchError as mismatch:
        return mismatch.position > position
    return True


def _diagnostic(draft: Draft, mistake: Mistake) -> Diagnostic:
    notes = tuple(Note(remark.message, draft.span(remark.start, remark.end)) for remark in mistake.remarks)
    span = draft.span(mistake.start, mistake.end)
    return Diagnostic(mistake.code, "error", mistake.message, span, mistake.hint, notes)
