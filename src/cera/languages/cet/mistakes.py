"""Why a piece of text is not an item of a program."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from cera.diagnostics import did_you_mean
from cera.languages.cet.syntax import Start
from cera.languages.expressions import grammar as expressions
from cera.languages.text.items import Piece
from cera.languages.text.mistakes import Codes, Explainer, Vocabulary

_OPERATOR = frozenset({"SEMICOLON", "SIMULTANEOUS", "CONJUNCTION", "DISJUNCTION", "NEGATION", "INTEGER"})

#: Terminals that together are one thing to a reader; the first groups are the larger ones.
GROUPS: tuple[tuple[frozenset[str], str], ...] = (
    (_OPERATOR | {"MODE", "NAME", "LPAR"}, "a component"),
    (_OPERATOR | {"MODE", "LPAR", "DURATION", "_EVERY"}, "an event type such as ;(E1, E2), or a timer"),
    *expressions.GROUPS,
    (frozenset({"_AND", "_OR"}), "and or or"),
    (frozenset({"KIND", "NAME", "STRING"}), "a label or a change such as update(ACC)"),
    (frozenset({"NAME", "STRING"}), "a name"),
    (frozenset({"LAST", "NAME"}), "the name of a type"),
)

NAMES: Mapping[str, str] = MappingProxyType(
    {
        **expressions.NAMES,
        "__ANON_0": "':='",
        "INTEGER": "a number",
        "RANGE": "a number or a range such as 2-3",
        "MODE": "a mode",
        "ATTRIBUTE": "an attribute such as E1.sensor",
        "KIND": "insert, delete or update",
    }
)

_FIRST = ("','", "')'", "';'", "'('", "':='")

#: The words of the language by their terminals, for suggestions.
WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "KIND": ("insert", "delete", "update"),
        "_EVENT": ("event",),
        "_PARTITION": ("partition",),
        "_BY": ("by",),
        "_EVERY": ("every",),
        "_AFTER": ("after",),
        "_UNTIL": ("until",),
        "_OF": ("of",),
        "_AS": ("as",),
        "_WHERE": ("where",),
        "_WITHIN": ("within",),
        "_AND": ("and",),
        "_OR": ("or",),
        "CONJUNCTION": ("and",),
        "DISJUNCTION": ("or",),
        "NEGATION": ("not",),
    }
)

VOCABULARY = Vocabulary(GROUPS, NAMES, WORDS, _FIRST)


CODES = Codes("CE001", "CE002", "CE003")

#: The signs of other languages, with hints for this one.
_HABITS = {
    "&&": "the connective of conditions is `and`; both of two events: `and(E1, E2)`",
    "||": "the connective of conditions is `or`; one of two events: `or(E1, E2)`",
    "&": "both of two events: `and(E1, E2)`",
    "|": "one of two events: `or(E1, E2)`",
    "!": "what does not occur stands between two delimiting events: `not(E1, E2, E3)`",
    "->": "one event after the other: `;(E1, E2)`",
    "AND": "operators of events are written small: `and(E1, E2)`",
    "OR": "operators of events are written small: `or(E1, E2)`",
    "NOT": "operators of events are written small: `not(E1, E2, E3)`",
    "seq": "one event after the other: `;(E1, E2)`",
    "SEQ": "one event after the other: `;(E1, E2)`",
    "any": "some of several events: `2 of (E1, E2, E3)`",
    "ANY": "some of several events: `2 of (E1, E2, E3)`",
}

_CHANGES = ("insert", "delete", "update")


def _hint(piece: Piece[Start], index: int) -> str | None:
    return declared_otherwise(piece, index) or _defined_otherwise(piece, index)


def declared_otherwise(piece: Piece[Start], index: int) -> str | None:
    """Returns a hint for what belongs into a declaration: labels that are not names, and changes of tables."""
    found = piece.lexemes[index]
    match [lexeme.text for lexeme in piece.lexemes[:index]]:
        case ["event", _, "=", word] if found.text == "(":
            return did_you_mean(word, _CHANGES) or "a change of a table is `insert(T)`, `delete(T)` or `update(T)`"
        case _ if found.text[0].isalpha() and not found.text.isascii():
            return f'names are plain letters; give the label a name: `event Name = "{found.text}";`'
        case _:
            return None


def _defined_otherwise(piece: Piece[Start], index: int) -> str | None:
    found = piece.lexemes[index]
    before = [lexeme.text for lexeme in piece.lexemes[max(0, index - 2) : index]]
    following = piece.lexemes[index + 1].text if index + 1 < len(piece.lexemes) else ""
    match before:
        case [] if found.kind == "string":
            return 'a type has a plain name; `as "…"` after it says the label of its events'
        case [] if following == ":=":
            return "the name of a type begins with a letter"
        case [*_, name] if index == 1 and found.text in ("=", ":"):
            return f"a type is defined by `{name} := …`"
        case [*_, name] if index == 1 and piece.kind == "definition":
            return f"an item is `event Name;`, `partition by attribute;` or a definition, `{name} := …`"
        case [_, ":="] if found.kind == "word" and following in (";", ""):
            return f"a type is an operator with its components; `or({found.text})` is every `{found.text}`"
        case [_, ":="] if found.text in ("and", "or", "not"):
            return f"its components stand in brackets: `{found.text}({following}, …)`"
        case [_, ":="] if found.kind == "word" and found.text not in _HABITS:
            return "a type is an operator with its components: `;(E1, E2)`, `and(E1, E2)`"
        case [":=", "("]:
            return "brackets stand behind an operator, `;(E1, E2)`; before it they are a delimiter, `(2): E1`"
        case [*_, name] if found.text in ("where", "within"):
            word = found.text
            return f"`{word}` stands behind the brackets; a component alone with it is a type: `or({name}) {word} …`"
        case _ if found.kind == "string":
            return f"give the label a name: `event Name = {found.text};`"
        case _:
            return _HABITS.get(found.text)


explained = Explainer(CODES, VOCABULARY, _hint)
