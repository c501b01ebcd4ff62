"""The events that a module of any language monitors, how they form stages, and the events that it derives."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from cera.diagnostics import Span
from cera.model.expressions.expression import Expression
from cera.model.tags import tagged

Granularity = Literal["operation", "transaction", "time"]
GRANULARITIES: tuple[Granularity, ...] = ("operation", "transaction", "time")

#: The operations on tables, with the beginnings of the predicates of their events: `upd_ACC`.
PREFIXES = MappingProxyType({"insert": "ins", "delete": "del", "update": "upd"})
OPERATIONS = tuple(PREFIXES)

#: The label of events that are changes of tables.
CHANGE = "change"


def predicate_of(operation: str, table: str) -> str:
    """Returns the predicate of the changes of a table by an operation."""
    return f"{PREFIXES[operation]}_{table}"


@tagged("Monitored")
@dataclass(frozen=True)
class MonitoredEvents:
    """The events behind a predicate: changes of the table `name` by an operation, or all with the label `name`.

    Declared attributes are found whatever the case in which a database writes them, and so is their table.
    """

    predicate: str
    name: str
    operation: str | None = None
    attributes: tuple[str, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def label(self) -> str:
        return self.name if self.operation is None else CHANGE

    def __str__(self) -> str:
        return self.name if self.operation is None else f"{self.operation}({self.name})"


@tagged("Output")
@dataclass(frozen=True)
class Output:
    """A fact of `predicate` is a detection: an event with this label and these fields.

    `variables` name the arguments of the fact; those that are event tuples are the causes.
    """

    rule: str
    predicate: str
    variables: tuple[str, ...]
    label: str
    fields: tuple[tuple[str, Expression], ...]
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def is_fact(self) -> bool:
        """Whether the module makes the event by itself, without a predicate of its own behind it."""
        return self.predicate == self.label and not self.variables and not self.fields


@dataclass(frozen=True)
class Clock:
    """A timer of a module whose ticks can be causes: `after` microseconds, or every so often if it `repeats`."""

    name: str
    after: int
    repeats: bool
