"""What to write instead of something that does not fit, by what stands around it."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import get_args

from cera.constraints.queries import COMBINATIONS, Direction
from cera.diagnostics import did_you_mean
from cera.languages.escl.syntax import Start
from cera.languages.text.items import Piece
from cera.model.time.allen import RELATIONS
from cera.model.time.timers import SYNONYMS

_DIRECTIONS = tuple(get_args(Direction))
_PLACES = ("the same room", "the same area", "neighbour rooms", "neighbour areas")
_BETWEEN = ("and", "or", "within", "apart-by", "sent from", "group-by", "THEN", "END", "LET", *RELATIONS)
_BOUNDS = ("min", "max", "exact", "no")
#: Words before an atom or a time.
_PREFIXES = ("event", "state", "while", "exists", "not", "Range", "Slide")
_FIRST = ("WHILE", "LET", "IN ANY CASE", "IF", "CONSTRAINT", "ORIGIN", "relation")
#: Words that are not misspelt ones.
_KEYWORDS = frozenset(
    {"WHILE", "IF", "DETECT", "event", "state", "exists", "while", "not", "no", "THEN", "END", "LET", "IN", "ON"}
    | {"CONSTRAINT", "and", "or"}
)
_SETS = ("IF", "IN", "WHILE", "CONSTRAINT")

_AND = "the connective is `and`"
_OR = "the connective is `or`"
_FACT = "a fact is `IN ANY CASE … END`"
_RULE = "a rule is `IF … THEN … END`"
#: The signs and words of other languages, with hints for this one.
_HABITS = MappingProxyType(
    {
        **dict.fromkeys(("&&", "&", "AND", "^"), _AND),
        **dict.fromkeys(("||", "|", "OR"), _OR),
        **dict.fromkeys(("!", "NOT"), "a negation is `not p(X)`"),
        **dict.fromkeys(("->", "<-"), _RULE),
        "=>": f"at least is `>=`; {_RULE}",
        **{
            word.lower(): f"keywords of constraints are written large: `{word}`"
            for word in ("IF", "THEN", "END", "LET")
        },
        **dict.fromkeys(("ALWAYS", "always", "EVERY", "every", "ASSERT", "assert", "FACT"), _FACT),
        **dict.fromkeys(("WHEN", "when"), _RULE),
        "where": "conditions are joined to the atoms by `and`: p(X) and X > 3",
        "var": "a variable is a word that begins with a capital letter, without `var`",
        "'": 'strings stand in double quotes: "…"',
        "=<": "write `<=`",
        "range": "a window is written `Range 1h Slide 30min`",
        "RANGE": "a window is written `Range 1h Slide 30min`",
        "ELSE": "a rule has no other case: write a second one",
        "between": "write two comparisons: `X >= 1 and X <= 3`",
        **dict.fromkeys(("precedes", "until"), "times are compared by `before` and `after`: `i before j`"),
        **dict.fromkeys(("follows", "since"), "times are compared by `before` and `after`: `j after i`"),
        **dict.fromkeys(
            ("inside", "in"), "that one lies in the time of another is `while j: event i: p(X)`, or `i during j`"
        ),
    }
)
_BEFORE = frozenset({"range", "RANGE", "var", "NOT", "if"})


@dataclass(frozen=True)
class _Place:
    """The lexeme that did not fit, with those around it and the words that would have."""

    texts: Sequence[str]
    index: int
    is_word: bool
    words: Sequence[str]

    def __getitem__(self, distance: int) -> str:
        """Returns the text of a lexeme so far behind the one that did not fit, or before it."""
        place = self.index + distance
        return self.texts[place] if 0 <= place < len(self.texts) else ""

    @property
    def found(self) -> str:
        return self.texts[self.index]

    @property
    def before(self) -> Sequence[str]:
        return self.texts[: self.index]

    def spelled(self, number: int) -> str:
        """Returns words from the one that did not fit on."""
        return " ".join(self.texts[self.index : self.index + number])


def misspelt(word: str, words: Iterable[str], cutoff: float = 0.75) -> str | None:
    """Returns the word that another one nearly is."""
    if not word[:1].isalpha() or word in _KEYWORDS:
        return None
    by_lower_case = {each.lower(): each for each in words if each != word}
    close = difflib.get_close_matches(word.lower(), by_lower_case, n=1, cutoff=cutoff)
    return by_lower_case[close[0]] if close else None


def hint(piece: Piece[Start], index: int, words: Sequence[str]) -> str | None:
    """Returns what to write, by the lexeme that did not fit and those around it; `words` are those that would fit."""
    texts = [lexeme.text for lexeme in piece.lexemes]
    place = _Place(texts, index, piece.lexemes[index].kind in ("word", "string"), words)
    if piece.kind == "declaration":
        return _declaration(place)
    return next((found for each in _HINTS if (found := each(place)) is not None), None)


def _declaration(place: _Place) -> str:
    relation = 'relation name(attributes) from "…" refresh 1h valid from column by attribute'
    meant = misspelt(place.found, ("from", "refresh", "valid", "by"))
    return (f"did you mean `{meant}`? " if meant else "") + f'a declaration is `ORIGIN "…"` or `{relation}`'


def _habit(place: _Place) -> str | None:
    if place.found in _HABITS or place[-1] in _BEFORE:
        return _HABITS.get(place.found) or _HABITS[place[-1]]
    if place[-1] in ("no", "never", "none") and place.found in ("event", "state"):
        return f"a negation is `not {place.found}: p(X)`"
    return None


def _beginning(place: _Place) -> str | None:
    """Looks at the first word of a constraint."""
    if place.index:
        return None
    if place.found == "END":
        return "there is an `END` too many, or something before it ends too early"
    if place.found == "IN" or misspelt(place.found, ("IN",)):
        return _FACT
    meant = misspelt(place.found, _FIRST)
    return None if meant is None else f"did you mean `{meant}`?"


def _form(place: _Place) -> str | None:
    """Looks at what constraints, modules and definitions consist of."""
    found, before = place.found, place[-1]
    if found == "THEN" and "CASE" in place.before:
        return f"{_FACT}, and a rule `IF … THEN … END`"
    if found == "END" and "IF" in place.texts and "THEN" not in place.before:
        return _RULE
    if before == "CONSTRAINT" and found in _KEYWORDS and place[1] == ":":
        return f"the name of a constraint is missing; one that is called `{found}` stands in quotes"
    if found in ("WHILE", "LET") and before == ":" and place[-3] == "CONSTRAINT":
        return f"constraints are named inside of a module: `WHILE … LET CONSTRAINT {place[-2]}: IF … END END`"
    if "CONSTRAINT" in (place[-2], before):
        return "a constraint is named before a colon: `CONSTRAINT fair: IF …`"
    if found == "IN" and "DETECT" in place.before and "END" in place.words:
        return "the definition has no `END`: `LET DETECT … ON … END IN … END`"
    if found in _SETS and "DETECT" in place.before and "IN" not in place.before:
        return "`IN` is missing: `LET DETECT … END IN … END`"
    if found in _SETS and "LET" in place.words:
        return f"`LET` is missing before `{found}`: `WHILE … LET … END`"
    if found == "." and [place[1], place[2]] == [".", "."]:
        return "what is left out cannot be read: write it, or a comment"
    return None


def _prefix(place: _Place) -> str | None:
    """Looks at what stands before an atom: its kind, its time, its number."""
    found, before = place.found, place[-1]
    if before in ("event", "state") and place.is_word:
        return f"a colon is missing: `{before}: {found}(…)`"
    if place[-2] in ("event", "state") and found == "(":
        return f"a colon is missing: `{place[-2]}: {before}(…)`, or `{place[-2]} i: {before}(…)` with an identifier"
    if place[-2] == "while":
        meant = misspelt(before, COMBINATIONS, 0.6) if found == "{" else None
        stands = f"after `while` stands an identifier, or one of {', '.join(COMBINATIONS)} before braces"
        return stands if meant is None else f"did you mean `{meant}`?"
    for distance in (-1, -3):  # `whle w`, `exist >= 1 event`
        meant = misspelt(place[distance], _PREFIXES)
        if meant is not None and (distance == -1 or meant == "exists") and found not in ":.)":
            return f"did you mean `{meant} {' '.join(place.texts[place.index + distance + 1 : place.index + 1])}`?"
    if before in ("and", "or", "not"):
        return f"an atom or a condition is missing after `{before}`"
    if before == "group-by":
        return f"groups stand in braces: `group-by {{{found}}}`" if place.is_word else "groups stand in braces"
    if found == "-" and place[-2] == "exists":
        return "a count is a whole number, from 0 on"
    if before == "exists":
        return "after `exists` stands how many there are: `exists >= 1 p(X)`, `exists (= 0 or >= 3) p(X)`"
    if before == "while":
        return "after `while` stands an identifier: `while i: p(X)`, `while each{i, j}: p(X)`"
    if before == "WHILE":
        return "after `WHILE` stands the time of a module: `WHILE state: p(X) LET … END`"
    if before in ("Range", "Slide"):
        return f"after `{before}` stands a duration: `{before} 30min`"
    return None


def _condition(place: _Place) -> str | None:
    """Looks at conditions on times and places."""
    found, before = place.found, place[-1]
    if [place[-2], before] == ["sent", "from"]:
        meant = misspelt(place.spelled(3), _PLACES) or misspelt(place.spelled(2), _PLACES)
        if meant is not None:
            return f"did you mean `{meant}`?"
        return (
            f'a place stands in quotes, `sent from "{found}"`; others are {", ".join(f"`{each}`" for each in _PLACES)}'
        )
    if before in ("within", "apart-by"):
        return _bound(place)
    direction = found if found in _DIRECTIONS else misspelt(found, _DIRECTIONS)
    if direction is not None and place.is_word:
        return f"did you mean `{direction} of`?" if direction != found else f"a direction is written `{found} of`"
    if found == "[" and before.replace("-", "").isalpha():
        return did_you_mean(before, SYNONYMS) or f"there is no timer `{before}`; one is `extend[i, 1h]`"
    if found == "]" and "[" in (place[-2], place[-4]):
        timer = place[-3] if place[-2] == "[" else place[-5]
        if timer in SYNONYMS:
            return f"a timer has a length: `{timer}[i, 1h]`"
    if found == "{" and before[-1:].isalnum():
        return did_you_mean(before, COMBINATIONS) or "attributes and values stand in parentheses: `p(x(X))`"
    if found == "=" and place[-2] in ("(", ","):
        return f"an attribute is written with parentheses: `{before}({place[1]})`"
    if found == ",":
        if place[-2] == "(" and (place[-3] in _KEYWORDS or not place[-3][-1:].isalnum()):
            return f"identifiers stand in braces: `{{{before}, {place[1]}}} within max 1h`"
        return "atoms and conditions are joined by `and`"
    return None


def _bound(place: _Place) -> str:
    meant = {"at": {"least": "min", "most": "max"}.get(place[1]), "none": "no", "exactly": "exact"}.get(place.found)
    meant = meant or misspelt(place.found, _BOUNDS) or {"mini": "min", "maxi": "max"}.get(place.found[:4])
    if meant is not None:
        return f"did you mean `{place[-1]} {meant} …`?"
    if place[-1] == "within":
        return "after `within` stands a duration, with `min`, `max` or `exact`: `within max 10 min`"
    return (
        "after `apart-by` stands how far or how many: `min 10 min`, `max 100 m`, `no event: p(X)`, `min 2 event: p(X)`"
    )


def _joined(place: _Place) -> str | None:
    """Looks at what stands where a connective should."""
    found, before = place.found, place[-1]
    if found in (*_SETS, "LET") and before in ("END", ")"):
        return "constraints are joined by `and` or `or`; a module ends with `END`"
    if found in ("THEN", "END", "LET") and before in ("IF", "CASE", "THEN", "LET"):
        return f"something is missing after `{before}`"
    if place.is_word and before not in ("", ":") and (before[-1:].isalnum() or before in ")]}"):
        meant = misspelt(found, (*place.words, *_BETWEEN))
        closing = next((each for each in ("THEN", "LET", "END") if each in place.words), "END")
        missing = f"`and`, `or` or `{closing}` is missing before `{found}`"
        return missing if meant is None else f"did you mean `{meant}`?"
    return None


#: In this order, the first that knows something.
_HINTS: tuple[Callable[[_Place], str | None], ...] = (_habit, _beginning, _form, _prefix, _condition, _joined)
