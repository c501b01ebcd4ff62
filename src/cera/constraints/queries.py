"""Queries of constraints: literals, timers, windows and conditions (seed 002, sections 7.3 and 7.5).

An identifier is an event reference of the model, both where it is declared and where it is used.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as OneOf

from cera.constraints.specification import Specification
from cera.diagnostics import Span
from cera.model.expressions.atoms import Atom, Window
from cera.model.expressions.expression import Comparison, EventReference, Temporal
from cera.model.tags import added_later, tagged
from cera.model.time.durations import Duration

Kind = OneOf["event", "state", "relation"]
CombinationOperator = OneOf["each", "any", "intersection", "union", "cover-each", "cover-all"]
COMBINATIONS: tuple[CombinationOperator, ...] = (
    *("each", "any", "intersection", "union"),
    *("cover-each", "cover-all"),
)
Direction = OneOf["south", "north", "east", "west", "south-east", "south-west", "north-east", "north-west"]
Place = OneOf["room", "area"]


@tagged("Combination")
@dataclass(frozen=True)
class Combination:
    """`cover-all{i, j}`: the interval or the intervals that others make together.

    `of_modules` is the intersection of the times of modules in modules: where there is none, nothing is said.
    """

    operator: CombinationOperator
    identifiers: tuple[EventReference, ...]
    span: Span | None = field(default=None, compare=False, repr=False)
    of_modules: bool = added_later("of_modules", False)


#: The time in which a literal is evaluated.
ValidityTime = EventReference | Combination


@tagged("ConstraintLiteral")
@dataclass(frozen=True)
class Literal:
    """`while i: exists >= 3 event j: p(X) group-by {X}`, `not p(X)`: events, states or rows, and how many.

    A literal that is not counted needs one. Without a kind the label says which it is.
    """

    atom: Atom
    kind: Kind | None = None
    identifier: EventReference | None = None
    time: ValidityTime | None = None
    count: Specification | None = None
    negated: bool = False
    group_by: tuple[str, ...] | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("Membership")
@dataclass(frozen=True)
class Membership:
    """`while s: exists = 1 i`, `while s: i`: whether something that has an identifier already lies in a time."""

    identifier: EventReference
    time: ValidityTime | None = None
    count: Specification | None = None
    negated: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("ConstraintTimer")
@dataclass(frozen=True)
class TimerLiteral:
    """`event t: from-end[i, 1h]`: a time relative to something else. The kind is that of what it is relative to."""

    timer: str
    anchor: EventReference | Literal
    duration: Duration
    kind: Kind | None = None
    identifier: EventReference | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("ConstraintWindow")
@dataclass(frozen=True)
class WindowLiteral:
    """`w: Range 3h Slide 1h`."""

    window: Window
    identifier: EventReference | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("HullLiteral")
@dataclass(frozen=True)
class HullLiteral:
    """`event i: cover-all{j, k}`: the hull of others, which is the time of an event that a local definition derives."""

    identifier: EventReference
    combination: Combination
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("Spread")
@dataclass(frozen=True)
class Spread:
    """`{i, j} within max 1 min`: the length of the hull."""

    identifiers: tuple[EventReference, ...]
    duration: Specification
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("Gap")
@dataclass(frozen=True)
class Gap:
    """`{i, j} apart-by min 1 min`: the time between neighbours."""

    identifiers: tuple[EventReference, ...]
    duration: Specification
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("Quantity")
@dataclass(frozen=True)
class Quantity:
    """`min 1 event: bid(itemID(I))`: how many, and of what."""

    count: Specification
    literal: Literal
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("AllQuantities")
@dataclass(frozen=True)
class AllQuantities:
    parts: tuple[Quantities, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("AnyQuantity")
@dataclass(frozen=True)
class AnyQuantity:
    parts: tuple[Quantities, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


Quantities = Quantity | AllQuantities | AnyQuantity


@tagged("GapContent")
@dataclass(frozen=True)
class GapContent:
    """`{i, j} apart-by no event: bid(itemID(I))`: what happens between neighbours."""

    identifiers: tuple[EventReference, ...]
    quantities: Quantities
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("Directed")
@dataclass(frozen=True)
class Directed:
    """`j south of i`."""

    left: EventReference
    direction: Direction
    right: EventReference
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("SentFrom")
@dataclass(frozen=True)
class SentFrom:
    """`{i, j} sent from the same room`, `… neighbour rooms`, `… "platform 2"`."""

    identifiers: tuple[EventReference, ...]
    relation: OneOf["same", "neighbour", "named"]
    #: The kind of place, or its name.
    place: str
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("Apart")
@dataclass(frozen=True)
class Apart:
    """`{i, j} apart-by max 100 m`: the distance of any two."""

    identifiers: tuple[EventReference, ...]
    distance: Specification
    span: Span | None = field(default=None, compare=False, repr=False)


SpatialCondition = Directed | SentFrom | Apart
Condition = Comparison | Temporal | Spread | Gap | GapContent | SpatialCondition
#: What a conjunction consists of.
Part = Literal | Membership | TimerLiteral | WindowLiteral | HullLiteral | Condition


@tagged("QueryConjunction")
@dataclass(frozen=True)
class Conjunction:
    """`q and r`, as it was nested."""

    queries: tuple[Query, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("QueryDisjunction")
@dataclass(frozen=True)
class Disjunction:
    """`q or r`, as it was nested."""

    queries: tuple[Query, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


Query = Part | Conjunction | Disjunction
