"""Event tables: the events of a source, or of a rule, as a DataFrame.

An event table has the columns `begin` and `end` (bigint, microseconds), `h1` and `h2` (the two halves of the event's
id) and `label`, and besides them the content of the events in one of two ways.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql.types import (
    BooleanType,
    DoubleType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
)

from cera.engines.spark.values.cells import Cell
from cera.model.events.states import ENDING, OPENING

#: The value of a child in the column `fields`: at most one of the four is not null.
FIELD = StructType(
    [
        StructField("integer", LongType()),
        StructField("fraction", DoubleType()),
        StructField("string", StringType()),
        StructField("boolean", BooleanType()),
    ]
)

FIELDS = MapType(StringType(), FIELD)


@dataclass(frozen=True)
class Opaque:
    """A child of which only the label is known beforehand: the whole child, and its JSON without the label.

    Both are null where it is absent.
    """

    term: Column
    body: Column


@dataclass(frozen=True)
class Flat:
    """Unordered children, at most one of each name: `name{scalar}` for a cell, `name{…}` for what is flat itself.

    A cell without a value, and a flat term that is not `present`, is an absent child; `present` None: always there.
    """

    children: Mapping[str, Cell | Flat | Opaque]
    present: Column | None = None


@dataclass(frozen=True)
class Terms:
    """Terms of any shape, in the columns `term` (a TERM) and `fields` (FIELDS).

    `fields` has the children of a term that is unordered, with children of different names that are one scalar each;
    it is null for any other term. `flat`: whether all terms are known to be such (True), or none (False).
    """

    flat: bool | None = None


@dataclass(frozen=True)
class EventTable:
    """Events as a DataFrame; `label` if all of them are known to have the same one.

    `prefix`: what all labels begin with, if it is that of openings or endings of states, or of both; empty where none
    of them is such. `points`: all of them are points of time. `once`: no two rows are the same event. `identity`: the
    columns `h1` and `h2` once more, as expressions over the other columns, for use in a few rows only. `unique`:
    children such that no two events have the same label, time and values of these; users of it check that.
    """

    frame: DataFrame
    content: Flat | Terms
    label: str | None = None
    points: bool = False
    once: bool = False
    identity: tuple[Column, Column] | None = None
    unique: frozenset[str] | None = None
    prefix: str | None = None

    def can_have(self, label: str | None) -> bool:
        """Returns whether an event may be one that a query for a label, or for any, finds."""
        if self.prefix is not None:
            wanted = next((prefix for prefix in (OPENING, ENDING) if (label or "").startswith(prefix)), "")
            if wanted != self.prefix:
                return False
        return label is None or self.label is None or label == self.label

    def is_unique_by(self, cells: Iterable[Cell]) -> bool:
        """Returns whether events with the same label, time and values of these cells are declared to be one."""
        if self.unique is None or not self.points or not isinstance(self.content, Flat):
            return False
        given = {str(part) for cell in cells for _, part in cell}
        wanted = [self.content.children.get(name) for name in self.unique]
        return all(isinstance(cell, Cell) and all(str(part) in given for _, part in cell) for cell in wanted)
