"""The syntax tree of XChangeEQ: the program as it was written, up to layout and synonyms.

Terms, conditions and heads are those of the model; this file adds bodies, rules and directives. Every node keeps its
span, which is left out of equality, so that parse(print(p)) = p can be tested by `==`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from cera.diagnostics import Span
from cera.model.expressions.constructs import Construct
from cera.model.expressions.expression import Expression, TimerQuery
from cera.model.matching.patterns import Pattern
from cera.model.time.durations import Duration
from cera.rules.declarations import RelationDeclaration, SourceLabel


@dataclass(frozen=True)
class Identifier:
    """An event identifier with its place."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class EventLiteral:
    """`event i: pattern where {…}`; `event` and the identifier may be left out (ERR-32)."""

    identifier: Identifier | None
    pattern: Pattern
    conditions: tuple[Expression, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class StateLiteral:
    """`state s: pattern where {…}`; the identifier may be left out."""

    identifier: Identifier | None
    pattern: Pattern
    conditions: tuple[Expression, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class RelativeTimerLiteral:
    """`event i: extend[o, 1 min]`, `event i: timer:from-end[event o, 12 sec]`; kind by its canonical name."""

    identifier: Identifier | None
    kind: str
    anchor: Identifier
    duration: Duration
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class AbsoluteTimerLiteral:
    """`event i: timer:datetime{{…}}`, `event i: timer:NAME{{…}}`."""

    identifier: Identifier | None
    timer: TimerQuery
    conditions: tuple[Expression, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class WhileLiteral:
    """`while i: not pattern where {…}`, `while i: collect pattern where {…}`; with `state` the pattern is of states."""

    window: Identifier
    negated: bool
    pattern: Pattern
    conditions: tuple[Expression, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)
    of_states: bool = False


@dataclass(frozen=True)
class RelationLiteral:
    """`relation i: pattern where {…}`: rows of a relation; the identifier may be left out."""

    identifier: Identifier | None
    pattern: Pattern
    conditions: tuple[Expression, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Conjunction:
    """`and{…} where {…}`."""

    queries: tuple[Query, ...]
    conditions: tuple[Expression, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Disjunction:
    """`or{…} where {…}`."""

    queries: tuple[Query, ...]
    conditions: tuple[Expression, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


Literal = EventLiteral | StateLiteral | RelativeTimerLiteral | AbsoluteTimerLiteral | WhileLiteral | RelationLiteral
Query = Literal | Conjunction | Disjunction


@dataclass(frozen=True)
class DetectHead:
    construct: Construct
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class RaiseHead:
    """`to(recipient="…", transport="…") { construct }`."""

    recipient: str
    transport: str | None
    construct: Construct
    span: Span | None = field(default=None, compare=False, repr=False)


Head = DetectHead | RaiseHead


@dataclass(frozen=True)
class RuleSyntax:
    """`DETECT head ON query END`, `RAISE head ON query END`."""

    head: Head
    query: Query
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class SemanticsDirective:
    """`SEMANTICS formal`."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class SourceDirective:
    """`SOURCE temp{ area, value: number }, smoke`: the events that come from outside."""

    sources: tuple[SourceLabel, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class CalendarsDirective:
    """`CALENDARS "calendars.toml"`: the file, relative to the program's, with named calendars."""

    path: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class RelationDirective:
    """`RELATION ventilation{ area, direction } FROM "ventilation.csv"`: rows that rules may look up."""

    declared: RelationDeclaration
    span: Span | None = field(default=None, compare=False, repr=False)


Directive = SemanticsDirective | SourceDirective | CalendarsDirective | RelationDirective
Item = Directive | RuleSyntax


@dataclass(frozen=True)
class ProgramSyntax:
    """The items of one file in the order of the text."""

    items: tuple[Item, ...]

    @property
    def rules(self) -> tuple[RuleSyntax, ...]:
        return tuple(item for item in self.items if isinstance(item, RuleSyntax))


def literals(query: Query) -> Iterator[Literal]:
    """Yields the literals of a query from left to right."""
    if isinstance(query, Conjunction | Disjunction):
        for part in query.queries:
            yield from literals(part)
    else:
        yield query
