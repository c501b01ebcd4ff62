"""The result of reading a source: event tables, and the rejected records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from cera.connectors.records.layout import TEXT_LIMIT, Rejected
from cera.engines.spark.tables.event_tables import EventTable
from cera.engines.spark.tables.relations import column
from cera.engines.spark.tables.term_columns import term_column
from cera.engines.spark.values.hashing import hex_id
from cera.wording import Setting, in_python

_LAST = 2**31 - 1

#: The columns of what `detect` leaves out: why, and the row that is not an event. Late events have their own besides.
LEFT_OUT, RECORD = "left_out", "record"
#: The settings that the reasons of rejected rows mention.
_MARKS = (str(Setting.MAX_DURATION), str(Setting.TIME_FORMAT), Setting.TIME_UNIT.of("s"))


@dataclass(frozen=True)
class SourceTables:
    """The events of a source, with duplicates, and its rejected records.

    The frames of the tables have a column `qualifier` as well: the id that the source gave the event, if any.
    `rejections` makes `rejected`, which is rarely used.
    """

    tables: tuple[EventTable, ...]
    rejections: Callable[[], DataFrame]

    @cached_property
    def rejected(self) -> DataFrame:
        """The rejected records: `place`, `reason`, `text`, and `source`, `position` for their order."""
        return self.rejections()

    def rejects(self) -> list[Rejected]:
        """Returns the rejected records in the order of the input. An action: it reads the input."""
        rows = self.rejected.orderBy("source", "position").select("place", "reason", "text").collect()
        return [Rejected(row["place"], row["reason"], row["text"] or "") for row in rows]

    def left_out(self) -> DataFrame:
        """Returns the rejected records as rows of what `detect` leaves out: the reason, and the record."""
        return self.rejected.select(_in_python(column("reason")).alias(LEFT_OUT), column("text").alias(RECORD))

    def reject_longer(self, longest: int) -> SourceTables:
        """Rejects the events that last longer than so many microseconds."""
        length = column("end") - column("begin")
        lasting = [table for table in self.tables if not table.points]  # points of time last no longer than nothing
        if not lasting:
            return self
        short = {id(table): replace(table, frame=table.frame.where(length <= longest)) for table in lasting}
        kept = tuple(short.get(id(table), table) for table in self.tables)
        broken = [replace(table, frame=table.frame.where(length > longest)) for table in lasting]
        return SourceTables(kept, lambda: reduce(DataFrame.unionByName, map(_broken, broken), self.rejected))


def unite(readings: Sequence[SourceTables]) -> SourceTables:
    """Unites the tables of several sources."""
    tables = tuple(table for reading in readings for table in reading.tables)
    return SourceTables(tables, lambda: reduce(DataFrame.unionByName, [reading.rejected for reading in readings]))


def rejection_rows(spark: SparkSession, items: Sequence[tuple[int, Rejected]]) -> DataFrame:
    """Makes rows of records that are rejected before anything is read, each with the number of its source."""
    rows = [(item.place, item.reason, item.text, source, 0) for source, item in items]
    return spark.createDataFrame(rows, "place string, reason string, text string, source int, position bigint")


def _in_python(reason: Column) -> Column:
    return reduce(lambda text, mark: F.replace(text, F.lit(mark), F.lit(in_python(mark))), _MARKS, reason)


def _broken(table: EventTable) -> DataFrame:
    return table.frame.select(
        F.concat(F.lit("event "), hex_id(column("h1"), column("h2"))).alias("place"),
        F.lit(f"the event lasts longer than {Setting.MAX_DURATION}").alias("reason"),
        F.substring(term_column(table)["json"], 1, TEXT_LIMIT).alias("text"),
        F.lit(_LAST).alias("source"),
        column("end").alias("position"),
    )
