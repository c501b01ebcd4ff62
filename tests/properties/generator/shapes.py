"""Shapes: what the generator knows about the events that a pattern is to match.

A shape is taken from an event of the stream, or from the head of a rule, whose values are not known.
"""

from __future__ import annotations

from dataclasses import dataclass

from cera.model.expressions.constructs import All, Construct, ConstructTerm, ConstructValue, OptionalConstruct
from cera.model.expressions.expression import Literal
from cera.model.terms.term import Term, Value
from cera.model.terms.values import Scalar


@dataclass(frozen=True)
class Leaf:
    """A leaf; None: its value is not known, and it may even be a term."""

    value: Scalar | None


@dataclass(frozen=True)
class Shape:
    """A term; an open one may have other children than these."""

    label: str
    children: tuple[Shape | Leaf, ...] = ()
    ordered: bool = False
    open: bool = False


def shape_of_term(term: Term) -> Shape:
    return Shape(term.label, tuple(_shape_of_value(child) for child in term.children), term.ordered)


def _shape_of_value(value: Value) -> Shape | Leaf:
    return shape_of_term(value) if isinstance(value, Term) else Leaf(value)


def shape_of_head(head: ConstructTerm) -> Shape:
    """The shape of the events that a rule with this head derives."""
    children = tuple(_shape_of_construct(child) for child in head.children)
    varying = any(isinstance(child, All | OptionalConstruct) for child in head.children)
    return Shape(head.label, children, head.ordered, varying)


def _shape_of_construct(construct: Construct) -> Shape | Leaf:
    match construct:
        case ConstructTerm():
            return shape_of_head(construct)
        case ConstructValue(expression=Literal(value=value)):
            return Leaf(value)
        case ConstructValue():
            return Leaf(None)
        case All() | OptionalConstruct():
            return _shape_of_construct(construct.construct)
