"""The syntax of complex event types (seed 004, appendix): definitions as they were written, up to layout and synonyms.

Conditions are expressions of the model; `E1.sensor` in them is the variable named `E1.sensor`, and `sum(E1.v)` in a
head an aggregate of it. Every node keeps its span, which is left out of equality, so that parse(print(p)) = p can be
tested by `==`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from cera.diagnostics import Span
from cera.instances.types import ConsumptionName, Delimiter, OperatorName, SelectionName
from cera.languages.text.nodes import EventType, Field, Identifier, Partition
from cera.model.expressions.expression import Expression
from cera.model.time.durations import Duration

TimeName = Literal["begin", "end"]

#: The kinds of items; the grammar has a start rule for each.
Start = Literal["declaration", "definition"]
STARTS: tuple[Start, ...] = ("declaration", "definition")


@dataclass(frozen=True)
class Mode:
    """A mode as it was written before a component or an operator, with its place."""

    text: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Operand:
    """A component: the name of its type, or a type written in its place; its modes; what conditions call it.

    `fields` are the attributes of a type written in its place; without them it has those of what is bound to it.
    """

    type: Identifier | Complex
    selection: SelectionName = "last"
    inside: ConsumptionName = "exclusive parameter"
    outside: ConsumptionName = "exclusive parameter"
    delimiter: Delimiter | None = None
    alias: Identifier | None = None
    fields: tuple[Field, ...] | None = None
    #: The modes that were written, defaults too.
    written: tuple[Mode, ...] = field(default=(), compare=False, repr=False)
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def name(self) -> str | None:
        """The name in conditions and heads, None for a type written in place without a name."""
        if self.alias is not None:
            return self.alias.name
        return self.type.name if isinstance(self.type, Identifier) else None


@dataclass(frozen=True)
class Complex:
    """`;(E1, E2) where … within …` with the modes of the operator; `required` is the m of "m of (…)"."""

    operator: OperatorName
    operands: tuple[Operand, ...]
    overlapping: bool = True
    continuous: bool = False
    right_to_left: bool = False
    time: TimeName = "end"
    required: int | None = None
    where: tuple[Expression, ...] = ()
    within: Duration | None = None
    operator_span: Span | None = field(default=None, compare=False, repr=False)
    limit_span: Span | None = field(default=None, compare=False, repr=False)
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def forbidden(self) -> tuple[Operand, ...]:
        """The inner operands of `not`."""
        return self.operands[1:-1] if self.operator == "not" else ()


@dataclass(frozen=True)
class Timer:
    """`5 min after E1`, `every 5 min after last E1 until E3`."""

    after: Duration
    start: Identifier
    repeats: bool = False
    stop: Identifier | None = None
    latest: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Head:
    """`as label(fields)`, or `as label` alone: then the event has a child for each instance bound to it."""

    label: str
    fields: tuple[Field, ...] | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Definition:
    """`E4 := ;(E1, E2) as alarm(…);`, `T := 5 min after E1;`"""

    name: Identifier
    type: Complex | Timer
    head: Head | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class EventDeclaration:
    """`event Paid(Accno, Balance) = update(ACC);`: a primitive type; its attributes may be left open."""

    name: Identifier
    type: EventType
    attributes: tuple[str, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


Item = Definition | EventDeclaration | Partition


@dataclass(frozen=True)
class Program:
    """The items of a file in their order."""

    items: tuple[Item, ...]

    @property
    def definitions(self) -> tuple[Definition, ...]:
        return tuple(item for item in self.items if isinstance(item, Definition))

    @property
    def events(self) -> tuple[EventDeclaration, ...]:
        return tuple(item for item in self.items if isinstance(item, EventDeclaration))

    @property
    def partitions(self) -> tuple[Partition, ...]:
        return tuple(item for item in self.items if isinstance(item, Partition))


def complexes(type_: Complex) -> Iterator[Complex]:
    """Yields the type and those written inside of it, outermost first."""
    yield type_
    for operand in type_.operands:
        if isinstance(operand.type, Complex):
            yield from complexes(operand.type)


def references(definition: Definition) -> Iterator[Identifier]:
    """Yields the names of the types that a definition is made of, as they stand in it."""
    if isinstance(definition.type, Timer):
        yield definition.type.start
        if definition.type.stop is not None:
            yield definition.type.stop
    else:
        yield from _named(definition.type)


def _named(type_: Complex) -> Iterator[Identifier]:
    for operand in type_.operands:
        if isinstance(operand.type, Identifier):
            yield operand.type
        else:
            yield from _named(operand.type)
