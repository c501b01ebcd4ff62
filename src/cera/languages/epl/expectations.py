"""What could have stood at a place, in everyday words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from cera.languages.expressions import grammar as expressions
from cera.languages.text.mistakes import Vocabulary

_CALLED = frozenset({"_SEQUENCE", "_RELATIVE", "_PRIOR", "_FIRST"})
_EVENT = _CALLED | {"KIND", "NAME", "STRING", "_ANY", "LPAR", "LSQB", "LBRACE", "BANG", "TIMES"}

#: Terminals that together are one thing to a reader; the first groups are the larger ones.
_GROUPS: tuple[tuple[frozenset[str], str], ...] = (
    (_EVENT, "an event"),
    *expressions.GROUPS,
    (frozenset({"_AND", "_OR"}), "AND or OR"),
    (frozenset({"KIND", "NAME", "STRING"}), "an event type"),
    (frozenset({"_WRITE", "_SQL", "_SYSTEM"}), "an action (write, sql or system)"),
    (frozenset({"OPERATION", "TRANSACTION", "TIME"}), "operation, transaction or time"),
    (frozenset({"UNRESTRICTED", "RECENT", "CHRONICLE"}), "unrestricted, recent or chronicle"),
    (frozenset({"NAME", "STRING"}), "a name"),
)

_NAMES: Mapping[str, str] = MappingProxyType(
    {
        **expressions.NAMES,
        "DOT": "'.'",
        "AMPERSAND": "'&'",
        "BANG": "'!'",
        "__ANON_0": "'->'",
        "ATTRIBUTE": "an attribute such as X.Balance",
        "KIND": "insert, delete or update",
        "_BEGIN": "'begin'",
    }
)

_FIRST = ("','", "')'", "']'", "'}'", "'->'", "'('")

#: The words of the language by their terminals, for suggestions.
_WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "KIND": ("insert", "delete", "update"),
        "_MONITOR": ("monitor",),
        "_RELATION": ("relation",),
        "_GRANULARITY": ("granularity",),
        "_PARTITION": ("partition",),
        "_BY": ("by",),
        "OPERATION": ("operation",),
        "TRANSACTION": ("transaction",),
        "TIME": ("time",),
        "_WITHIN": ("within",),
        "UNRESTRICTED": ("unrestricted",),
        "RECENT": ("recent",),
        "CHRONICLE": ("chronicle",),
        "_CONTEXT": ("context",),
        "_WRITE": ("write",),
        "_SQL": ("sql",),
        "_SYSTEM": ("system",),
        "_AND": ("AND",),
        "_OR": ("OR",),
        "_PRIOR": ("prior",),
        "_FIRST": ("first",),
        "_RELATIVE": ("relative",),
        "_SEQUENCE": ("sequence",),
    }
)

VOCABULARY = Vocabulary(_GROUPS, _NAMES, _WORDS, _FIRST)
