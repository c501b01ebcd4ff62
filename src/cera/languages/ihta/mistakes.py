"""Why a piece of text is not an item of a program."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from cera.languages.expressions import grammar
from cera.languages.ihta.syntax import Start
from cera.languages.text.items import Piece
from cera.languages.text.mistakes import Codes, Explainer, Vocabulary

_VALUE = grammar.LITERAL | {"NAME", "VARIABLE", "DECLARED", "MINUS", "LPAR"}
_MEMBER = frozenset({"ROLE", "_STATE", "_SCHEMA", "ENTER", "NAME", "VARIABLE", "DOTTED"})

_GROUPS: tuple[tuple[frozenset[str], str], ...] = (
    (_MEMBER, "a state or a transition"),
    (_VALUE | {"_NOT"}, "an event or a constraint"),
    (_VALUE, "a value"),
    (grammar.ARITHMETIC | {"COMPARATOR"}, "an operator"),
    (grammar.ARITHMETIC, "an operator"),
    (frozenset({"NAME", "VARIABLE", "DOTTED"}), "a state"),
    (frozenset({"NAME", "VARIABLE"}), "a name"),
)

_NAMES: Mapping[str, str] = MappingProxyType(
    {**grammar.NAMES, "VARIABLE": "a variable", "DECLARED": "a variable with '*'", "_ARROW": "'->'", "_STOP": "';'"}
)

_WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "ROLE": ("start", "end"),
        "_STATE": ("state",),
        "_SCHEMA": ("schema",),
        "ENTER": ("enter",),
        "_AUTOMATON": ("automaton",),
        "STRICT": ("strict",),
        "_USE": ("use",),
        "_WHILE": ("while",),
        "_FOR": ("for",),
        "_AND": ("and",),
        "_OR": ("or",),
        "_NOT": ("not",),
        "MODULO": ("mod",),
        "TRUE": ("true",),
        "FALSE": ("false",),
    }
)

_FIRST = ("';'", "','", "')'", "'}'", "'->'", "':'", "'{'")

VOCABULARY = Vocabulary(_GROUPS, _NAMES, _WORDS, _FIRST)

CODES = Codes("IH001", "IH002", "IH003")


def _hint(piece: Piece[Start], index: int) -> str | None:
    found = piece.lexemes[index].text
    before = piece.lexemes[index - 1].text if index else ""
    if piece.kind == "automaton" and piece.lexemes[0].text not in ("automaton", "strict"):
        return "an automaton is `automaton Name(key(K)) { … }`"
    if found in ("=>", "-"):
        return "a transition is `A -> B: label;`"
    if found in ("}", "start", "end", "state", "enter") and before not in (";", "{", "}"):
        return "states and transitions end with ';'"
    if found == ",":
        return "the parts of a label are joined by `and`"
    if found in ("&&", "&"):
        return "the parts of a label are joined by `and`"
    return None


explained = Explainer(CODES, VOCABULARY, _hint)
