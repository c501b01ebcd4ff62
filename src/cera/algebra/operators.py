"""The operators of CERA as immutable nodes that check their schema when they are built (seed 000 section 3.2).

An expression that exists is well formed: a node refuses inputs that the papers do not define it on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from cera.algebra.schema import MERGED, STREAM, Schema, SchemaError
from cera.model.events.event import Recipient
from cera.model.expressions import expression as expressions
from cera.model.expressions.constructs import Construct
from cera.model.expressions.expression import Expression as Condition
from cera.model.expressions.expression import TimerQuery
from cera.model.matching import patterns
from cera.model.matching.patterns import Pattern
from cera.model.tags import added_later, tagged
from cera.model.time.bounded_windows import Bounds
from cera.model.time.containment import Containment
from cera.model.time.durations import Duration
from cera.model.time.interval import Time
from cera.model.time.periodic_windows import Period, checked_period
from cera.rules.earliest import Earliest
from cera.rules.settlements import Settlement, settles_answers


class _Checked:
    """A node whose schema is computed, and so checked, on construction."""

    @cached_property
    def schema(self) -> Schema:
        raise NotImplementedError  # every operator defines its own

    def __post_init__(self) -> None:
        _ = self.schema


@tagged("Stream")
@dataclass(frozen=True)
class Stream(_Checked):
    """A basic stream: the incoming events E."""

    name: str = "E"

    @cached_property
    def schema(self) -> Schema:
        return STREAM


@tagged("Reference")
@dataclass(frozen=True)
class Reference(_Checked):
    """The relation of a materialization point of the plan."""

    name: str
    relation: Schema = STREAM

    @cached_property
    def schema(self) -> Schema:
        return self.relation


@tagged("Matching")
@dataclass(frozen=True)
class Matching(_Checked):
    """Q[i: q](R): a tuple for each event of R and answer of q on it; sch = {i.begin, i.end, i.ref} ∪ FreeVars(q)."""

    identifier: str
    pattern: Pattern
    source: Expression

    @cached_property
    def schema(self) -> Schema:
        _require(self.source.schema == STREAM, f"Q[{self.identifier}] matches events, and its input is no stream")
        own = frozenset({self.identifier})
        return Schema(patterns.bound_variables(self.pattern) | patterns.optional_variables(self.pattern), own, own)


@tagged("RelativeTimers")
@dataclass(frozen=True)
class RelativeTimers(_Checked):
    """X[i: kind[j, d]](R): the timer event of every event of R; sch = {i.begin, i.end, i.ref, j.ref} (Fig. 3)."""

    identifier: str
    kind: str
    anchor: str
    duration: Duration
    source: Expression = Stream()

    @cached_property
    def schema(self) -> Schema:
        return Schema(frozenset(), frozenset({self.identifier}), frozenset({self.identifier, self.anchor}))


@tagged("PeriodicWindows")
@dataclass(frozen=True)
class PeriodicWindows(_Checked):
    """W[i: length/slide@origin ⊒ j1, …, jn](R): for every n events of R the windows that contain all of them.

    sch = {i.begin, i.end, i.ref, j1.ref, …, jn.ref}. As a relative timer, a window is an event that follows from
    others, and is joined to the rows of these. The lengths are in microseconds.
    """

    identifier: str
    length: int
    slide: int
    origin: Time
    over: tuple[str, ...]
    source: Expression = Stream()
    #: Whether no answer waits for its end.
    auxiliary: bool = added_later("auxiliary", False)

    @property
    def period(self) -> Period:
        return Period(self.length, self.slide, self.origin)

    @cached_property
    def schema(self) -> Schema:
        checked_period(*self.period)
        _require(bool(self.over), f"W[{self.identifier}] has windows around nothing")
        return Schema(frozenset(), frozenset({self.identifier}), frozenset({self.identifier, *self.over}))


@tagged("BoundedWindows")
@dataclass(frozen=True)
class BoundedWindows(_Checked):
    """W[i: [f, g]](R): for the events that f and g are relative to, the window between these times.

    sch = {i.begin, i.end, i.ref, j1.ref, …, jn.ref}; j1, …, jn may be timers and windows.
    """

    identifier: str
    bounds: Bounds
    source: Expression = Stream()
    #: Whether no answer waits for its end.
    auxiliary: bool = added_later("auxiliary", False)

    @property
    def over(self) -> tuple[str, ...]:
        return self.bounds.identifiers

    @cached_property
    def schema(self) -> Schema:
        return Schema(frozenset(), frozenset({self.identifier}), frozenset({self.identifier, *self.over}))


@tagged("AbsoluteTimers")
@dataclass(frozen=True)
class AbsoluteTimers(_Checked):
    """Q[i: timer:NAME{{…}}]: the basic stream of an absolute timer, matched (ERR-16)."""

    identifier: str
    timer: TimerQuery

    @cached_property
    def schema(self) -> Schema:
        own = frozenset({self.identifier})
        return Schema(patterns.variables(self.timer.pattern), own, own)


@tagged("Relation")
@dataclass(frozen=True)
class Relation(_Checked):
    """Q[r: q](name): an answer of q for each row of a relation, which has no times; sch = FreeVars(q).

    It stands to the right of a join, which looks its rows up. With `at`, only rows that are valid at the last end of
    these events of the left side. A relation that is `refreshed` has other rows as time goes on: those of that end too.
    """

    identifier: str
    pattern: Pattern
    name: str
    at: tuple[str, ...] = ()
    refreshed: bool = added_later("refreshed", False)

    @cached_property
    def schema(self) -> Schema:
        return Schema(patterns.bound_variables(self.pattern) | patterns.optional_variables(self.pattern))


@tagged("Join")
@dataclass(frozen=True)
class Join(_Checked):
    """R ⋈ S: the pairs that agree on all shared attributes; keeps the times of both.

    With `earliest`, rows of R are not needed which differ in one event alone from another one, whose event ends before.
    An engine may leave them out: what stands above the join does.
    """

    left: Expression
    right: Expression
    earliest: Earliest | None = added_later("earliest", None)

    @cached_property
    def schema(self) -> Schema:
        if isinstance(self.right, Relation):
            unknown = frozenset(self.right.at) - self.left.schema.intervals
            _require(not unknown, f"⋈ looks rows up at the end of {_names(unknown)}, which its left side does not have")
        return self.left.schema | self.right.schema


@tagged("Selection")
@dataclass(frozen=True)
class Selection(_Checked):
    """σ[c](R): the tuples on which the condition holds."""

    condition: Condition
    input: Expression

    @cached_property
    def schema(self) -> Schema:
        schema = self.input.schema
        missing = expressions.variables(self.condition) - schema.data
        _require(not missing, f"σ uses {_names(missing)}, which its input does not have")
        unknown = expressions.event_references(self.condition) - schema.intervals
        _require(not unknown, f"σ uses the times of {_names(unknown)}, which its input does not have")
        return schema


@tagged("Projection")
@dataclass(frozen=True)
class Projection(_Checked):
    """π[X](R): keeps the named data attributes, and all times and references."""

    attributes: frozenset[str]
    input: Expression

    @cached_property
    def schema(self) -> Schema:
        schema = self.input.schema
        discarded = schema.attributes - self.attributes
        kept = discarded & (schema.time_attributes | schema.reference_attributes)
        _require(not kept, f"π may discard data only, not {_names(kept)}")
        missing = self.attributes - schema.attributes
        _require(not missing, f"π keeps {_names(missing)}, which its input does not have")
        return replace(schema, data=schema.data & self.attributes)


@tagged("TemporalJoin")
@dataclass(frozen=True)
class TemporalJoin(_Checked):
    """R ⋈_{i⊒j} S: pairs that agree on shared attributes with r.i.begin <= s.j.begin and s.j.end <= r.i.end (Def. 0.1).

    j's times and reference are dropped. `excluded` names references of R that s may not be (ERR-05). With `counted`,
    each event of S behind a tuple counts as a match of its own (ERR-07). Where states take part, `containment` says
    when j lies in i; S may then have the opening of the state beside j, so that it holds what is in an open state only.
    """

    window: str
    element: str
    left: Expression
    right: Expression
    excluded: frozenset[str] = frozenset()
    condition: tuple[Condition, ...] = ()
    counted: bool = True
    containment: Containment = added_later("containment", "inside")

    @cached_property
    def schema(self) -> Schema:
        _accumulates(self, "⋈")
        matches = frozenset({self.element}) if self.counted else frozenset[str]()
        return self.left.schema | Schema(self.right.schema.data, matches=matches)


@tagged("AntiSemiJoin")
@dataclass(frozen=True)
class AntiSemiJoin(_Checked):
    """R ▷_{i⊒j} S: the tuples of R without a partner of S inside the window (Def. 0.2)."""

    window: str
    element: str
    left: Expression
    right: Expression
    excluded: frozenset[str] = frozenset()
    condition: tuple[Condition, ...] = ()
    containment: Containment = added_later("containment", "inside")

    @cached_property
    def schema(self) -> Schema:
        _accumulates(self, "▷")
        return self.left.schema


@tagged("Gathering")
@dataclass(frozen=True)
class Gathering(_Checked):
    """Γ[v1 ← j1, …, vn ← jn](R): the times and the reference of each ji become the match attribute vi.match.

    Tuples that differ in these events only are then of one event trace, and its matches, as those that ⋈_{i⊒j} finds
    in a window. `pairs` are (v, j); matches are compared in their order, and by those of R after them. With `counted`,
    each combination of gathered events counts as a match of its own (ERR-07). What is `dropped` is no match either:
    windows that conditions were about.
    """

    pairs: tuple[tuple[str, str], ...]
    input: Expression
    counted: bool = True
    dropped: frozenset[str] = added_later("dropped", frozenset())

    @property
    def identifiers(self) -> frozenset[str]:
        return frozenset(identifier for _, identifier in self.pairs)

    @cached_property
    def schema(self) -> Schema:
        schema, gathered = self.input.schema, self.identifiers | self.dropped
        _require(gathered <= schema.intervals & schema.references, "Γ gathers what its input does not have")
        matches = frozenset(name for name, _ in self.pairs) if self.counted else frozenset[str]()
        _require(not matches & schema.matches, "Γ: the name of a match is taken")
        return Schema(schema.data, schema.intervals - gathered, schema.references - gathered, schema.matches | matches)


@tagged("Merging")
@dataclass(frozen=True)
class Merging(_Checked):
    """μ[[begin, end] ← j1 ⊔ … ⊔ jn](R): one interval, the hull of the named ones, in their place (Def. 0.3).

    It does not end before the `openings` of states, and begins with the last of them if there is nothing else.
    """

    identifiers: tuple[str, ...]
    input: Expression
    openings: tuple[str, ...] = added_later("openings", ())

    @cached_property
    def schema(self) -> Schema:
        schema = self.input.schema
        merged = frozenset((*self.identifiers, *self.openings))
        missing = merged - schema.intervals
        _require(bool(merged), "μ needs at least one interval")
        _require(not missing, f"μ merges {_names(missing)}, which its input does not have")  # ERR-03
        return replace(schema, intervals=schema.intervals - merged | {MERGED})


@tagged("Renaming")
@dataclass(frozen=True)
class Renaming(_Checked):
    """ρ[a' ← a, …](R): other names for attributes (Def. 0.4). Times are renamed in pairs, by their identifier.

    `identifiers` and `variables` are pairs (new, old); an identifier stands for its begin, its end and its reference.
    """

    identifiers: tuple[tuple[str, str], ...]
    variables: tuple[tuple[str, str], ...]
    input: Expression

    @cached_property
    def schema(self) -> Schema:
        schema = self.input.schema
        for new, old in self.variables:
            _require("." not in new, f"ρ: the data attribute {old} cannot become {new}, a time or a reference")
        return Schema(
            _renamed(schema.data, self.variables, schema.data),
            _renamed(schema.intervals, self.identifiers, schema.intervals | schema.references),
            _renamed(schema.references, self.identifiers, schema.intervals | schema.references),
            schema.matches,
        )


@tagged("Construction")
@dataclass(frozen=True)
class Construction(_Checked):
    """C[h](R): derived events. R has one interval; groups by references and times first, then as the head says.

    `causes` says which reference of R each identifier of the rule's body is, after renamings. The events of a `traced`
    rule carry the ids and times of these (`cera.model.events.traces`). Those of a `momentary` rule happen at the end.
    `settlements` change no event, but say when some are certain before their end. Derivations call the rule by its
    title: what it is `called`, or else its name.
    """

    rule: str
    head: Construct
    input: Expression
    causes: tuple[tuple[str, str], ...] = ()
    recipient: Recipient | None = None
    traced: bool = added_later("traced", False)
    momentary: bool = added_later("momentary", False)
    settlements: tuple[Settlement, ...] = added_later("settlements", ())
    called: str | None = added_later("called", None)

    @property
    def title(self) -> str:
        return self.rule if self.called is None else self.called

    @property
    def may_be_early(self) -> bool:
        """Whether answers may be certain before their end."""
        return any(map(settles_answers, self.settlements))

    @cached_property
    def schema(self) -> Schema:
        unbound = {name for each in self.settlements for name in each.by} - self.input.schema.data
        _require(not unbound, f"C is settled by {_names(unbound)}, which its input does not have")
        intervals = self.input.schema.intervals
        _require(intervals == {MERGED}, f"C needs the one interval [begin, end], and its input has {_names(intervals)}")
        missing = {name for _, name in self.causes} - self.input.schema.references
        _require(not missing, f"C traces {_names(missing)}, which its input does not have")
        return STREAM


@tagged("Union")
@dataclass(frozen=True)
class Union(_Checked):
    """R1 ∪ … ∪ Rn. What an input lacks is ⊥ in its tuples, so that the branches of an `or` can be united (ERR-18)."""

    inputs: tuple[Expression, ...]

    @cached_property
    def schema(self) -> Schema:
        _require(bool(self.inputs), "a union has at least one input")
        intervals = {relation.schema.intervals for relation in self.inputs}
        _require(len(intervals) == 1, "the inputs of a union have the same time attributes")
        schema = self.inputs[0].schema
        for relation in self.inputs[1:]:
            schema |= relation.schema
        return schema


Expression = (
    Stream
    | Reference
    | Matching
    | RelativeTimers
    | PeriodicWindows
    | BoundedWindows
    | AbsoluteTimers
    | Relation
    | Join
    | Selection
    | Projection
    | TemporalJoin
    | AntiSemiJoin
    | Gathering
    | Merging
    | Renaming
    | Construction
    | Union
)


#: How elements may be in a window where they stand beside the opening of the state that it is, or lies in.
BESIDE_OPENINGS: frozenset[Containment] = frozenset(("in-state", "sharing", "common"))

#: What follows from the rows that it is joined to: R ⋈ X and R ⋈ W have the rows of R with more events.
FollowingEvents = RelativeTimers | PeriodicWindows | BoundedWindows


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise SchemaError(message)


def _names(names: frozenset[str] | set[str]) -> str:
    return ", ".join(sorted(name or "[begin, end]" for name in names))


def _accumulates(operator: TemporalJoin | AntiSemiJoin, symbol: str) -> None:
    """Checks the restrictions of Defs. 0.1 and 0.2, with equality for the times of S in both (ERR-11)."""
    left, right = operator.left.schema, operator.right.schema
    name = f"{symbol}[{operator.window} ⊒ {operator.element}]"
    _require(operator.window in left.intervals, f"{name}: {operator.window} is no interval of the left side")
    alone = right.intervals == {operator.element}
    beside_an_opening = operator.containment in BESIDE_OPENINGS and operator.element in right.intervals
    _require(alone or beside_an_opening, f"{name}: the right side has the times of {operator.element} only")
    _require(operator.excluded <= left.references, f"{name} excludes what is no reference of the left side")


def _renamed(names: frozenset[str], pairs: tuple[tuple[str, str], ...], existing: frozenset[str]) -> frozenset[str]:
    for new, old in pairs:
        _require(old in existing, f"ρ renames {old}, which its input does not have")
        _require(new not in existing, f"ρ: the name {new} is taken")
    new_names = {old: new for new, old in pairs}
    return frozenset(new_names.get(name, name) for name in names)


def inputs(expression: Expression) -> tuple[Expression, ...]:
    """Returns the expressions directly below this one."""
    match expression:
        case Stream() | Reference() | AbsoluteTimers() | Relation():
            return ()
        case Matching() | RelativeTimers() | PeriodicWindows() | BoundedWindows():
            return (expression.source,)
        case Join() | TemporalJoin() | AntiSemiJoin():
            return (expression.left, expression.right)
        case Selection() | Projection() | Gathering() | Merging() | Renaming() | Construction():
            return (expression.input,)
        case Union():
            return expression.inputs


def rebuild(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Returns the same node over changed inputs; the same object if nothing changed."""
    old = inputs(expression)
    new = tuple(change(part) for part in old)
    if all(a is b for a, b in zip(old, new, strict=True)):
        return expression
    match expression:
        case Stream() | Reference() | AbsoluteTimers() | Relation():
            return expression
        case Matching() | RelativeTimers() | PeriodicWindows() | BoundedWindows():
            return replace(expression, source=new[0])
        case Join() | TemporalJoin() | AntiSemiJoin():
            return replace(expression, left=new[0], right=new[1])
        case Selection() | Projection() | Gathering() | Merging() | Renaming() | Construction():
            return replace(expression, input=new[0])
        case Union():
            return replace(expression, inputs=new)


def walk(expression: Expression) -> Iterator[Expression]:
    """Yields this expression and all below it, the topmost first."""
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += reversed(inputs(part))
