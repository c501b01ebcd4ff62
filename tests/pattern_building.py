"""Short names for building patterns in tests, after the notation of the language: `partial("a", …)` is `a{{…}}`."""

from __future__ import annotations

from cera.model.matching.patterns import (
    AnyLabel,
    Descendant,
    Label,
    OptionalPattern,
    Pattern,
    RegexLabel,
    RegexPattern,
    ScalarPattern,
    TermPattern,
    VariablePattern,
    Without,
)
from cera.model.terms.values import Scalar

ANY = AnyLabel()
regex_label = RegexLabel
regex = RegexPattern
desc = Descendant
without = Without
optional = OptionalPattern


def var(name: str, pattern: Pattern | None = None) -> VariablePattern:
    return VariablePattern(name, pattern)


def total(label: Label, *children: Pattern | Scalar) -> TermPattern:
    """`label{…}`"""
    return TermPattern(label, _patterns(children), ordered=False, total=True)


def partial(label: Label, *children: Pattern | Scalar) -> TermPattern:
    """`label{{…}}`"""
    return TermPattern(label, _patterns(children), ordered=False, total=False)


def total_ordered(label: Label, *children: Pattern | Scalar) -> TermPattern:
    """`label[…]`"""
    return TermPattern(label, _patterns(children), ordered=True, total=True)


def partial_ordered(label: Label, *children: Pattern | Scalar) -> TermPattern:
    """`label[[…]]`"""
    return TermPattern(label, _patterns(children), ordered=True, total=False)


def _patterns(children: tuple[Pattern | Scalar, ...]) -> tuple[Pattern, ...]:
    return tuple(ScalarPattern(c) if isinstance(c, str | int | float) else c for c in children)
