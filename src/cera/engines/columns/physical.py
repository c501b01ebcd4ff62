"""Physical plans over columns: what is left to decide is which rows there are.

A node stands for a relation of the algebra. It is evaluated for a batch of events as a whole, by `evaluation`.
"""

from __future__ import annotations

from dataclasses import dataclass

from cera.model.expressions.expression import Expression as Condition
from cera.model.terms.values import Scalar
from cera.model.time.durations import Duration


@dataclass(frozen=True)
class Scan:
    """Q[i: label{{name{{var X}}, …}}](E ∪ R1 ∪ …): the events of a label that have these children, each once."""

    identifier: str
    label: str
    #: The variables, and the child whose value each is bound to.
    variables: tuple[tuple[str, str], ...]
    #: The children that have a given value, and those that only have to be there.
    constants: tuple[tuple[str, Scalar], ...]
    present: tuple[str, ...]
    #: The number of children, where a pattern is total.
    total: int | None
    #: The points of rules that derive events with this label, which are scanned too.
    derived: tuple[str, ...] = ()


@dataclass(frozen=True)
class Shared:
    """The relation of a materialization point."""

    name: str


@dataclass(frozen=True)
class Filter:
    """σ[c](R)."""

    condition: Condition
    input: Node


@dataclass(frozen=True)
class Projected:
    """π[X](R): keeps these variables."""

    variables: frozenset[str]
    input: Node


@dataclass(frozen=True)
class Renamed:
    """ρ(R): pairs (new, old)."""

    identifiers: tuple[tuple[str, str], ...]
    variables: tuple[tuple[str, str], ...]
    input: Node


@dataclass(frozen=True)
class Span:
    """The limits of two ends: `right` ends at most `before` microseconds before and `after` after the end of `left`."""

    left: str
    right: str
    before: int
    after: int


@dataclass(frozen=True)
class Pairs:
    """σ[c1](…σ[cn](R ⋈ S)): pairs with equal shared variables, by sorted keys and ends, in pieces of bounded size."""

    left: Node
    right: Node
    shared: tuple[str, ...]
    span: Span | None
    #: The innermost condition first.
    conditions: tuple[Condition, ...]
    #: Whether one event may meet combinations of others, of which there is a limit.
    limited: bool


@dataclass(frozen=True)
class Timed:
    """R ⋈ X[i: kind[j, d]](E): the rows of R with a timer each, if it happens."""

    identifier: str
    kind: str
    anchor: str
    duration: Duration
    input: Node


@dataclass(frozen=True)
class Window:
    """What lies in the window of a row of R: rows of S with equal shared variables, and not those `excluded`."""

    window: str
    element: str
    right: Node
    shared: tuple[str, ...]
    excluded: tuple[str, ...]
    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class Absence:
    """R ▷_{i⊒j} S: the rows of R whose window is empty."""

    left: Node
    window: Window


Node = Scan | Shared | Filter | Projected | Renamed | Pairs | Timed | Absence


@dataclass(frozen=True)
class Folded:
    """The value of an aggregate over what a window holds."""

    function: str
    variable: str


#: A value of a head: an expression over the row, or an aggregate over its window.
HeadValue = Condition | Folded


@dataclass(frozen=True)
class Answers:
    """C[label{name{value}, …}](μ(R)), or over R ⋈_{i⊒j} S: an event for each row of R (whose window is not empty)."""

    rule: str
    label: str
    #: The children by their labels, in the order of these.
    children: tuple[tuple[str, HeadValue], ...]
    input: Node
    window: Window | None
    #: The events whose hull is the interval of an answer.
    merged: tuple[str, ...]
    causes: tuple[tuple[str, str], ...]
    momentary: bool


@dataclass(frozen=True)
class Results:
    """The events that a rule derives, by each of its branches."""

    answers: tuple[Answers, ...]
    #: Whether other rules read them, so that those of earlier batches are needed again.
    read: bool


@dataclass(frozen=True)
class PhysicalPlan:
    """The materialization points in their order, each of which reads only those before it."""

    points: tuple[tuple[str, Node | Results], ...]
    #: The labels of the events that are scanned.
    labels: frozenset[str]
    #: How long an event matters after its end, in microseconds; None: for good.
    horizon: int | None
    answer_limit: int
