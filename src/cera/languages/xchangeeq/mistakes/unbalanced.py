"""Brackets that do not match: which one is to blame (XC002)."""

from __future__ import annotations

from cera.languages.text.scanner import Lexeme, scan
from cera.languages.xchangeeq.mistakes.expectations import ITEM_WORDS
from cera.languages.xchangeeq.mistakes.mistake import CLOSING, Brackets, Edit, Mistake, Remark, Situation

_TERMINALS = {"}": "RBRACE", "]": "RSQB"}
_COMPOSITIONS = ("and", "or")
_KINDS = ("event", "state", "while")


def unbalanced(situation: Situation) -> Mistake | None:
    """Returns the first explanation that fits."""
    for explain in (_torn, _half_closed, _wrong_kind, _one_too_many, _never_closed):
        if mistake := explain(situation):
            return mistake
    return None


def _torn(situation: Situation) -> Mistake | None:
    """Finds `{{ … } … }` with a bracket missing somewhere: the two that close it were not meant for it."""
    torn = situation.brackets.torn()
    if torn is None or not situation.brackets.unclosed or situation.brackets.partner[torn] >= situation.index:
        return None
    mistake = _closed_by_one(situation, torn, situation.lexemes[situation.brackets.partner[torn]])
    return mistake if mistake.repair else None


def _half_closed(situation: Situation) -> Mistake | None:
    """Finds `{{ … }`, where the next thing is not a second `}`."""
    closing = situation.at(-1)
    opening = situation.brackets.partner.get(situation.index - 1)
    if closing is None or opening is None or situation.accepted != {_TERMINALS.get(closing.text)}:
        return None
    return _closed_by_one(situation, opening, closing)


def _closed_by_one(situation: Situation, opening: int, closing: Lexeme) -> Mistake:
    return Mistake(
        "XC002",
        f"'{_pair(situation, opening)}' is closed by a single '{closing.text}'",
        *_pair_range(situation, opening),
        hint=f"write '{closing.text * 2}'",
        remarks=(Remark("only one of them is closed here", closing.start, closing.end),),
        repair=_if_it_helps(situation, Edit(closing.end, closing.end, closing.text)),
    )


def _wrong_kind(situation: Situation) -> Mistake | None:
    """Finds `{ … ]`."""
    found = situation.found
    if found is None or situation.index not in situation.brackets.mismatched:
        return None
    opening = situation.brackets.partner[situation.index]
    right = CLOSING[situation.lexemes[opening].text]
    forgotten = Edit(found.start, found.start, right)
    repair = _if_it_helps(situation, forgotten) or _if_it_helps(situation, Edit(found.start, found.end, right))
    return Mistake(
        "XC002",
        f"'{_pair(situation, opening)}' is closed by '{found.text}'",
        *_pair_range(situation, opening),
        remarks=(Remark(f"expected '{right}', found '{found.text}'", found.start, found.end),),
        repair=repair,
    )


def _one_too_many(situation: Situation) -> Mistake | None:
    """Finds `{ … }}`: a bracket that closes nothing, or something too early."""
    brackets = situation.brackets
    if not brackets.surplus:
        return None
    torn = brackets.torn()
    if situation.index in brackets.surplus:
        culprit = situation.index
    elif torn is not None and brackets.partner[torn] < situation.index:
        culprit = brackets.partner[torn]
    elif situation.index - 1 in brackets.partner and situation.text_at(-1) in _TERMINALS:
        culprit = situation.index - 1
    else:
        return None
    closing = situation.lexemes[culprit]
    opening = brackets.partner.get(culprit)
    repair = _if_it_helps(situation, Edit(closing.start, closing.end, ""))
    if opening is not None and not repair:
        return None
    remarks: tuple[Remark, ...] = ()
    if opening is not None:
        remarks = (Remark(f"it closes this '{_pair(situation, opening)}'", *_pair_range(situation, opening)),)
    return Mistake(
        "XC002",
        f"there is one '{closing.text}' too many" if opening is not None else f"'{closing.text}' closes nothing",
        closing.start,
        closing.end,
        remarks=remarks,
        repair=repair,
    )


def _never_closed(situation: Situation) -> Mistake | None:
    """Finds `{ …` up to the end of the rule, to `ON`, or to the beginning of the next literal."""
    brackets, found = situation.brackets, situation.found
    still_open = brackets.open_at(situation.index)
    if not still_open:
        return None
    culprit = still_open[-1]
    at_literal = _begins_literal(situation)
    if found is None or found.text in ("END", "ON", *ITEM_WORDS):
        before = situation.index
    elif situation.text_at(-1) in ("END", "ON") and brackets.unclosed:  # read as a label
        before = situation.index - 1
    elif brackets.label(culprit) not in _COMPOSITIONS and (at_literal or (found.text == "where" and brackets.unclosed)):
        before = situation.index - at_literal
    else:
        return None
    closing = CLOSING[situation.lexemes[culprit].text] * (2 if brackets.is_second(culprit) else 1)
    end = situation.lexemes[_without_separator(situation, before)].end
    return Mistake(
        "XC002",
        f"'{_pair(situation, culprit)}' is not closed",
        *_pair_range(situation, culprit),
        remarks=_expected_before(situation, closing, before),
        repair=_if_it_helps(situation, Edit(end, end, closing)),
    )


def _begins_literal(situation: Situation) -> int:
    """Returns how many lexemes before this one a literal `event i: …`, `state i: …`, `while i: …` or `i: …` begins; 0
    if none does."""
    words = tuple(situation.text_at(distance) for distance in (-2, -1, 0, 1))
    if words[1] in _KINDS and words[3] == ":":
        return 1
    if words[2] == ":" and words[0] in _KINDS:
        return 2
    return 1 if words[2] == ":" and words[3] in ("timer", "not", "collect", "var") else 0


def _without_separator(situation: Situation, before: int) -> int:
    """Returns the index of the last lexeme before this one that is not a comma."""
    last = before - 1
    return last - 1 if situation.lexemes[last].text in (",", ";") else last


def _expected_before(situation: Situation, closing: str, before: int) -> tuple[Remark, ...]:
    if before >= len(situation.lexemes):
        return ()
    found = situation.lexemes[before]
    return (Remark(f"expected '{closing}' before '{found.text}'", found.start, found.end),)


def _pair(situation: Situation, opening: int) -> str:
    text = situation.lexemes[opening].text
    return text * 2 if situation.brackets.is_second(opening) else text


def _pair_range(situation: Situation, opening: int) -> tuple[int, int]:
    first = opening - 1 if situation.brackets.is_second(opening) else opening
    return situation.lexemes[first].start, situation.lexemes[opening].end


def _if_it_helps(situation: Situation, edit: Edit) -> tuple[Edit, ...]:
    """Returns the edit if all brackets match after it; else the same mistake would be found again and again."""
    text = situation.text[: edit.start] + edit.text + situation.text[edit.end :]
    balanced = Brackets([lexeme for lexeme in scan(text) if lexeme.kind != "comment"]).balanced
    return (edit,) if balanced and situation.reaches((edit,)) > 0 else ()
