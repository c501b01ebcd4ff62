"""Physical plans of Spark over recorded events: all that is decided before a DataFrame is made.

A node stands for a relation of the algebra, or for the events of a rule. `lowering` makes plans, for which it has to
know the columns of tables and not their rows; `emission` has a line or two for a node, and `explaining` prints them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from cera.algebra.operators import (
    AbsoluteTimers,
    AntiSemiJoin,
    BoundedWindows,
    Construction,
    Gathering,
    Join,
    PeriodicWindows,
    Projection,
    Relation,
    RelativeTimers,
    Renaming,
    Selection,
    TemporalJoin,
)
from cera.engines.spark.plan.joins import JoinWay
from cera.engines.spark.plan.patterns import TableMatch
from cera.engines.spark.plan.sides import Side
from cera.engines.spark.plan.sliding import SlidingWindow


@dataclass(frozen=True)
class Match:
    """Q[i: q](R): the matches in each table that may have some."""

    identifier: str
    tables: tuple[TableMatch, ...]


@dataclass(frozen=True)
class Ticks:
    """Q[i: timer](E): the matches in the occurrences of an absolute timer, which are there when Spark runs."""

    operator: AbsoluteTimers
    match: TableMatch | None


@dataclass(frozen=True)
class Shared:
    """The rows of a materialization point."""

    point: str


@dataclass(frozen=True)
class Timed:
    """R ⋈ X[i: kind[j, d]]: the rows with the times of a timer, if it happens."""

    operator: RelativeTimers
    input: Node


@dataclass(frozen=True)
class ClockWindowed:
    """R ⋈ W[i: p ⊒ j1, …]: the rows with each window of a period around some of their events."""

    operator: PeriodicWindows
    input: Node


@dataclass(frozen=True)
class BoundedWindowed:
    """R ⋈ W[i: [f, g]]: the rows with the window between two times, if it happens."""

    operator: BoundedWindows
    input: Node


@dataclass(frozen=True)
class Lookup:
    """R ⋈ T: the rows with what they find in a relation."""

    join: Join
    relation: Relation
    way: JoinWay
    left: Node
    right: Match


@dataclass(frozen=True)
class Pairs:
    """R ⋈ S."""

    operator: Join
    way: JoinWay
    left: Node
    right: Node


@dataclass(frozen=True)
class Filter:
    """σ[c](R). `certain` are the variables that have values in every row, if rows without a value are counted."""

    operator: Selection
    input: Node
    certain: frozenset[str] | None = None


@dataclass(frozen=True)
class Project:
    """π[X](R)."""

    operator: Projection
    input: Node


@dataclass(frozen=True)
class Gather:
    """Γ(R)."""

    operator: Gathering
    input: Node


@dataclass(frozen=True)
class Rename:
    """ρ(R)."""

    operator: Renaming
    input: Node


@dataclass(frozen=True)
class Unite:
    """R1 ∪ …."""

    inputs: tuple[Node, ...]


@dataclass(frozen=True)
class Inside:
    """R ⋈_{i⊒j} S: what lies in the windows of R."""

    operator: TemporalJoin
    way: JoinWay
    left: Node
    right: Node


@dataclass(frozen=True)
class Absence:
    """R ▷_{i⊒j} S: the rows of R without anything in their windows."""

    operator: AntiSemiJoin
    way: JoinWay
    left: Node
    right: Node


@dataclass(frozen=True)
class AbsenceOfFew:
    """R ▷_{i⊒j} S where R has few rows, one for each `anchor`: these are broadcast, and S stays where it is."""

    operator: AntiSemiJoin
    way: JoinWay
    anchor: str
    left: Node
    right: Side


Node = (
    Match
    | Ticks
    | Shared
    | Timed
    | ClockWindowed
    | BoundedWindowed
    | Lookup
    | Pairs
    | Filter
    | Project
    | Gather
    | Rename
    | Unite
    | Inside
    | Absence
    | AbsenceOfFew
)


@dataclass(frozen=True)
class Derive:
    """C[h](R): an event for each row, or for each group of rows. `certain` variables have a value in every row.

    `in_python` is why columns cannot build the head, `joined` why the window that is collected does not slide.
    """

    construction: Construction
    certain: frozenset[str]
    input: Node
    grouped: bool
    in_python: str | None = None
    joined: str | None = None


@dataclass(frozen=True)
class Slide:
    """C[h](R ⋈_{i⊒j} S): aggregates of what lies around each event of sorted ones; nothing is joined.

    What is `moved` is folded in NumPy, what is not by Spark.
    """

    construction: Construction
    certain: frozenset[str]
    window: SlidingWindow
    moved: bool


Root = Derive | Slide


@dataclass(frozen=True)
class PhysicalPoint:
    """A materialization point: its rows, or the events of its rule, for each body. Rules of a cycle run together."""

    name: str
    roots: tuple[Root | Node, ...]
    recursive: bool = False


def inputs(node: Root | Node) -> tuple[Node, ...]:
    """Returns the nodes that a node gets its rows from."""
    match node:
        case Match() | Ticks() | Shared() | Slide():
            return ()
        case Timed() | ClockWindowed() | BoundedWindowed() | Filter() | Project() | Gather() | Rename() | Derive():
            return (node.input,)
        case AbsenceOfFew():
            return (node.left,)
        case Lookup() | Pairs() | Inside() | Absence():
            return (node.left, node.right)
        case Unite():
            return node.inputs
        case _:
            assert_never(node)
