"""Query terms: patterns that are matched against data terms (Xcerpt's simulation, seed 001 section 3.1).

`label{{…}}` is partial (the data may have more children), `label{…}` total; braces are unordered, brackets ordered.
What a pattern means is defined in `cera.model.matching.matching`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from cera.diagnostics import Span
from cera.model.tags import tagged
from cera.model.terms.values import Scalar


@tagged("AnyLabel")
@dataclass(frozen=True)
class AnyLabel:
    """`*`: any label."""


@tagged("RegexLabel")
@dataclass(frozen=True)
class RegexLabel:
    """`/expression/` in the place of a label: the whole label matches."""

    expression: str


Label = str | AnyLabel | RegexLabel


@tagged("TermPattern")
@dataclass(frozen=True)
class TermPattern:
    """`label{…}`, `label{{…}}`, `label[…]`, `label[[…]]`; a bare `label` is `label{}`."""

    label: Label
    children: tuple[Pattern, ...] = ()
    ordered: bool = False
    total: bool = True
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("ScalarPattern")
@dataclass(frozen=True)
class ScalarPattern:
    """A leaf with this value."""

    value: Scalar
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("RegexPattern")
@dataclass(frozen=True)
class RegexPattern:
    """`/expression/`: a string leaf that matches as a whole."""

    expression: str
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("VariablePattern")
@dataclass(frozen=True)
class VariablePattern:
    """`var X` matches anything, `var X -> pattern` what the pattern matches; X is bound to it."""

    name: str
    pattern: Pattern | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("Descendant")
@dataclass(frozen=True)
class Descendant:
    """`desc pattern`: the pattern matches here or at any depth below."""

    pattern: Pattern
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("Without")
@dataclass(frozen=True)
class Without:
    """`without pattern`, as a child: the siblings do not match together with this pattern."""

    pattern: Pattern
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("OptionalPattern")
@dataclass(frozen=True)
class OptionalPattern:
    """`optional pattern`, as a child: matched where that is possible, else its variables stay unbound."""

    pattern: Pattern
    span: Span | None = field(default=None, compare=False, repr=False)


Pattern = TermPattern | ScalarPattern | RegexPattern | VariablePattern | Descendant | Without | OptionalPattern


def parts(pattern: Pattern) -> tuple[Pattern, ...]:
    """Returns the patterns directly inside this one."""
    match pattern:
        case TermPattern():
            return pattern.children
        case ScalarPattern() | RegexPattern():
            return ()
        case VariablePattern():
            return () if pattern.pattern is None else (pattern.pattern,)
        case Descendant() | Without() | OptionalPattern():
            return (pattern.pattern,)


def walk(pattern: Pattern) -> Iterator[Pattern]:
    """Yields this pattern and all patterns inside it, outermost first."""
    yield pattern
    for part in parts(pattern):
        yield from walk(part)


def variables(pattern: Pattern) -> frozenset[str]:
    """Returns every variable that occurs in the pattern, in whatever position."""
    return frozenset(p.name for p in walk(pattern) if isinstance(p, VariablePattern))


def bound_variables(pattern: Pattern) -> frozenset[str]:
    """Returns the variables that every match binds: those outside of `without` and `optional`."""
    own = {pattern.name} if isinstance(pattern, VariablePattern) else set()
    if isinstance(pattern, Without | OptionalPattern):
        return frozenset()
    return frozenset(own).union(*(bound_variables(part) for part in parts(pattern)))


def optional_variables(pattern: Pattern) -> frozenset[str]:
    """Returns the variables that some matches bind and others do not: those inside `optional` only."""
    return _outside_without(pattern) - bound_variables(pattern)


def _outside_without(pattern: Pattern) -> frozenset[str]:
    if isinstance(pattern, Without):
        return frozenset()
    own = {pattern.name} if isinstance(pattern, VariablePattern) else set()
    return frozenset(own).union(*(_outside_without(part) for part in parts(pattern)))


def with_values(pattern: Pattern, values: Mapping[str, Scalar]) -> Pattern:
    """Returns the pattern with these values in the place of variables: what stands after their arrows is left out."""
    match pattern:
        case TermPattern():
            return replace(pattern, children=tuple(with_values(child, values) for child in pattern.children))
        case ScalarPattern() | RegexPattern():
            return pattern
        case VariablePattern() if pattern.name in values:
            return ScalarPattern(values[pattern.name], pattern.span)
        case VariablePattern():
            inner = None if pattern.pattern is None else with_values(pattern.pattern, values)
            return replace(pattern, pattern=inner)
        case Descendant() | Without() | OptionalPattern():
            return replace(pattern, pattern=with_values(pattern.pattern, values))
