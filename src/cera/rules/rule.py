"""Normalised rules: the form that the rule languages are lowered to and every engine starts from.

A rule has a head and one or more branches: the body in disjunctive form. Each branch is a conjunction in the order of
Fig. 7 of seed 000: event queries, timers, collections, absences, conditions. A branch is kept beside the others and not
made a rule of its own, because a head with grouping groups the union of them (ERR-18).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from cera.diagnostics import Span
from cera.model.calendars.calendar_files import Calendar
from cera.model.events.answer_limits import ANSWER_LIMIT
from cera.model.events.event import Recipient
from cera.model.events.rates import Rates
from cera.model.expressions.constructs import Construct, has_grouping
from cera.model.expressions.expression import Expression, TimerQuery
from cera.model.matching import patterns
from cera.model.matching.patterns import Pattern, TermPattern
from cera.model.tags import added_later, tagged
from cera.model.time.bounded_windows import Bounds
from cera.model.time.containment import Containment
from cera.model.time.durations import Duration
from cera.model.time.interval import Time
from cera.model.time.periodic_windows import Period, checked_period
from cera.rules.declarations import Attribute, RelationDeclaration, SourceLabel, declared_attributes
from cera.rules.earliest import Earliest
from cera.rules.settlements import Settlement

Semantics = Literal["practical", "formal"]


#: What an event query asks for: an event, or the opening or the ending of a state (`cera.rules.states`).
QueryKind = Literal["event", "opening", "ending"]


@tagged("EventQuery")
@dataclass(frozen=True)
class EventQuery:
    """`event identifier: pattern`. A literal without an identifier has been given one (ERR-16)."""

    identifier: str
    pattern: Pattern
    anonymous: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)
    kind: QueryKind = added_later("kind", "event")
    #: A query that serves another literal, and is no cause of its own.
    auxiliary: bool = added_later("auxiliary", False)


@tagged("RelativeTimer")
@dataclass(frozen=True)
class RelativeTimer:
    """`event identifier: kind[anchor, duration]`, kind by its canonical name."""

    identifier: str
    kind: str
    anchor: str
    duration: Duration
    anonymous: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("AbsoluteTimer")
@dataclass(frozen=True)
class AbsoluteTimer:
    """`event identifier: timer:NAME{{…}}`."""

    identifier: str
    timer: TimerQuery
    anonymous: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


@tagged("PeriodicWindow")
@dataclass(frozen=True)
class PeriodicWindow:
    """A window `[origin + k*slide, origin + k*slide + length[` that all events named in `over` lie wholly inside of.

    The lengths are in microseconds. A match has one of these windows; where events lie in several, there are several
    matches.
    """

    identifier: str
    length: int
    slide: int
    origin: Time
    over: tuple[str, ...]
    anonymous: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)
    #: A window that conditions and absences are about: it is no cause, and the answer does not wait for it.
    auxiliary: bool = added_later("auxiliary", False)

    def __post_init__(self) -> None:
        checked_period(*self.period)
        if not self.over:
            raise ValueError(f"the window {self.identifier} is over nothing: there are infinitely many such windows")

    @property
    def period(self) -> Period:
        return Period(self.length, self.slide, self.origin)


@tagged("BoundedWindow")
@dataclass(frozen=True)
class BoundedWindow:
    """A window between two times relative to events, timers and windows before it, or absolute ones."""

    identifier: str
    bounds: Bounds
    anonymous: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)
    #: As for a periodic window.
    auxiliary: bool = False

    @property
    def over(self) -> tuple[str, ...]:
        return self.bounds.identifiers


Window = PeriodicWindow | BoundedWindow


@tagged("Accumulation")
@dataclass(frozen=True)
class Accumulation:
    """`while window: collect pattern where {…}` or `while window: not pattern where {…}`."""

    window: str
    pattern: Pattern
    negated: bool
    conditions: tuple[Expression, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)
    containment: Containment = added_later("containment", "inside")
    #: The opening of the state that the window is: only events in an open state are kept for it.
    opening: EventQuery | None = added_later("opening", None)
    #: Whether the event that the window is, or is defined relative to, may be inside.
    with_anchor: bool = added_later("with_anchor", False)
    #: What conditions call the event inside; only that of an absence has a name.
    element: str | None = added_later("element", None)
    #: Further events that do not count.
    excluded: tuple[str, ...] = added_later("excluded", ())


@tagged("RelationQuery")
@dataclass(frozen=True)
class RelationQuery:
    """`relation identifier: pattern`: rows of a relation. They have no time, and are not causes: they bind variables.

    The label of the pattern is the name of the relation.
    """

    identifier: str
    pattern: Pattern
    anonymous: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def relation(self) -> str:
        """The name of the relation; empty in a wrong program whose pattern has no label."""
        return relation_name(self.pattern) or ""


def relation_name(pattern: Pattern) -> str | None:
    """Returns the name of the relation whose rows a pattern matches; None if it has no plain label."""
    return pattern.label if isinstance(pattern, TermPattern) and isinstance(pattern.label, str) else None


PositiveLiteral = EventQuery | RelativeTimer | AbsoluteTimer | Window


@tagged("Branch")
@dataclass(frozen=True)
class Branch:
    """One conjunction. Its occurrence time is the hull of its positive literals, but for those that are gathered; the
    opening of a state adds no more than that it has happened.

    Matches that differ in the events of `gathered` identifiers only are one group, over which the head aggregates. What
    is gathered must have ended when the answer does (`cera.rules.reasoning.gathering`).
    """

    events: tuple[EventQuery, ...] = ()
    absolute_timers: tuple[AbsoluteTimer, ...] = ()
    relative_timers: tuple[RelativeTimer, ...] = ()
    collections: tuple[Accumulation, ...] = ()
    absences: tuple[Accumulation, ...] = ()
    conditions: tuple[Expression, ...] = ()
    windows: tuple[Window, ...] = added_later("windows", ())
    gathered: tuple[str, ...] = added_later("gathered", ())
    relations: tuple[RelationQuery, ...] = added_later("relations", ())
    #: Variables that need a value, whichever: matches that differ in them alone are one match.
    forgotten: frozenset[str] = added_later("forgotten", frozenset())
    #: Events of which only the first matters, as follows from the rest.
    earliest: tuple[Earliest, ...] = added_later("earliest", ())

    def __post_init__(self) -> None:
        if self.windows or self.gathered:
            _check_windows(self)

    @property
    def positive(self) -> tuple[PositiveLiteral, ...]:
        return (*self.events, *self.absolute_timers, *self.relative_timers, *self.windows)

    @cached_property
    def openings(self) -> frozenset[str]:
        """The identifiers of states of which only the begin is asked for."""
        return frozenset(query.identifier for query in self.events if query.kind == "opening")

    @property
    def accumulations(self) -> tuple[Accumulation, ...]:
        return (*self.collections, *self.absences)

    @property
    def identifiers(self) -> frozenset[str]:
        return frozenset(literal.identifier for literal in self.positive)

    def positive_patterns(self) -> Iterator[Pattern]:
        """Yields the patterns that bind variables: of event queries, absolute timers, relations and
        collections."""
        yield from (query.pattern for query in self.events)
        yield from (query.pattern for query in self.relations)
        yield from (timer.timer.pattern for timer in self.absolute_timers)
        yield from (accumulation.pattern for accumulation in self.collections)

    @property
    def bound_variables(self) -> frozenset[str]:
        """The variables that have a value in every match of the branch."""
        return frozenset().union(*(patterns.bound_variables(p) for p in self.positive_patterns()))

    @property
    def optional_variables(self) -> frozenset[str]:
        """The variables that have a value in some matches of the branch and in others not."""
        every = frozenset[str]().union(*(patterns.optional_variables(p) for p in self.positive_patterns()))
        return every - self.bound_variables


def _check_windows(branch: Branch) -> None:
    """Raises ValueError where windows or gathered identifiers name what they cannot be about."""
    known = branch.identifiers
    windows = {window.identifier for window in branch.windows}
    before: set[str] = set()
    for window in branch.windows:
        if not (known - windows) | (before if isinstance(window, BoundedWindow) else set()) >= {*window.over}:
            raise ValueError(f"the window {window.identifier} is over what is no event or timer of its branch")
        free = isinstance(window, BoundedWindow) and not window.auxiliary and window.identifier not in branch.gathered
        if free and {*window.over} & {*branch.gathered}:
            raise ValueError(f"the window {window.identifier} is not gathered, but what it is relative to is")
        before.add(window.identifier)
    if not known - {each.identifier for each in branch.windows if isinstance(each, PeriodicWindow)} >= {
        *branch.gathered
    }:
        raise ValueError("only events and timers of a branch can be gathered, and windows between bounds")
    if known - auxiliary_windows(branch) <= {*branch.gathered}:
        raise ValueError("a branch cannot gather all of its events: the answer would have no time")
    if any(part.window in auxiliary_windows(branch) for part in branch.accumulations):
        raise ValueError("an accumulation is over a window that its answer does not wait for")
    for timer in branch.relative_timers:
        if timer.anchor in windows:
            raise ValueError(f"the timer {timer.identifier} is set on a window, which has no timers")
        if timer.anchor in branch.gathered and timer.identifier not in branch.gathered:
            raise ValueError(f"the timer {timer.identifier} is not gathered, but what it is set on is")


def set_on(window: str, branch: Branch) -> tuple[str, ...]:
    """Returns a window and what it is defined relative to, through any chain of timers and bounds."""
    anchors: dict[str, tuple[str, ...]] = {timer.identifier: (timer.anchor,) for timer in branch.relative_timers}
    anchors |= {each.identifier: each.over for each in branch.windows if isinstance(each, BoundedWindow)}
    found, waiting = [window], [window]
    while waiting:
        more = [name for name in anchors.get(waiting.pop(), ()) if name not in found]
        found += more
        waiting += more
    return tuple(found)


def auxiliary_windows(branch: Branch) -> frozenset[str]:
    """Returns the identifiers of windows that are no causes."""
    return frozenset(window.identifier for window in branch.windows if window.auxiliary)


def trace_order(branch: Branch) -> tuple[str, ...]:
    """Returns the identifiers of an event trace: all of the branch but the gathered ones, in the order of literals."""
    return tuple(name for name in literal_order(branch) if name not in branch.gathered)


def gathered_order(branch: Branch) -> tuple[str, ...]:
    """Returns the gathered identifiers in the order of literals, in which aggregates compare matches."""
    return tuple(name for name in literal_order(branch) if name in branch.gathered)


def literal_order(branch: Branch) -> tuple[str, ...]:
    """Returns all identifiers: events, absolute timers, relative timers, each after its anchor, and windows.

    Queries and windows that serve others are left out: they are no causes.
    """
    events = (query for query in branch.events if not query.auxiliary)
    literals: tuple[PositiveLiteral, ...] = (*events, *branch.absolute_timers, *anchors_first(branch))
    windows = (window for window in branch.windows if not window.auxiliary)
    return tuple(literal.identifier for literal in (*literals, *windows))


def anchors_first(branch: Branch) -> list[RelativeTimer]:
    """Returns the relative timers of a branch, each after the one it is anchored at."""
    known = {query.identifier for query in branch.events} | {timer.identifier for timer in branch.absolute_timers}
    ordered: list[RelativeTimer] = []
    waiting = list(branch.relative_timers)
    while waiting:
        ready = next(timer for timer in waiting if timer.anchor in known)
        known.add(ready.identifier)
        ordered.append(ready)
        waiting.remove(ready)
    return ordered


@dataclass(frozen=True)
class Activation:
    """When a rule is evaluated, as texts: the evaluation time of its module, what activates it and what suspends it."""

    time: str
    activated_by: str
    suspended_by: str


@tagged("Report")
@dataclass(frozen=True)
class Report:
    """What derivations say of a rule that was made of something else: the name of that, and its events at fault, each
    by the name that it has there and by its identifier in the rule."""

    name: str
    causes: tuple[tuple[str, str], ...]


@tagged("Rule")
@dataclass(frozen=True)
class Rule:
    """head ← branch ∨ … ∨ branch. With a recipient it is reactive (RAISE): its events leave the system."""

    name: str
    head: Construct
    branches: tuple[Branch, ...]
    recipient: Recipient | None = None
    span: Span | None = field(default=None, compare=False, repr=False)
    #: Whether its events carry the ids and times of their causes (`cera.model.events.traces`).
    traced: bool = added_later("traced", False)
    #: Whether its events happen at the moment at which they are certain: they begin with the end of the hull.
    momentary: bool = added_later("momentary", False)
    #: Why answers are certain before their windows end.
    settlements: tuple[Settlement, ...] = added_later("settlements", ())
    #: What its derivations say in the place of its name and identifiers.
    report: Report | None = added_later("report", None)
    #: The variables by which its events are divided, where its queries have others in common as well: an event with
    #: several values of these belongs to several parts, and of others to one.
    divided_by: tuple[str, ...] | None = added_later("divided_by", None)
    #: Where the language says when rules are evaluated; only shown.
    activation: Activation | None = field(default=None, compare=False, repr=False)

    @property
    def grouping(self) -> bool:
        return has_grouping(self.head)

    @property
    def gathers(self) -> bool:
        """Whether matches that differ only in some events are one group: those collected or gathered."""
        return any(branch.collections or branch.gathered for branch in self.branches)

    @cached_property
    def identifiers(self) -> tuple[str, ...]:
        """The identifiers of all its branches, in the order in which the causes of its events are listed."""
        return tuple(dict.fromkeys(name for branch in self.branches for name in trace_order(branch)))

    @cached_property
    def causes(self) -> tuple[tuple[str, str], ...]:
        """The names of the causes of its events, in their order, each with its identifier."""
        return tuple((name, name) for name in self.identifiers) if self.report is None else self.report.causes

    @property
    def title(self) -> str:
        """The name by which derivations call it."""
        return self.name if self.report is None else self.report.name


def relations_of(rules: Iterable[Rule]) -> tuple[str, ...]:
    """Returns the names of the relations that rules look up."""
    queries = (query for rule in rules for branch in rule.branches for query in branch.relations)
    return tuple(dict.fromkeys(query.relation for query in queries))


@dataclass(frozen=True)
class RuleProgram:
    """Rules in the order of the text, with the options and declarations of the program."""

    rules: tuple[Rule, ...]
    semantics: Semantics = "practical"
    declared: tuple[SourceLabel, ...] | None = None
    calendars: tuple[Calendar, ...] = ()
    relations: tuple[RelationDeclaration, ...] = ()
    #: Labels of events that modules of other languages derive.
    from_modules: tuple[str, ...] = ()
    #: The most events that one event may end. It belongs to a run: the state does not depend on it.
    answer_limit: int = field(default=ANSWER_LIMIT, compare=False)
    #: How often events come, by which joins are ordered; None if it is not known.
    rates: Rates | None = field(default=None, compare=False, repr=False)

    @property
    def sources(self) -> tuple[str, ...] | None:
        """The labels that are declared to come from outside; None if nothing is declared."""
        return None if self.declared is None else tuple(dict.fromkeys(source.label for source in self.declared))

    @cached_property
    def attributes(self) -> Mapping[str, tuple[Attribute, ...]]:
        """The attributes of those labels for which they are declared."""
        return declared_attributes(self.declared or ())

    def relation(self, name: str) -> RelationDeclaration | None:
        return next((relation for relation in self.relations if relation.name == name), None)

    def calendar(self, name: str) -> Calendar | None:
        return next((calendar for calendar in self.calendars if calendar.name == name), None)
