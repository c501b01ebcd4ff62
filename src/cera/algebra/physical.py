"""Physical plans of the event-by-event engine: all that is decided before a line of it is written or an event taken.

A node stands for the new rows of a relation of the algebra, one after the other. Rows have their values at positions,
what is remembered of them is in stores, and rows that wait for the end of a step, or of a timer, are in slots. Slots
are finished in the order of their numbers, so that a slot comes after those that give rows to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import assert_never

from cera.algebra.layouts import Layout
from cera.algebra.operators import AntiSemiJoin, Construction, Relation, TemporalJoin
from cera.algebra.reach import Reach
from cera.model.expressions.expression import Expression as Condition
from cera.model.expressions.expression import TimerQuery
from cera.model.matching.patterns import Pattern
from cera.model.time.bounded_windows import Bounds
from cera.model.time.durations import Duration
from cera.model.time.periodic_windows import Period
from cera.model.time.timers import Edge
from cera.rules.analysis.unification import head_label, query_label
from cera.rules.rule import Semantics
from cera.rules.settlements import ClosingEvent, RefutingEvent, Settlement


@dataclass(frozen=True)
class Store:
    """What is remembered of some rows, by the values of a key."""

    number: int
    #: The events of a row, and the variables of the key.
    of: tuple[str, ...]
    key: tuple[str, ...]
    #: How long a row is kept past its end; None: always.
    horizon: int | None
    #: How many windows look into it, and the columns that some of them sum up.
    windows: int = 0
    summed: frozenset[int] = frozenset()
    #: The columns of openings: a row is not needed once its state has been over for longer than that.
    with_state: Mapping[int, int] = field(default_factory=dict)
    #: The label of openings of which one must be open that has begun before a row was known; or before the state of the
    #: opening in a column has ended.
    with_open: tuple[str, int | None] | None = None


@dataclass(frozen=True)
class Match:
    """Q[i: q](E): the rows of events that match; `label` is None if that of an event does not matter."""

    label: str | None
    identifier: str
    pattern: Pattern


@dataclass(frozen=True)
class Ticks:
    """X[i: timer](E): the occurrences of an absolute timer."""

    identifier: str
    timer: TimerQuery


@dataclass(frozen=True)
class Shared:
    """The rows of a materialization point."""

    point: str


@dataclass(frozen=True)
class Pick:
    """The row with other columns: those at some positions, None where there is no position."""

    positions: tuple[int | None, ...]
    input: Node


@dataclass(frozen=True)
class Filter:
    """σ[c1 ∧ …](R): the innermost condition comes first."""

    conditions: tuple[Condition, ...]
    layout: Layout
    input: Node


@dataclass(frozen=True)
class Timer:
    """R ⋈ X[i: kind[j, d]]: the row with its timer, if that happens. `of_state`: the timer is the state that the anchor
    has opened, as long as it holds.
    """

    identifier: str
    kind: str
    duration: Duration
    anchor: int
    input: Node
    of_state: bool = False


@dataclass(frozen=True)
class ClockWindows:
    """R ⋈ W[i: p ⊒ j1, …]: the row with each window of a period around its events at some positions."""

    identifier: str
    period: Period
    over: tuple[int, ...]
    input: Node

    @property
    def is_tumbling(self) -> bool:
        """Whether one window begins where another ends, so that a row has one at most."""
        return self.period.length == self.period.slide


@dataclass(frozen=True)
class BoundedWindow:
    """R ⋈ W[i: [f, g]]: the row with the window between two times, if that happens."""

    identifier: str
    bounds: Bounds
    positions: tuple[tuple[str, int], ...]
    input: Node


@dataclass(frozen=True)
class Wait:
    """Rows that wait in a slot for the end of the step, and before that until the events at `timers` have ended.

    With `settlements`, they may be finished before.
    """

    slot: int
    timers: tuple[int, ...]
    layout: Layout
    settlements: tuple[Settlement, ...]
    #: Whether a row waits for one periodic window, and so for the end of it.
    of_one_window: bool
    input: Node
    #: The places of the state for whose end a row waits, and of its opening.
    state: tuple[int, int] | None = None


@dataclass(frozen=True)
class Lookup:
    """R ⋈ Q[r: q](name): the row with each answer of a relation; behind a `Wait`, of the version that counts then."""

    relation: Relation
    #: The columns of the relation, and the variables that both have.
    variables: tuple[str, ...]
    shared: tuple[str, ...]
    key: tuple[int, ...]
    at: tuple[int, ...]
    new: tuple[int, ...]
    input: Node | Wait


@dataclass(frozen=True)
class First:
    """The rows whose event at a position is the first one of its group. `others` are the other events of a group, None
    if the store is that of the join; with a period, a group is of the same windows.
    """

    store: int
    data: tuple[int, ...]
    others: tuple[int, ...] | None
    event: int
    edge: Edge
    period: Period | None


@dataclass(frozen=True)
class Side:
    """A side of a join. Its rows are stored for later ones of the other side; None if they could never meet any."""

    input: Node
    layout: Layout
    store: int | None
    key: tuple[int, ...]
    #: The number of events that a row consists of.
    events: int
    #: How far a row of this side reaches into the store of the other side.
    reach: Reach
    #: The label of the openings of states that the other side consists of, if a row is of no use without one.
    gate: str | None
    #: Which rows of this side are needed at all.
    first: First | None
    #: Whether a row is a single event, and the only one that those of the other side can meet.
    is_only_partner: bool


@dataclass(frozen=True)
class Pairs:
    """R ⋈ S: a new row of each side meets those known of the other. `new` are the columns that the right side adds."""

    rule: str
    left: Side
    right: Side
    new: tuple[int, ...]


@dataclass(frozen=True)
class Window:
    """What lies in the window of a row: the rows of a store with the same key. Several may share the store."""

    operator: TemporalJoin | AntiSemiJoin
    left: Layout
    right: Layout
    store: int
    #: The rows to store, by their columns `key`; None if another window does that.
    input: Node | None
    key: tuple[int, ...]


@dataclass(frozen=True)
class Probe:
    """R ⋈_{i⊒j} S and R ▷_{i⊒j} S: the row with each row in its window, or the row if there is none.

    Rows that come out of another window have waited before it. An event in the window of a row that waits may refute it
    for good; alone in its step, it need not be stored then.
    """

    window: Window
    input: Node | Wait
    refuting: RefutingEvent | None = None


@dataclass(frozen=True)
class Recursion:
    """The rules that a rule depends on and that depend on it. `spanning` are the places of a row whose events may have
    the interval of the head and come of the same recursion.
    """

    cycle: frozenset[str]
    spanning: tuple[int, ...]


@dataclass(frozen=True)
class Head:
    """C[h](μ(R1) ∪ …): what makes events of finished rows."""

    construction: Construction
    layout: Layout
    recursion: Recursion | None
    #: Whether lines are written that make the event of one row, or of one window, by itself.
    written: bool


@dataclass(frozen=True)
class Derive:
    """The events that a head makes of all rows of a slot."""

    head: Head
    slot: int
    bodies: tuple[Wait, ...]


@dataclass(frozen=True)
class Collect:
    """The events that a head makes of what lies in the window of each row of a slot."""

    head: Head
    slot: int
    window: Window
    input: Wait


@dataclass(frozen=True)
class Forgetting:
    """Stores, each with the variables of its key, that forget the groups which an event says are over."""

    number: int
    closing: ClosingEvent
    stores: tuple[tuple[int, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Rule:
    """The events of a rule, and what is forgotten with others, in their order."""

    parts: tuple[Derive | Collect | Forgetting, ...]


Node = Match | Ticks | Shared | Pick | Filter | Timer | ClockWindows | BoundedWindow | Lookup | Pairs | Probe


@dataclass(frozen=True)
class Feed:
    """The events of a label, None for those of any. If nothing but one of them happens in a step, one function does all
    of it: `alone` are the slots that it finishes itself. None: more may always happen.
    """

    label: str | None
    alone: frozenset[int] | None
    #: Whether such an event does nothing but say that groups are over, so that it does not matter when it is taken.
    only_forgets: bool


@dataclass(frozen=True)
class PhysicalPlan:
    """The materialization points in their order."""

    points: tuple[tuple[str, Node | Rule], ...]
    stores: tuple[Store, ...]
    #: The number of slots.
    slots: int
    #: The labels that rules derive: an incoming event may be one that a rule derives as well. None is any label.
    derived: frozenset[str] | None
    semantics: Semantics
    answer_limit: int
    feeds: tuple[Feed, ...] = ()

    @cached_property
    def by_name(self) -> Mapping[str, Node | Rule]:
        return dict(self.points)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """All parts of all points."""
        return tuple(part for _, point in self.points for part in walk(point))

    @cached_property
    def queried(self) -> frozenset[str] | None:
        """The labels that rules query. None is any label."""
        labels = {label for part in self.parts for label, _ in queries(part)}
        return None if None in labels else frozenset(filter(None, labels))

    @cached_property
    def queries_what_it_derives(self) -> bool:
        """Whether a rule may query what another one derives."""
        return self.derived is None or self.queried is None or bool(self.derived & self.queried)

    def hears(self, construction: Construction) -> bool:
        """Returns whether some rule may query what a head derives."""
        label = head_label(construction.head)
        return construction.recipient is None and (label is None or self.queried is None or label in self.queried)


#: All that a plan consists of.
Part = Node | Wait | Rule | Derive | Collect | Forgetting


def inputs(part: Part) -> tuple[Part, ...]:
    """Returns what a part gets its rows from, in the order in which it is connected."""
    match part:
        case Match() | Ticks() | Shared() | Forgetting():
            return ()
        case Pick() | Filter() | Timer() | ClockWindows() | BoundedWindow() | Wait() | Lookup():
            return (part.input,)
        case Pairs():
            return (part.left.input, part.right.input)
        case Probe() | Collect():
            return (part.input,) if part.window.input is None else (part.window.input, part.input)
        case Derive():
            return part.bodies
        case Rule():
            return part.parts
        case _:
            assert_never(part)


def walk(part: Part) -> Iterator[Part]:
    """Yields a part and all below it."""
    yield part
    for below in inputs(part):
        yield from walk(below)


def queries(part: Part) -> list[tuple[str | None, Pattern]]:
    """Returns the patterns with which a part asks for events, each with the label of these."""
    match part:
        case Match():
            return [(part.label, part.pattern)]
        case Wait():
            patterns = [each.pattern for each in part.settlements if isinstance(each, ClosingEvent)]
            return [(query_label(pattern), pattern) for pattern in patterns]
        case Forgetting():
            return [(query_label(part.closing.pattern), part.closing.pattern)]
        case _:
            return []
