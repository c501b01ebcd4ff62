"""Construct terms: the heads of rules, from which derived events are built (seed 001 sections 3.2 and 3.5).

How a set of matches is turned into terms is defined by the reference engine's `construction`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from cera.diagnostics import Span
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Aggregate, Expression
from cera.model.tags import tagged


@tagged("ConstructTerm")
@dataclass(frozen=True)
class ConstructTerm:
    """`label{…}` or `label[…]` with constructs inside."""

    label: str
    children: tuple[Construct, ...] = ()
    ordered: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("ConstructValue")
@dataclass(frozen=True)
class ConstructValue:
    """`var X`, a scalar, arithmetic, an aggregate: the value of an expression."""

    expression: Expression
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("OrderKey")
@dataclass(frozen=True)
class OrderKey:
    """One expression after `order-by`, and whether it is descending."""

    expression: Expression
    descending: bool = False


@tagged("All")
@dataclass(frozen=True)
class All:
    """`all construct group-by {var S} order-by {var T desc}`: one instance for each group of matches.

    Matches are grouped by the construct's own free variables and by those named after `group-by`.
    """

    construct: Construct
    group_by: tuple[str, ...] = ()
    order_by: tuple[OrderKey, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("OptionalConstruct")
@dataclass(frozen=True)
class OptionalConstruct:
    """`optional construct` or `optional construct with default construct`: for what may be unbound or undefined."""

    construct: Construct
    default: Construct | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


Construct = ConstructTerm | ConstructValue | All | OptionalConstruct


def parts(construct: Construct) -> tuple[Construct, ...]:
    """Returns the constructs directly inside this one."""
    match construct:
        case ConstructTerm():
            return construct.children
        case ConstructValue():
            return ()
        case All():
            return (construct.construct,)
        case OptionalConstruct():
            return (construct.construct,) if construct.default is None else (construct.construct, construct.default)


def walk(construct: Construct) -> Iterator[Construct]:
    yield construct
    for part in parts(construct):
        yield from walk(part)


def own_expressions(construct: Construct) -> tuple[Expression, ...]:
    """Returns the expressions that stand directly in this construct."""
    match construct:
        case ConstructValue():
            return (construct.expression,)
        case All():
            return tuple(key.expression for key in construct.order_by)
        case ConstructTerm() | OptionalConstruct():
            return ()


def variables(construct: Construct) -> frozenset[str]:
    """Returns every variable that occurs anywhere in the construct."""
    found: set[str] = set()
    for part in walk(construct):
        found.update(*(expressions.variables(e) for e in own_expressions(part)))
        if isinstance(part, All):
            found.update(part.group_by)
    return frozenset(found)


def free_variables(construct: Construct) -> frozenset[str]:
    """Returns the variables outside of `all` and of aggregates, for whose values a construct is instantiated."""
    match construct:
        case ConstructTerm() | OptionalConstruct():
            return frozenset().union(*(free_variables(part) for part in parts(construct)))
        case ConstructValue():
            return _outside_aggregates(construct.expression)
        case All():
            return frozenset()


def _outside_aggregates(expression: Expression) -> frozenset[str]:
    if isinstance(expression, Aggregate):
        return frozenset()
    if isinstance(expression, expressions.Variable):
        return frozenset({expression.name})
    return frozenset().union(*(_outside_aggregates(o) for o in expressions.operands(expression)))


def has_grouping(construct: Construct) -> bool:
    """Returns whether the construct contains `all` or an aggregate, so that its rule must see all matches at once."""
    return any(
        isinstance(part, All)
        or any(isinstance(e, Aggregate) for top in own_expressions(part) for e in expressions.walk(top))
        for part in walk(construct)
    )
