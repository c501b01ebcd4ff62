"""The part of an item that a mistake spoils: a condition, a literal, the head or the whole query.

To read on after it, the part is replaced by the simplest thing that may stand there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cera.languages.xchangeeq.mistakes.mistake import Edit, Situation

_PLACEHOLDERS = {"where": " 0 ", "and": " x ", "or": " x "}


class Section(NamedTuple):
    """A section that `edit` takes out; the lexeme with the index `after` is the first behind it."""

    edit: Edit
    after: int


def spoilt_section(situation: Situation) -> Section | None:
    """Returns the section that the mistake lies in, if it is clear where that begins and ends."""
    brackets = situation.brackets
    for opening in reversed(brackets.open_at(situation.index)):
        label = brackets.label(opening)
        if label in _PLACEHOLDERS and not brackets.is_second(opening):
            closing = brackets.partner.get(opening)
            return None if closing is None else _element(situation, opening, closing, _PLACEHOLDERS[label])
    return _head_or_query(situation)


def _element(situation: Situation, opening: int, closing: int, placeholder: str) -> Section:
    """Returns the section between the two separators, or brackets, around the mistake."""
    inside = _outside_of_brackets(situation, opening + 1, closing)
    bounds = [opening, *(index for index in inside if situation.lexemes[index].text in (",", ";")), closing]
    before = max(bound for bound in bounds if bound < situation.index)
    after = min(bound for bound in bounds if bound >= situation.index)
    return _between(situation, before, after, placeholder)


def _head_or_query(situation: Situation) -> Section | None:
    kind = situation.lexemes[0].text
    marks = {
        situation.lexemes[index].text: index
        for index in _outside_of_brackets(situation, 1, len(situation.lexemes))
        if situation.lexemes[index].text in ("ON", "where", "END")
    }
    on, end = marks.get("ON"), marks.get("END")
    if kind not in ("DETECT", "RAISE") or on is None or end is None or situation.index > end:
        return None
    if situation.index <= on:
        return _between(situation, 0, on, " x ") if kind == "DETECT" else None
    where = marks.get("where", end)
    return _between(situation, on, where if situation.index <= where else end, " x ")


def _between(situation: Situation, before: int, after: int, placeholder: str) -> Section:
    return Section(Edit(situation.lexemes[before].end, situation.lexemes[after].start, placeholder), after)


def _outside_of_brackets(situation: Situation, start: int, end: int) -> Iterator[int]:
    """Yields the lexemes from start to end that are not inside of a pair of brackets."""
    index = start
    while index < end:
        closing = situation.brackets.partner.get(index)
        if closing is not None and closing > index:
            index = closing
        else:
            yield index
        index += 1
