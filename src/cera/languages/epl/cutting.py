"""A program text cut into its items: the beginning of a module, a declaration, a rule, the end of a module.

A declaration begins with its keyword, a rule with its name and a colon, a module ends with `end`. What lies inside of
brackets does not count, unless it stands at the beginning of a line where it could not be a part of the rule before:
so a bracket that is not closed spoils one rule only.
"""

from __future__ import annotations

from collections.abc import Sequence

from cera.languages.epl.syntax import ItemKind
from cera.languages.text.items import Piece, pieces
from cera.languages.text.scanner import Lexeme

DECLARATIONS = ("monitor", "relation", "granularity", "partition")

_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")

#: What can follow a label, so that `relation & A` is an event.
_AFTER_LABELS = (":", "(", ")", ",", "]", "}", "&", ";", "")


def cut(text: str, lexemes: Sequence[Lexeme]) -> list[Piece[ItemKind]]:
    """The items among the lexemes (without comments) of a text."""
    bounds: list[tuple[int, ItemKind]] = []
    opened: list[int] = []
    inside, closed = False, False
    for index, lexeme in enumerate(lexemes):
        kind = _kind_of(text, lexemes, index, opened)
        if kind == "rule" and bounds and bounds[-1] == (index - 1, "rule"):
            kind = None  # the second word of a name
        if kind is None and (index == 0 or closed) and lexeme.text not in (".", ";"):
            kind = "stray" if not inside else _unmarked(lexemes, index)
        if kind is not None:
            bounds.append((index, kind))
            opened.clear()
            inside = kind != "end" and (inside or kind == "beginning")
        if lexeme.text in _OPENING:
            opened.append(index)
        elif lexeme.text in _CLOSING and opened:
            opened.pop()
        closed = _closes(bounds, lexemes, index, len(opened))
    return pieces(lexemes, bounds)


def _kind_of(text: str, lexemes: Sequence[Lexeme], index: int, opened: Sequence[int]) -> ItemKind | None:
    lexeme = lexemes[index]
    if lexeme.kind != "word":
        return None
    following = lexemes[index + 1].text if index + 1 < len(lexemes) else ""
    preceding = lexemes[index - 1].text if index else ""
    leads_line = not text[text.rfind("\n", 0, lexeme.start) + 1 : lexeme.start].strip()
    if opened and (not leads_line or _is_head(lexemes, opened[-1])):
        return None
    if lexeme.text == "begin" and following not in (":", "("):
        return "beginning"
    if lexeme.text == "end" and following in (".", "", "begin"):
        return "end"
    if lexeme.text in DECLARATIONS and not opened and following not in _AFTER_LABELS and preceding != ":":
        return "declaration"
    if following == ":" and preceding != "*":
        return "rule"
    two_words = index + 2 < len(lexemes) and lexemes[index + 1].kind == "word" and lexemes[index + 2].text == ":"
    return "rule" if two_words and leads_line and not opened else None


def _is_head(lexemes: Sequence[Lexeme], opening: int) -> bool:
    """Whether the bracket is that of `as label(`, in which names stand before colons, too."""
    return opening >= 2 and lexemes[opening - 2].text == "as"


def _unmarked(lexemes: Sequence[Lexeme], index: int) -> ItemKind:
    """What follows a closed item without a mark of its own: a rule whose name is wrong, most likely."""
    rest = [lexeme.text for lexeme in lexemes[index : index + 4]]
    return "rule" if ":" in rest or "->" in [lexeme.text for lexeme in lexemes[index : index + 60]] else "declaration"


def _closes(bounds: Sequence[tuple[int, ItemKind]], lexemes: Sequence[Lexeme], index: int, depth: int) -> bool:
    """Whether the item that the lexeme belongs to ends with it."""
    if not bounds:
        return False
    first, kind = bounds[-1]
    following = lexemes[index + 1].text if index + 1 < len(lexemes) else ""
    match kind:
        case "beginning":
            return index == first + 1
        case "declaration":
            return depth == 0 and lexemes[index].text == ";"
        case "rule":
            at_line_end = lexemes[index].text == "." and lexemes[index + 1 : index + 2] != []
            after_attribute = index + 1 < len(lexemes) and lexemes[index + 1].start == lexemes[index].end
            return depth == 0 and at_line_end and not after_attribute
        case "end":
            return lexemes[index].text == "." or following != "."
        case "stray":
            return False
