"""The directives of a `.dl1s` file: its modules, their events and stages, and the events that their facts become."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TypeVar

from cera.datalog.syntax import Atom, Program, Rule
from cera.diagnostics import Span
from cera.model.expressions.expression import Expression
from cera.modules.monitoring import Granularity, MonitoredEvents


@dataclass(frozen=True)
class ModuleDirective:
    """`module Alerts.`: what follows, up to the next one, is a module with predicates of its own."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class MonitorDirective:
    """`monitor update(ACC), A.`: the events of the history, and no others."""

    events: tuple[MonitoredEvents, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class RelationDirective:
    """`relation ACC(Accno, Owner).`: attributes that are found whatever their case, as is the name of the table."""

    name: str
    attributes: tuple[str, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class GranularityDirective:
    """`granularity transaction.`: what makes a stage."""

    unit: Granularity
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class PartitionDirective:
    """`partition by Accno.`: each value of the attribute has a history of its own."""

    attribute: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class DetectDirective:
    """`detect Pair: satE(X, y: Y, J) as pair(k: X.k).`: each fact of the atom is an event with this label and children.

    `causes` are the names under which the arguments are known as what led to it: their own, or those before a colon.
    Without a label the event is called as the rule is, and its children are the arguments (`fields` is None).
    """

    rule: str
    atom: Atom
    causes: tuple[str, ...]
    label: str | None = None
    fields: tuple[tuple[str, Expression], ...] | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


Directive = (
    ModuleDirective | MonitorDirective | RelationDirective | GranularityDirective | PartitionDirective | DetectDirective
)
Item = Rule | Directive
D = TypeVar("D")


@dataclass(frozen=True)
class Section:
    """A module of a file: what it says in its order. Rules before the first `module` are one without a name."""

    items: tuple[Item, ...]

    @property
    def name(self) -> ModuleDirective | None:
        return next((item for item in self.items if isinstance(item, ModuleDirective)), None)

    @property
    def program(self) -> Program:
        return Program(tuple(item for item in self.items if isinstance(item, Rule)))

    def of(self, kind: type[D]) -> list[D]:
        return [item for item in self.items if isinstance(item, kind)]


def sections(items: tuple[Item, ...]) -> tuple[Section, ...]:
    """Returns the items of a file, cut before every `module`. A file without any item is one module."""
    starts = [index for index, item in enumerate(items) if isinstance(item, ModuleDirective)]
    cuts = [0, *(index for index in starts if index), len(items)]
    return tuple(Section(items[first:last]) for first, last in itertools.pairwise(cuts))
