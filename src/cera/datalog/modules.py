"""What runs over events: a Datalog_1S program, the events that make its history, and what is told of its facts.

EPL modules become this, and `.dl1s` files.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from cera.datalog.syntax import Program
from cera.diagnostics import Span
from cera.model.events.answer_limits import ANSWER_LIMIT
from cera.model.expressions.expression import Expression
from cera.model.tags import tagged

Granularity = Literal["operation", "transaction", "time"]
GRANULARITIES: tuple[Granularity, ...] = ("operation", "transaction", "time")

#: The operations on tables, with what the predicates of their events begin with: `upd_ACC`.
PREFIXES = MappingProxyType({"insert": "ins", "delete": "del", "update": "upd"})
OPERATIONS = tuple(PREFIXES)

#: The label of the events that tell of changes of tables.
CHANGE = "change"


def predicate_of(operation: str, table: str) -> str:
    """The predicate of the changes of a table by an operation."""
    return f"{PREFIXES[operation]}_{table}"


@tagged("Monitored")
@dataclass(frozen=True)
class Monitored:
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


@tagged("EventModule")
@dataclass(frozen=True)
class EventModule:
    """With `partition`, each value of that attribute has a history of its own."""

    name: str
    program: Program
    monitored: tuple[Monitored, ...]
    outputs: tuple[Output, ...]
    granularity: Granularity = "operation"
    partition: str | None = None
    span: Span | None = field(default=None, compare=False, repr=False)
    #: How many events of each rule a stage may end.
    limit: int = field(default=ANSWER_LIMIT, compare=False, repr=False)

    def limited(self, answers: int) -> EventModule:
        """The same, of which a stage may end so many events of each rule."""
        return replace(self, limit=answers)

    @property
    def reads(self) -> frozenset[str]:
        """The labels of the events that it needs."""
        return frozenset(each.label for each in self.monitored)

    @property
    def derives(self) -> frozenset[str]:
        """The labels of the events that it derives."""
        return frozenset(each.label for each in self.outputs)
