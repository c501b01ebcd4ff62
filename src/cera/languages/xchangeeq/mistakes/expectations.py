"""The terminals that could have stood at a place of a program, in the words of a person who writes one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from cera.languages.expressions import grammar as expressions
from cera.languages.text.mistakes import Vocabulary
from cera.model.time.allen import RELATIONS
from cera.model.time.timers import SYNONYMS

DIRECTIVES = ("SEMANTICS", "SOURCE", "CALENDARS", "RELATION")
#: The words that begin a clause of RELATION.
RELATION_CLAUSES = ("FROM", "REFRESH", "VALID", "BY")
#: The words that begin an item.
ITEM_WORDS = ("DETECT", "RAISE", *DIRECTIVES)

#: The spellings of each terminal that is a word of the language.
KEYWORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "_DETECT": ("DETECT",),
        "_RAISE": ("RAISE",),
        "_SEMANTICS": ("SEMANTICS",),
        "_SOURCE": ("SOURCE",),
        "_CALENDARS": ("CALENDARS",),
        "_RELATION": ("RELATION",),
        "_FROM": ("FROM",),
        "_REFRESH": ("REFRESH",),
        "_VALID": ("VALID",),
        "_BY": ("BY",),
        "PRACTICAL": ("practical",),
        "FORMAL": ("formal",),
        "_ON": ("ON",),
        "_END": ("END",),
        "_TO": ("to",),
        "_RECIPIENT": ("recipient",),
        "_TRANSPORT": ("transport",),
        "_AND_QUERY": ("and",),
        "_OR_QUERY": ("or",),
        "_EVENT": ("event",),
        "_RELATION_QUERY": ("relation",),
        "_STATE": ("state",),
        "_WHILE": ("while",),
        "_WHERE": ("where",),
        "NOT_EVENT": ("not",),
        "COLLECT": ("collect",),
        "_DESC": ("desc",),
        "_WITHOUT": ("without",),
        "_OPTIONAL": ("optional",),
        "_ALL": ("all",),
        "ALL_MATCHES": ("all",),
        "DISTINCT": ("distinct",),
        "_GROUP_BY": ("group-by",),
        "_ORDER_BY": ("order-by",),
        "_WITH_DEFAULT": ("with default",),
        "ASCENDING": ("asc",),
        "DESCENDING": ("desc",),
        "_OR": ("or",),
        "_AND": ("and",),
        "_NOT": ("not",),
        "_WITHIN": ("within",),
        "_IN": ("in",),
        "MODULO": ("mod",),
        "ALLEN_RELATION": tuple(RELATIONS),
        "RELATIVE_TIMER": tuple(SYNONYMS),
        "VARIABLE": ("var",),
        "TRUE": ("true",),
        "FALSE": ("false",),
    }
)

_ITEM = frozenset({"_DETECT", "_RAISE", "_SEMANTICS", "_SOURCE", "_CALENDARS", "_RELATION"})
_EVENT_PATTERN = frozenset({"NAME", "STRING", "ANY_LABEL", "REGEX", "VARIABLE", "_DESC"})
_PATTERN = _EVENT_PATTERN | {"SIGNED_NUMBER", "TRUE", "FALSE"}
_QUERY = _EVENT_PATTERN | {
    *("_AND_QUERY", "_OR_QUERY", "_EVENT", "_STATE", "_RELATION_QUERY", "_WHILE"),
    *("RELATIVE_TIMER", "ABSOLUTE_TIMER"),
}
_ARITHMETIC_EXPRESSION = expressions.LITERAL | {"VARIABLE", "NAME", "_DATETIME", "ABSOLUTE_TIMER", "LPAR", "MINUS"}
_EXPRESSION = _ARITHMETIC_EXPRESSION | {"_NOT", "LBRACE"}

#: Names for sets of terminals, the larger sets first.
_GROUPS: tuple[tuple[frozenset[str], str], ...] = (
    (_ITEM, "a rule or a directive (DETECT, RAISE, SEMANTICS, SOURCE, CALENDARS, RELATION)"),
    (_EXPRESSION | {"_ALL", "_OPTIONAL"}, "a term or value"),
    (_EXPRESSION | {"ALL_MATCHES", "DISTINCT"}, "an expression"),
    (_EXPRESSION, "an expression"),
    (_ARITHMETIC_EXPRESSION, "an expression"),
    (_QUERY, "an event query"),
    (_PATTERN | {"_WITHOUT", "_OPTIONAL"}, "a pattern"),
    (_PATTERN, "a pattern"),
    (_EVENT_PATTERN, "a pattern"),
    (frozenset({"NAME", "STRING", "VARIABLE"}), "a term"),
    (expressions.ARITHMETIC | {"COMPARATOR", "ALLEN_RELATION", "_WITHIN", "_IN", "_AND", "_OR"}, "an operator"),
    (expressions.ARITHMETIC | {"_AND", "_OR"}, "an operator"),
    (frozenset({"_AND", "_OR"}), "'and' or 'or'"),
    (expressions.ARITHMETIC, "an operator"),
    (frozenset({"RELATIVE_TIMER", "ABSOLUTE_TIMER"}), "a timer"),
    (frozenset({"COMMA", "SEMICOLON"}), "','"),
)

_NAMES: Mapping[str, str] = MappingProxyType(
    {
        **expressions.NAMES,
        "__ANON_0": "'->'",
        "SIGNED_NUMBER": "a number",
        "DURATION": "a duration such as 3 min 14 sec",
        "VARIABLE": "a variable",
        "REGEX": "a regular expression",
        "ANY_LABEL": "'*'",
        "ALLEN_RELATION": "a relation such as before",
        "ABSOLUTE_TIMER": "a timer",
        "RELATIVE_TIMER": "a timer",
        "_DATETIME": "'datetime'",
        "$END": "the end",
    }
)

_FIRST = ("','", "'}'", "']'", "')'", "'{'", "'['")

VOCABULARY = Vocabulary(_GROUPS, _NAMES, KEYWORDS, _FIRST, most=6)


def guess(word: str, candidates: Iterable[str]) -> str | None:
    """Returns the candidate that was probably meant: another case, two letters swapped, or a letter or two off."""
    by_lower_case = {candidate.lower(): candidate for candidate in candidates if candidate != word}
    lower = word.lower()
    if lower in by_lower_case:
        return by_lower_case[lower]
    swapped = [candidate for candidate in by_lower_case if sorted(candidate) == sorted(lower)]
    close = swapped or difflib.get_close_matches(lower, by_lower_case, n=1, cutoff=0.7)
    return by_lower_case[close[0]] if close else None
