"""The columns of the events of a recursion, which are the same in all rounds.

Which types a child of an event can have follows from the tables that its rule queries, and so, in a recursion, from
itself. It is computed without data: from nothing, round by round, until no type comes any more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StringType, StructField, StructType

from cera.engines.spark.plan.deriving import CAUSES, LINEAGE
from cera.engines.spark.tables.event_tables import EventTable, Flat
from cera.engines.spark.tables.outlines import Outline
from cera.engines.spark.tables.relations import column, component
from cera.engines.spark.values.arithmetic import canonical
from cera.engines.spark.values.cells import TYPES, Cell

#: The columns of every event table, and those of derived events behind their children.
EVENT_COLUMNS = ("begin", "end", "h1", "h2", "label")
DERIVED_COLUMNS = (*LINEAGE, CAUSES)


@dataclass(frozen=True)
class Layout:
    """A label, and the types of each child, whose values stand in a column for each type."""

    label: str
    children: Mapping[str, tuple[str, ...]]

    @property
    def names(self) -> list[str]:
        """The names of the columns of the children."""
        return [component(name, kind) for name, kinds in self.children.items() for kind in kinds]

    def joined(self, other: Layout) -> Layout:
        """Returns a layout for the events of both."""
        names = dict.fromkeys((*self.children, *other.children))
        found = {name: {*self.children.get(name, ()), *other.children.get(name, ())} for name in names}
        return Layout(self.label, {name: tuple(k for k in TYPES if k in kinds) for name, kinds in found.items()})

    def table(self, frame: DataFrame) -> EventTable:
        """Returns a frame with these columns as a table."""
        cells = {
            name: Cell(**{kind: column(component(name, kind)) for kind in kinds})
            for name, kinds in self.children.items()
        }
        return EventTable(frame, Flat(cells), self.label)

    def outline(self) -> EventTable:
        """Returns a table without rows."""
        return self.table(Outline([*EVENT_COLUMNS, *self.names, *DERIVED_COLUMNS]))

    def empty(self, spark: SparkSession | None) -> EventTable:
        """Returns a table without events."""
        if spark is None:
            return self.outline()
        times = [StructField(name, LongType()) for name in EVENT_COLUMNS[:4]]
        kinds = [(component(name, kind), TYPES[kind]) for name, kinds in self.children.items() for kind in kinds]
        types = StructType([*times, StructField("label", StringType()), *(StructField(*each) for each in kinds)])
        return self.table(spark.createDataFrame([], types))

    def rows(self, table: EventTable) -> DataFrame:
        """Returns the events of a table, which must fit, in these columns."""
        assert isinstance(table.content, Flat)
        parts: list[Column] = []
        for name, kinds in self.children.items():
            cell = table.content.children.get(name, Cell())
            assert isinstance(cell, Cell)
            own = dict(canonical(cell))
            parts += [own.get(kind, F.lit(None)).cast(TYPES[kind]).alias(component(name, kind)) for kind in kinds]
        return table.frame.select(*EVENT_COLUMNS, *parts, *DERIVED_COLUMNS)


def layout_of(tables: Sequence[EventTable]) -> Layout | None:
    """Returns the layout of events of one rule; None if they are not flat."""
    found: Layout | None = None
    for table in tables:
        if not isinstance(table.content, Flat) or table.label is None:
            return None
        children: dict[str, tuple[str, ...]] = {}
        for name, cell in table.content.children.items():
            if not isinstance(cell, Cell) or cell.term is not None:
                return None
            children[name] = canonical(cell).components
        own = Layout(table.label, children)
        found = own if found is None else found.joined(own)
    return None if found is None else replace(found, children=dict(found.children))
