"""The syntax tree of EPL (seed 003, section 2): modules as they were written, up to layout and synonyms.

Conditions are expressions of the model; `X.Balance` in them is the variable named `X.Balance`. Every node keeps its
span, which is left out of equality, so that parse(print(p)) = p can be tested by `==`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from cera.diagnostics import Span
from cera.languages.text.nodes import EventType, Field, Identifier, Partition
from cera.model.expressions.expression import Expression
from cera.model.time.durations import Duration

Unit = Literal["operation", "transaction", "time"]
Context = Literal["unrestricted", "recent", "chronicle"]

#: The kinds of pieces that a text is cut into.
ItemKind = Literal["beginning", "declaration", "rule", "end", "stray"]


@dataclass(frozen=True)
class Basic:
    """`update(ACC(X), conditions)`, `A(X, conditions)`; a variable that nothing refers to may be left out."""

    type: EventType
    variable: Identifier | None
    conditions: tuple[Expression, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class AnyEvent:
    """`any`: some monitored event."""

    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Sequence:
    """`(E1, …, En)`: each begins at the stage after the one before it ended. ODE: `sequence(E1, …, En)`."""

    events: tuple[Event, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class RelaxedSequence:
    """`[E1, …, En]`: each begins at some stage after the one before it ended. ODE: `relative(E1, …, En)`."""

    events: tuple[Event, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Prior:
    """`prior(E1, E2)`: E2 ends at some stage after E1 ended. Snoop and SAMOS: `E1 ; E2`. More nest to the left."""

    events: tuple[Event, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Conjunction:
    """`(E1 & … & En)`: all end at the same stage."""

    events: tuple[Event, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Disjunction:
    """`{E1, …, En}`: at least one."""

    events: tuple[Event, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Star:
    """`*:E`: zero or more, one right after the other."""

    event: Event
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Negation:
    """`!E`: a stage with some event at which no instance of E ends."""

    event: Event
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class First:
    """`first(E)`: the first time that E occurs."""

    event: Event
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Within:
    """`[E1, …, En] within 1 hour`: at most so long from the end of E1 to the end of the whole. Not in the paper."""

    event: Event
    duration: Duration
    span: Span | None = field(default=None, compare=False, repr=False)


Compound = Sequence | RelaxedSequence | Prior | Conjunction | Disjunction
Event = Basic | AnyEvent | Compound | Star | Negation | First | Within


@dataclass(frozen=True)
class Write:
    """`write("…%d…", X.Accno)`, with `to "file"` into a file."""

    format: str
    arguments: tuple[Expression, ...] = ()
    file: str | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Sql:
    """`sql "update A set B = :1", X.B`: a command with numbered parameters."""

    command: str
    arguments: tuple[Expression, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class System:
    """`system("mail %s", X.Owner)`: a call of the operating system."""

    command: str
    arguments: tuple[Expression, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


Action = Write | Sql | System


@dataclass(frozen=True)
class Head:
    """`as label(fields)`."""

    label: str
    fields: tuple[Field, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Rule:
    """`Name: event in recent context as label(…) -> action.`"""

    name: Identifier
    event: Event
    context: Context = "unrestricted"
    head: Head | None = None
    action: Action | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Monitor:
    """`monitor insert(ACC), A;`: the basic events that make the history of the module."""

    types: tuple[EventType, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Relation:
    """`relation ACC(Accno, Owner);`: the attributes of a relation, or the children of the events of a label."""

    name: str
    attributes: tuple[str, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Granularity:
    """`granularity transaction;`: what makes a stage."""

    unit: Unit
    span: Span | None = field(default=None, compare=False, repr=False)


Declaration = Monitor | Relation | Granularity | Partition


@dataclass(frozen=True)
class Module:
    """`begin Name declarations rules end.`"""

    name: Identifier
    declarations: tuple[Declaration, ...]
    rules: tuple[Rule, ...]
    span: Span | None = field(default=None, compare=False, repr=False)

    @cached_property
    def monitored(self) -> tuple[EventType, ...]:
        types = (each for declared in self.declarations if isinstance(declared, Monitor) for each in declared.types)
        return tuple(dict.fromkeys(types))

    @cached_property
    def relations(self) -> dict[str, Relation]:
        return {declared.name: declared for declared in self.declarations if isinstance(declared, Relation)}

    @property
    def granularity(self) -> Unit:
        return next((d.unit for d in self.declarations if isinstance(d, Granularity)), "operation")

    @property
    def partition(self) -> str | None:
        return next((d.attribute for d in self.declarations if isinstance(d, Partition)), None)


def parts(event: Event) -> tuple[Event, ...]:
    """Returns the events directly inside this one."""
    match event:
        case Basic() | AnyEvent():
            return ()
        case Sequence() | RelaxedSequence() | Prior() | Conjunction() | Disjunction():
            return event.events
        case Star() | Negation() | First() | Within():
            return (event.event,)


def walk(event: Event) -> Iterator[Event]:
    """Yields this event and all inside it, outermost first, from left to right."""
    yield event
    for part in parts(event):
        yield from walk(part)


def basics(event: Event) -> Iterator[Basic]:
    return (each for each in walk(event) if isinstance(each, Basic))


def can_be_empty(event: Event) -> bool:
    """Returns whether an instance of the event may consist of no basic event at all."""
    match event:
        case Star():
            return True
        case Sequence() | RelaxedSequence():
            return all(can_be_empty(part) for part in event.events)
        case Disjunction():
            return any(can_be_empty(part) for part in event.events)
        case Within():
            return can_be_empty(event.event)
        case Basic() | AnyEvent() | Negation() | First() | Conjunction() | Prior():
            return False
