"""The part of an item that a mistake spoils: a condition, a literal, the head or the whole query.

To read on after it, the part is replaced by the simplest thing that may stand there.
"""

from __future__ import annotations

from collections.abc import Iterator

from cera.languages.xchangeeq.mistakes import Edit, Situation

_PLACEHOLDERS = {"where": " 0 ", "and": " x ", "or": " x "}


def set_aside(situation: Situation) -> tuple[Edit, ...]:
    """The edits that take the spoilt part out; none if it is not clear what that would be."""
    brackets = situation.brackets
    for opening in reversed(brackets.open_at(situation.index)):
        label = brackets.label(opening)
        if label in _PLACEHOLDERS and not brackets.is_second(opening):
            end = brackets.partner.get(opening)
            return () if end is None else (_element(situation, opening, end, _PLACEHOLDERS[label]),)
    return _head_or_query(situation)


def _element(situation: Situation, opening: int, closing: int, placeholder: str) -> Edit:
    """What stands between the two separators, or brackets, around the mistake."""
    bounds = [opening, *_separators(situation, opening, closing), closing]
    before = max(bound for bound in bounds if bound < situation.index)
    after = min(bound for bound in bounds if bound >= situation.index)
    return Edit(situation.lexemes[before].end, situation.lexemes[after].start, placeholder)


def _separators(situation: Situation, opening: int, closing: int) -> Iterator[int]:
    return (index for index in _outside_of_brackets(situation, opening + 1, closing) if _text(situation, index) in ",;")


def _head_or_query(situation: Situation) -> tuple[Edit, ...]:
    lexemes = situation.lexemes
    if lexemes[0].text != "DETECT" and lexemes[0].text != "RAISE":
        return ()
    marks = {
        _text(situation, index): index
        for index in _outside_of_brackets(situation, 1, len(lexemes))
        if _text(situation, index) in ("ON", "where", "END")
    }
    on, end = marks.get("ON"), marks.get("END")
    if on is None or end is None:
        return ()
    if situation.index <= on:
        return (Edit(lexemes[0].end, lexemes[on].start, " x "),) if lexemes[0].text == "DETECT" else ()
    end = marks.get("where", end) if situation.index < marks.get("where", end) else end
    return (Edit(lexemes[on].end, lexemes[end].start, " x "),) if on < situation.index <= end else ()


def _outside_of_brackets(situation: Situation, start: int, end: int) -> Iterator[int]:
    """The lexemes from start to end that are not inside of a pair of brackets."""
    index = start
    while index < end:
        closing = situation.brackets.partner.get(index)
        if closing is not None and closing > index:
            index = closing
        else:
            yield index
        index += 1


def _text(situation: Situation, index: int) -> str:
    return situation.lexemes[index].text
