"""The grammar of patterns, which comes before that of a language."""

from __future__ import annotations

from cera.languages.expressions.grammar import read_grammar


def pattern_grammar() -> str:
    return read_grammar(__package__, "patterns.lark")
