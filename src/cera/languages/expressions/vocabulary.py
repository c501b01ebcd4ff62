"""The terminals of expressions in everyday words, for the vocabularies of the languages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from cera.languages.text.mistakes import Groups

ARITHMETIC = frozenset({"PLUS", "MINUS", "TIMES", "DIVIDED_BY", "MODULO"})
LITERAL = frozenset({"NUMBER", "STRING", "TRUE", "FALSE", "DURATION"})

#: What begins an expression in a language whose variables are attributes: `X.Balance`.
_EXPRESSION = LITERAL | {"ATTRIBUTE", "NAME", "FUNCTION", "MINUS", "LPAR"}

#: Terminals that together are one thing to a reader, in a language with attributes.
GROUPS: Groups = (
    (_EXPRESSION | {"_NOT"}, "a condition"),
    (_EXPRESSION, "a value"),
    (ARITHMETIC | {"COMPARATOR", "_AND", "_OR"}, "an operator"),
    (ARITHMETIC | {"_AND", "_OR"}, "an operator"),
    (ARITHMETIC, "an operator"),
)

#: Brackets and signs as they look, the others by what they are.
NAMES: Mapping[str, str] = MappingProxyType(
    {
        "LPAR": "'('",
        "RPAR": "')'",
        "LSQB": "'['",
        "RSQB": "']'",
        "LBRACE": "'{'",
        "RBRACE": "'}'",
        "COMMA": "','",
        "SEMICOLON": "';'",
        "COLON": "':'",
        "EQUAL": "'='",
        "NAME": "a name",
        "STRING": "a string",
        "NUMBER": "a number",
        "DURATION": "a duration such as 10 min",
        "COMPARATOR": "a comparison",
        "MINUS": "'-'",
        "PLUS": "'+'",
        "TIMES": "'*'",
        "DIVIDED_BY": "'/'",
    }
)
