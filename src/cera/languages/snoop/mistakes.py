"""Why a piece of text is not an item of a program."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from cera.diagnostics import did_you_mean
from cera.languages.cet import mistakes as shared
from cera.languages.cet.mistakes import declared_otherwise
from cera.languages.cet.syntax import Start
from cera.languages.snoop.syntax import CONTEXTS
from cera.languages.text.items import Piece
from cera.languages.text.mistakes import Codes, Explainer, Vocabulary

_CALLED = frozenset({"_NEGATION", "_ANY", "OVER_INTERVAL", "BY_THE_CLOCK", "LPAR", "NAME"})
_OPERAND = _CALLED | {"CONTEXT", "TIMES", "LATEST", "_TIMES_OF"}
_BETWEEN = frozenset({"_EITHER", "_BOTH", "SEMICOLON"})

#: Terminals that together are one thing to a reader; the first groups are the larger ones.
_GROUPS: tuple[tuple[frozenset[str], str], ...] = (
    (_OPERAND, "an event such as E1, (E1 ; E2) or NOT(E2)[E1, E3]"),
    (_CALLED | {"TIMES", "LATEST", "_TIMES_OF"}, "an event such as E1, (E1 ; E2) or NOT(E2)[E1, E3]"),
    (_CALLED, "an event such as E1, (E1 ; E2) or NOT(E2)[E1, E3]"),
    (_BETWEEN, "an operator such as ;"),
    *shared.GROUPS,
)

_NAMES: Mapping[str, str] = MappingProxyType(
    {
        **shared.NAMES,
        "MORE_THAN_NONE": "'> 0'",
        "CONTEXT": "a context such as recent",
    }
)

_WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **shared.WORDS,
        "_EITHER": ("or",),
        "_BOTH": ("and",),
        "CONTEXT": ("unrestricted", "recent", "chronicle", "continuous", "cumulative", "samos", "ode", "adl"),
    }
)

_FIRST = ("','", "')'", "']'", "an operator such as ;", "'('", "':='")

VOCABULARY = Vocabulary(_GROUPS, _NAMES, _WORDS, _FIRST)


CODES = Codes("SN001", "SN002", "SN003")

#: The signs of other languages, with hints for this one.
_HABITS = {
    "&&": "the connective of conditions is `and`; both of two events: `E1 and E2`",
    "||": "the connective of conditions is `or`; one of two events: `E1 or E2`",
    "&": "both of two events: `E1 and E2`, `E1 △ E2`",
    "!": "what does not occur stands between two events: `NOT(E2)[E1, E3]`",
    "->": "one event after the other: `E1 ; E2`",
    "seq": "one event after the other: `E1 ; E2`",
    "SEQ": "one event after the other: `E1 ; E2`",
    ",": "one event after the other: `E1 ; E2`; both in any order: `E1 and E2`",
}

#: The operators in call form, and what they look like.
_CALLS = {
    "NOT": "`NOT(E2)[E1, E3]` is E1 and later E3 without an E2 between them",
    "ANY": "`ANY(2, E1, E2, E3)` is two of the three",
    "A": "`A(E1, E2, E3)` is each E2 between E1 and E3, `A*(E1, E2, E3)` all of them together",
    "P": "`P(E1, [5 min], E3)` is every five minutes from E1 to E3",
    "TIMES": "of SAMOS's TIMES there is `TIMES([>0], E1)`: all E1",
}


def _hint(piece: Piece[Start], index: int) -> str | None:
    return declared_otherwise(piece, index) or _defined_otherwise(piece, index)


def _defined_otherwise(piece: Piece[Start], index: int) -> str | None:
    found = piece.lexemes[index]
    before = [lexeme.text for lexeme in piece.lexemes[max(0, index - 2) : index]]
    following = piece.lexemes[index + 1].text if index + 1 < len(piece.lexemes) else ""
    match before:
        case [] if found.kind == "string":
            return 'an event has a plain name; `as "…"` after it says the label of what is detected'
        case [] if following == ":=":
            return "the name of an event begins with a letter"
        case [name] if found.text in ("=", ":"):
            return f"an event is defined by `{name} := …`"
        case [name] if name in CONTEXTS:
            return f"what is detected has a name: `Name := {name} …`"
        case [name] if piece.kind == "definition":
            return f"an item is `event Name;`, `partition by attribute;` or a definition, `{name} := …`"
        case ["as", name] if found.text != "(":
            return f"an operand has its name before it: `{name}: E1 ; E2`; a head comes last, `E1 ; E2 as {name}(…)`"
        case [*_, word] if found.text == "(" and word in _HABITS:
            return _HABITS[word]
        case [*_, word] if found.kind == "word" and (meant := did_you_mean(word, CONTEXTS)):
            return meant
        case _ if found.kind == "string":
            return f"give the label a name: `event Name = {found.text};`"
        case _:
            return _call(piece, index) or _HABITS.get(found.text)


def _call(piece: Piece[Start], index: int) -> str | None:
    """Returns how the operator is written in whose brackets, or right behind them, something is wrong."""
    depth = 0
    for place in range(index - 1, -1, -1):
        text = piece.lexemes[place].text
        if text in (")", "]"):
            depth += 1
        elif text in ("(", "["):
            depth -= 1
            word = next((each.text for each in reversed(piece.lexemes[:place]) if each.text != "*"), "")
            if depth < 0 or (depth == 0 and word.upper() == "NOT"):
                return _CALLS["NOT"] if word == ")" else _CALLS.get(word.upper())
    return None


explained = Explainer(CODES, VOCABULARY, _hint)
