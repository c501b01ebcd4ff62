"""Rows: the tuples of CERA relations as Python tuples, and which column stands where.

A row has a cell for each data attribute, an occurrence for each event identifier (its times and its reference in
one), and an occurrence for each collected match.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

from cera.model.events.occurrence import unwrap
from cera.model.terms.term import Value
from cera.model.time.interval import Interval

Row = tuple[Any, ...]


class Column(NamedTuple):
    kind: Literal["data", "event", "match"]
    name: str


@dataclass(frozen=True)
class Layout:
    """The columns of a relation in the order of its rows."""

    columns: tuple[Column, ...]

    @cached_property
    def _index(self) -> dict[Column, int]:
        return {column: i for i, column in enumerate(self.columns)}

    def data(self, variable: str) -> int:
        return self._index[Column("data", variable)]

    def event(self, identifier: str) -> int:
        return self._index[Column("event", identifier)]

    def match(self, identifier: str) -> int:
        return self._index[Column("match", identifier)]

    def __contains__(self, column: Column) -> bool:
        return column in self._index

    @cached_property
    def variables(self) -> tuple[str, ...]:
        return tuple(c.name for c in self.columns if c.kind == "data")

    @cached_property
    def identifiers(self) -> tuple[str, ...]:
        return tuple(c.name for c in self.columns if c.kind == "event")

    @cached_property
    def matches(self) -> tuple[str, ...]:
        return tuple(c.name for c in self.columns if c.kind == "match")

    def with_(self, *columns: Column) -> Layout:
        return Layout((*self.columns, *columns))

    def renamed(self, identifiers: Mapping[str, str], variables: Mapping[str, str]) -> Layout:
        """Returns the layout of the same rows under other names; the mappings lead from old to new."""
        return Layout(
            tuple(
                Column(c.kind, (variables if c.kind == "data" else identifiers).get(c.name, c.name))
                for c in self.columns
            )
        )

    def values(self, row: Row) -> dict[str, Value]:
        """Returns σ of a row: its data, without variables that `optional` left unbound."""
        return {name: unwrap(row[self.data(name)]) for name in self.variables if row[self.data(name)] is not None}

    def times(self, row: Row) -> dict[str, Interval]:
        """Returns the intervals of the events of a row."""
        return {
            name: Interval(event.begin, event.end)
            for name in self.identifiers
            if (event := row[self.event(name)]) is not None
        }
