"""Sets of constraints as they are written: modules, local definitions, facts and rules (seed 002, section 7.3.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import assert_never

from cera.constraints.queries import Conjunction, Disjunction, Literal, Part, Query, TimerLiteral, WindowLiteral
from cera.diagnostics import Span

#: The time in which the constraints of a module hold.
ModuleTime = Literal | TimerLiteral | WindowLiteral


@dataclass(frozen=True)
class Constraint:
    """`CONSTRAINT fair: IF body THEN head END`; without a body it is a fact, `IN ANY CASE head END`.

    `context` is what modules ask for, once they are eliminated: the outermost first.
    """

    head: Query
    body: Query | None = None
    name: str | None = None
    context: tuple[Part, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Definition:
    """`DETECT event: h(X) ON body END`: an event or a state that only the constraints of its place know."""

    head: Literal
    body: Query
    context: tuple[Part, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Module:
    """`WHILE time LET constraints END`."""

    time: ModuleTime
    constraints: ConstraintSet
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class LocalDefinitions:
    """`LET definitions IN constraints END`."""

    definitions: tuple[Definition, ...]
    constraints: ConstraintSet
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class AllConstraints:
    """`C and D`, as it was nested."""

    parts: tuple[ConstraintSet, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class AnyConstraint:
    """`C or D`, as it was nested."""

    parts: tuple[ConstraintSet, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


ConstraintSet = Module | LocalDefinitions | Constraint | AllConstraints | AnyConstraint


def constraints_of(tree: ConstraintSet) -> Iterator[Constraint]:
    """Yields the constraints of a set in their order."""
    match tree:
        case Constraint():
            yield tree
        case Module() | LocalDefinitions():
            yield from constraints_of(tree.constraints)
        case AllConstraints() | AnyConstraint():
            for part in tree.parts:
                yield from constraints_of(part)
        case _:
            assert_never(tree)


def parts_of(query: Query | None) -> Iterator[Part]:
    """Yields the literals and conditions of a query from left to right."""
    match query:
        case None:
            return
        case Conjunction() | Disjunction():
            for each in query.queries:
                yield from parts_of(each)
        case _:
            yield query
