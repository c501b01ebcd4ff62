"""What could have stood at a place, in everyday words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from cera.languages.expressions import grammar as expressions
from cera.languages.text.mistakes import Vocabulary

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
