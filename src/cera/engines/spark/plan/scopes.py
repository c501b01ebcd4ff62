"""Scopes of a rule's expressions: the rows of a relation or of a join."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pyspark.sql import Column, SparkSession

from cera.engines.spark.tables.event_tables import EventTable
from cera.engines.spark.values.cells import Cell
from cera.model.calendars.calendar_files import Calendar
from cera.model.calendars.tick_limits import TICK_LIMIT
from cera.model.events.event import Event

if TYPE_CHECKING:
    from cera.engines.spark.plan.undefined_counts import Tally


@dataclass(frozen=True)
class Environment:
    """The settings and notes that all expressions of a program share.

    `fallbacks` are the parts that run in Python, by name; `ticks` the events of absolute timers, by id. With a `tally`
    the rows in which an expression has no value are counted. Without a `session`, there are outlines in the place of
    tables.
    """

    session: SparkSession | None
    calendars: tuple[Calendar, ...] = ()
    timezone: str = "UTC"
    fallbacks: dict[str, None] = field(default_factory=dict)
    ticks: dict[str, Event] = field(default_factory=dict)
    tally: Tally | None = None
    tick_limit: int = TICK_LIMIT
    #: The tables of relations, in which rows are as long as they are valid.
    lookups: Mapping[str, Sequence[EventTable]] = field(default_factory=dict)

    @property
    def spark(self) -> SparkSession:
        assert self.session is not None, "an outline has no rows to ask Spark for"
        return self.session

    def fallback(self, name: str) -> None:
        self.fallbacks[name] = None


class Rows(Protocol):
    """Rows that have values for variables and times for identifiers."""

    def cell(self, variable: str) -> Cell: ...

    def interval(self, identifier: str) -> tuple[Column, Column]: ...


@dataclass(frozen=True)
class RowScope:
    """The scope of expressions over the rows of a relation."""

    rows: Rows
    environment: Environment

    @property
    def calendars(self) -> tuple[Calendar, ...]:
        return self.environment.calendars

    @property
    def timezone(self) -> str:
        return self.environment.timezone

    def cell(self, variable: str) -> Cell:
        return self.rows.cell(variable)

    def interval(self, identifier: str) -> tuple[Column, Column]:
        return self.rows.interval(identifier)

    def fallback(self, name: str) -> None:
        self.environment.fallback(name)


@dataclass(frozen=True)
class ElementRows:
    """The rows of an array, inside a function over its elements; times are those of the row around it."""

    outer: Rows
    element: Callable[[str], Cell]

    def cell(self, variable: str) -> Cell:
        return self.element(variable)

    def interval(self, identifier: str) -> tuple[Column, Column]:
        return self.outer.interval(identifier)
