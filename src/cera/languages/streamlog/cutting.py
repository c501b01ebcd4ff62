"""Where the items of a text begin and end.

A full stop ends an item, but may be missing. Then a rule begins where its head, or the evaluation time before it,
stands beside the end of something else without a connective: in `h(X) <- p(X) g(X) <- q(X)` before `g`.
"""

from __future__ import annotations

from collections.abc import Sequence

from cera.languages.streamlog.syntax import Start
from cera.languages.text.items import Piece, pieces
from cera.languages.text.scanner import Lexeme
from cera.model.time.allen import RELATIONS
from cera.model.time.durations import UNITS
from cera.model.time.timers import SYNONYMS

_JOINING = frozenset({"and", "or", "mod", "until", "within", "group-by", *RELATIONS})
#: After these words something has to follow.
_OPEN = _JOINING | {"not", "while", "event", "state", "Range", "Slide", "exists", "relation", "from", "refresh", "by"}
#: Before these something has to stand.
_CONTINUING = _JOINING | {"Slide", "from", "refresh", "valid", "by"}


def cut(text: str, lexemes: Sequence[Lexeme]) -> list[Piece[Start]]:
    """Returns the items among the lexemes (without comments) of a text."""
    merged = arrows_joined(lexemes)
    starts = {0} if merged else set()
    for index, lexeme in enumerate(merged):
        if _is_stop(text, merged, index) and index + 1 < len(merged):
            starts.add(index + 1)
        elif _declares(merged, index) and (index == 0 or _adjoins(merged, index) or _leads_line(text, lexeme)):
            starts.add(index)
        elif lexeme.text in ("<-", "←"):
            starts |= _head_before(text, merged, index, max(starts))
    return pieces(merged, [(start, "declaration" if _declares(merged, start) else "rule") for start in sorted(starts)])


def _head_before(text: str, lexemes: Sequence[Lexeme], arrow: int, start: int) -> set[int]:
    """Returns where the rule of an arrow begins, nothing if it is the first one of an item."""
    if not any(lexeme.text in ("<-", "←") for lexeme in lexemes[start:arrow]):
        if not _declares(lexemes, start):
            return set()
        behind = [index for index in _outer(lexemes, start, arrow) if index > start + 1]
        return {index for index in behind if _adjoins(lexemes, index) or _opens_window(lexemes, index, start)}
    candidates = list(_outer(lexemes, start, arrow))
    beside = next((index for index in candidates if _adjoins(lexemes, index)), None)
    if beside is not None:
        return {beside}
    leading = [i for i in candidates if _leads_line(text, lexemes[i]) and lexemes[i].text not in _CONTINUING]
    return {leading[-1]} if leading and lexemes[leading[-1] - 1].text not in _OPEN | {"∧", "∨", "¬", ":"} else set()


def _opens_window(lexemes: Sequence[Lexeme], index: int, declaration: int) -> bool:
    """Returns whether a bracket behind a declaration opens a window: it is not that of a timer."""
    before = lexemes[index - 1]
    timer = before.text in SYNONYMS and index - 1 != declaration + 1
    return lexemes[index].text == "[" and before.kind == "word" and not timer


def _outer(lexemes: Sequence[Lexeme], start: int, arrow: int) -> list[int]:
    """Returns the lexemes before an arrow that are not in brackets, from the last to the first."""
    found: list[int] = []
    depth = 0
    for index in range(arrow - 1, start, -1):
        lexeme = lexemes[index]
        if lexeme.kind == "bracket":
            depth = max(0, depth + (1 if lexeme.text in ")]}" else -1))
        if depth == 0:
            found.append(index)
    return found


def _adjoins(lexemes: Sequence[Lexeme], index: int) -> bool:
    """Returns whether a lexeme begins something right behind the end of something else."""
    before, lexeme = lexemes[index - 1], lexemes[index]
    ended = before.kind in ("string", "number") or before.text in (")", "]", "}", ".")
    a_label = before.text in ("Range", "Slide") and lexeme.kind != "number"
    ended = ended or (before.kind == "word" and (a_label or before.text not in _OPEN))
    if not ended:
        return False
    if lexeme.kind == "word":
        is_unit = before.kind == "number" and lexeme.text in UNITS
        named = before.text == "." and before.end == lexeme.start
        return not _continues(lexemes, index) and not is_unit and not named
    return lexeme.kind == "string" or (lexeme.text == "[" and before.kind != "word")


def _continues(lexemes: Sequence[Lexeme], index: int) -> bool:
    """Returns whether a word goes on with what stands before it; `from:` is an identifier."""
    named = index + 1 < len(lexemes) and lexemes[index + 1].text == ":"
    return lexemes[index].text in _CONTINUING and not named


def _declares(lexemes: Sequence[Lexeme], index: int) -> bool:
    if index + 1 >= len(lexemes):
        return lexemes[index].text == "ORIGIN"
    lexeme, following = lexemes[index], lexemes[index + 1]
    if lexeme.text == "ORIGIN":
        return following.text not in ("(", ":", ")", ",")
    named = following.kind == "string" or (following.kind == "word" and following.text not in _CONTINUING)
    return lexeme.text == "relation" and named


def _is_stop(text: str, lexemes: Sequence[Lexeme], index: int) -> bool:
    """Returns whether a lexeme is a full stop, and not the dot in `itemOffer.I0`."""
    lexeme = lexemes[index]
    if lexeme.text != "." or index == 0:
        return False
    inside = lexemes[index - 1].kind == "word" and lexemes[index - 1].end == lexeme.start
    return not (inside and text[lexeme.end : lexeme.end + 1].isalpha())


def _leads_line(text: str, lexeme: Lexeme) -> bool:
    return not text[text.rfind("\n", 0, lexeme.start) + 1 : lexeme.start].strip()


def arrows_joined(lexemes: Sequence[Lexeme], arrow: str = "<-") -> list[Lexeme]:
    """Joins `<` and `-`, which the scanner does not know as one sign; or the two signs of another arrow."""
    first, second = arrow[0], arrow[1]
    found: list[Lexeme] = []
    for lexeme in lexemes:
        if lexeme.text == second and found and found[-1].text == first and found[-1].end == lexeme.start:
            found[-1] = Lexeme("symbol", arrow, found[-1].start)
        else:
            found.append(lexeme)
    return found
