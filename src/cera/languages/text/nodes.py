"""Nodes that are the same in the syntax trees of several languages: names, types of events, fields, partitions.

Every node keeps its span, which is left out of equality, so that parse(print(p)) = p can be tested by `==`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from cera.diagnostics import Span
from cera.model.expressions.expression import Expression

Kind = Literal["insert", "delete", "update"]

#: The short form of each kind, which also begins the names of predicates: `upd_ACC`.
SHORT_KINDS: dict[Kind, str] = {"insert": "ins", "delete": "del", "update": "upd"}


@dataclass(frozen=True)
class Identifier:
    """The name of a rule, a tuple variable, an attribute, with its place."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class EventType:
    """`update(ACC)`, a change of a relation; or `A`, the events of a stream that have this label (`kind` is None)."""

    kind: Kind | None
    name: str
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def predicate(self) -> str:
        return self.name if self.kind is None else f"{SHORT_KINDS[self.kind]}_{self.name}"

    def __str__(self) -> str:
        return self.name if self.kind is None else f"{self.kind}({self.name})"


@dataclass(frozen=True)
class Field:
    """`amount: X.old_Balance - X.new_Balance`, a child of the event that a rule derives."""

    name: str
    expression: Expression
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Partition:
    """`partition by Accno;`: each value of the attribute has a history of its own."""

    attribute: str
    span: Span | None = field(default=None, compare=False, repr=False)
