"""What unification sees of a query and of a head: queries and heads of the same shape meet the same others.

The names of variables do not count, because each occurrence of one is taken by itself, and of an expression in a
head only its kind does. A program of many rules has few shapes.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import assert_never

from cera.model.expressions.constructs import All, Construct, ConstructTerm, ConstructValue, OptionalConstruct
from cera.model.expressions.expression import Literal
from cera.model.matching.patterns import (
    Descendant,
    OptionalPattern,
    Pattern,
    RegexPattern,
    ScalarPattern,
    TermPattern,
    VariablePattern,
    Without,
)
from cera.model.terms.values import scalar_key
from cera.rules.reasoning.expression_kinds import kind_of


def pattern_shape(pattern: Pattern) -> Hashable:
    match pattern:
        case TermPattern():
            children = tuple(pattern_shape(child) for child in pattern.children)
            return (pattern.label, pattern.ordered, pattern.total, children)
        case ScalarPattern():
            return ("scalar", scalar_key(pattern.value))
        case RegexPattern():
            return ("regex", pattern.expression)
        case VariablePattern():
            return None if pattern.pattern is None else pattern_shape(pattern.pattern)
        case Descendant():
            return ("desc", pattern_shape(pattern.pattern))
        case OptionalPattern():
            return ("optional", pattern_shape(pattern.pattern))
        case Without():
            return "without"
        case _:
            assert_never(pattern)


def head_shape(head: Construct) -> Hashable:
    match head:
        case ConstructTerm():
            return (head.label, head.ordered, tuple(head_shape(child) for child in head.children))
        case ConstructValue(expression=Literal(value=value)):
            return ("scalar", scalar_key(value))
        case ConstructValue():
            return kind_of(head.expression)
        case All():
            return ("all", head_shape(head.construct))
        case OptionalConstruct():
            default = None if head.default is None else head_shape(head.default)
            return ("optional", head_shape(head.construct), default)
        case _:
            assert_never(head)
