"""The grammar of expressions, which every language extends, and its terminals in everyday words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from types import MappingProxyType

from lark import Lark

from cera.languages.expressions.parser_tables import parser_of
from cera.languages.text.mistakes import Groups


def item_parser(starts: Sequence[str], *grammars: str) -> Lark:
    """Returns the parser of a language, whose items are the rules `starts`. Its grammars can use and extend those of
    `expressions.lark`, which come before them."""
    text = "\n".join((read_grammar(__package__, "expressions.lark"), *grammars))
    return parser_of(text, starts)


def read_grammar(package: str, name: str = "grammar.lark") -> str:
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


ARITHMETIC = frozenset({"PLUS", "MINUS", "TIMES", "DIVIDED_BY", "MODULO"})
LITERAL = frozenset({"NUMBER", "STRING", "TRUE", "FALSE", "DURATION"})

#: Terminals that begin an expression in a language whose variables are attributes: `X.Balance`.
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
