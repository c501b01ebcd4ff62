"""Clauses, the normal form of constraints: the head, a disjunction, follows from the body, a conjunction.

    V1 <= V2 <- state s: itemOffer(itemID(I)) and while s: event: bid(itemID(I), value(V1)) and …

For every substitution of the variables and identifiers of the body under which all its parts hold, one of the
alternatives of the head must hold (ERR-54). An alternative is a conjunction; variables and identifiers that only it has
are existential over the whole of it.

In a clause each literal has its kind, and unless it asks a relation a time. A literal of an absence, `not p(X)`, counts
none. A literal with a count has its group-by: the variables whose values make a group each.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cera.constraints.queries import Literal, Part
from cera.diagnostics import Span
from cera.model.tags import tagged

Alternative = tuple[Part, ...]


@tagged("DerivedPredicate")
@dataclass(frozen=True)
class DerivedPredicate:
    """What a local definition derives, where it is counted or absent, so that its body cannot take its place.

    Each of the bodies gives an event, whose time is the hull of the events of the body, or a state.
    """

    head: Literal
    bodies: tuple[tuple[Part, ...], ...]


@tagged("Clause")
@dataclass(frozen=True)
class Clause:
    """`head <- body`. `name` is that of the clause, `constraint` that of what it comes from."""

    name: str
    constraint: str
    head: tuple[Alternative, ...]
    body: tuple[Part, ...]
    definitions: tuple[DerivedPredicate, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)
