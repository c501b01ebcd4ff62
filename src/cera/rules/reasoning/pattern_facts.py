"""What the patterns of a branch say about the values of their variables, as conditions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cera.model.expressions.expression import Call, Comparison, Expression, Literal, Variable
from cera.model.matching.patterns import (
    OptionalPattern,
    Pattern,
    RegexPattern,
    ScalarPattern,
    VariablePattern,
    Without,
    parts,
)


def pattern_facts(patterns: Iterable[Pattern]) -> Iterator[Expression]:
    """`var X -> 40` makes X equal to 40, `var X -> /a+/` a string that matches, wherever the patterns match."""
    for pattern in patterns:
        match pattern:
            case Without() | OptionalPattern():
                continue
            case VariablePattern(pattern=ScalarPattern() as scalar):
                yield Comparison("=", Variable(pattern.name), Literal(scalar.value), pattern.span)
            case VariablePattern(pattern=RegexPattern() as regex):
                yield Call("matches", (Variable(pattern.name), Literal(regex.expression)), pattern.span)
            case _:
                pass
        yield from pattern_facts(parts(pattern))
