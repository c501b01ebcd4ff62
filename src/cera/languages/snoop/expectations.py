"""What could have stood at a place, in everyday words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from cera.languages.cet import expectations as shared
from cera.languages.text.mistakes import Vocabulary

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
