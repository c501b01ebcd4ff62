"""Specifications: how many, how long, how far. A limit, or several joined by `and` and `or`.

    exists (= 0 or >= 3)        within min 1 min and max 1h        apart-by max 100 m        apart-by (no or min 3)

The amounts of a specification are all of one kind: numbers and variables, durations, or lengths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import assert_never

from cera.diagnostics import Span
from cera.model.expressions.expression import ComparisonOperator, Variable
from cera.model.tags import tagged
from cera.model.time.durations import Duration


@tagged("Length")
@dataclass(frozen=True)
class Length:
    """A length in space, a whole number of millimetres."""

    millimetres: int


Amount = int | Variable | Duration | Length


@tagged("Limit")
@dataclass(frozen=True)
class Limit:
    """`>= 3`, `max 1 min`, `no`. `bare` is an amount without an operator, which the languages read in their way."""

    operator: ComparisonOperator
    amount: Amount
    bare: bool = field(default=False, compare=False)
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("AllLimits")
@dataclass(frozen=True)
class AllLimits:
    """`>= 1 and <= 3`: all of them."""

    parts: tuple[Specification, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("AnyLimit")
@dataclass(frozen=True)
class AnyLimit:
    """`= 0 or >= 3`: one of them."""

    parts: tuple[Specification, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


Specification = Limit | AllLimits | AnyLimit

#: No event or state at all, and at least one.
NONE: Specification = Limit("=", 0)
SOME: Specification = Limit(">=", 1)


def limits(specification: Specification) -> Iterator[Limit]:
    """Yields the limits of a specification from left to right."""
    match specification:
        case Limit():
            yield specification
        case AllLimits() | AnyLimit():
            for part in specification.parts:
                yield from limits(part)
        case _:
            assert_never(specification)


def admits(specification: Specification, holds: Callable[[Limit], bool]) -> bool:
    """Returns whether a specification holds, by which of its limits do."""
    match specification:
        case Limit():
            return holds(specification)
        case AllLimits():
            return all(admits(part, holds) for part in specification.parts)
        case AnyLimit():
            return any(admits(part, holds) for part in specification.parts)
        case _:
            assert_never(specification)


def variables(specification: Specification) -> frozenset[str]:
    """Returns the names of the variables among the amounts."""
    return frozenset(each.amount.name for each in limits(specification) if isinstance(each.amount, Variable))


def changed(specification: Specification, change: Callable[[Amount], Amount]) -> Specification:
    """Returns a specification with other amounts."""
    match specification:
        case Limit():
            return replace(specification, amount=change(specification.amount))
        case AllLimits() | AnyLimit():
            return replace(specification, parts=tuple(changed(part, change) for part in specification.parts))
        case _:
            assert_never(specification)
