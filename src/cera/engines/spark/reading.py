"""Reading recorded events as event tables.

JSON lines, JSON, CSV and XML are read by the readers of `cera.connectors`, in Spark's Python workers; so a record is
the same event, or rejected for the same reason, as on every other engine. Parquet is read by Spark itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema

from cera.connectors.fast_jsonl import read_occurrences
from cera.connectors.files import Source, sources
from cera.connectors.layout import Layout, Rejected
from cera.engines.spark.cells import Cell
from cera.engines.spark.file_splits import Split, splits
from cera.engines.spark.hashing import event_hashes
from cera.engines.spark.parquet import read_parquet
from cera.engines.spark.read_rows import READ, ReadSplits, events_of, record_batches, rejected_of
from cera.engines.spark.readings import Reading
from cera.engines.spark.relations import column
from cera.engines.spark.tables import FIELD, EventTable, Flat, Terms
from cera.engines.spark.term_columns import flat_hashes
from cera.engines.spark.typed_children import in_columns

__all__ = ["Reading", "read_files"]


#: Tasks for each core that a recording is read by: enough that a slow one does not hold up the others.
_TASKS_PER_CORE = 4

#: A recording whose events have more different children than this is kept as terms.
_MOST_CHILDREN = 200


def read_files(spark: SparkSession, paths: Sequence[str], layout: Layout) -> Reading:
    """The events at paths: files, folders, `-` for standard input.

    What is read in Python is read now and kept by Spark (persisted), so that it is read once.
    """
    found = [(path, [] if path == "-" else sources(path, layout, parquet=True)) for path in paths]
    pieces: list[Split] = []
    readings: list[Reading] = []
    number = 0
    for path, files in found:
        if path == "-":
            readings.append(_kept(_standard_input(spark, number, layout)))
            number += 1
        unread = [(number + i, item) for i, item in enumerate(files) if isinstance(item, Rejected)]
        if unread:
            readings.append(Reading((), _unread(spark, unread)))
        tables = [item.path for item in files if isinstance(item, Source) and item.format == "parquet"]
        if tables:
            readings.append(read_parquet(spark, path, tables, layout, number))
        for item in files:
            if isinstance(item, Source) and item.format != "parquet":
                pieces += splits(number, item)
            number += 1
    if pieces:
        tasks = min(len(pieces), _TASKS_PER_CORE * spark.sparkContext.defaultParallelism)
        numbers = spark.range(0, len(pieces), 1, tasks)
        readings.append(_kept(numbers.mapInArrow(ReadSplits(tuple(pieces), layout), READ)))
    tables_of_all = tuple(table for reading in readings for table in reading.tables)
    return Reading(tables_of_all, reduce(DataFrame.unionByName, [reading.rejected for reading in readings]))


def _standard_input(spark: SparkSession, number: int, layout: Layout) -> DataFrame:
    batches = list(record_batches(number, read_occurrences("-", layout)))
    return spark.createDataFrame(pa.Table.from_batches(batches, to_arrow_schema(READ)))


def _unread(spark: SparkSession, unread: Sequence[tuple[int, Rejected]]) -> DataFrame:
    rows = [(item.place, item.reason, item.text, number, 0) for number, item in unread]
    return spark.createDataFrame(rows, "place string, reason string, text string, source int, position bigint")


def _kept(read: DataFrame) -> Reading:
    """The rows, read and persisted: flat events as typed columns, others as terms."""
    rows = read.persist(StorageLevel.MEMORY_AND_DISK)
    events = rows.where(column("reason").isNull())
    deep = F.count_if(column("fields").isNull()).alias("deep")
    [counts] = events.agg(deep, F.count("fields").alias("flat")).collect()
    tables: list[EventTable] = []
    if counts["flat"]:
        tables.append(_flat_table(events.where(column("fields").isNotNull()) if counts["deep"] else events))
    if counts["deep"]:
        tables.append(EventTable(events_of(events.where(column("fields").isNull())), Terms(flat=False)))
    return Reading(tuple(tables), rejected_of(rows))


def _flat_table(events: DataFrame) -> EventTable:
    """Flat events, each child that occurs as columns of the types that it occurs with."""
    entry = events.select(F.explode("fields").alias("name", "value"))
    kinds = [F.bool_or(column("value")[kind].isNotNull()).alias(kind) for kind in FIELD.names]
    found = entry.groupBy("name").agg(*kinds).limit(_MOST_CHILDREN + 1).collect()
    if len(found) > _MOST_CHILDREN:
        return EventTable(events_of(events), Terms(flat=True))
    cells = {row["name"]: _cell(row) for row in sorted(found, key=lambda row: str(row["name"]))}
    content, children = in_columns(Flat(cells))
    frame = events.select(*(column(name) for name in ("begin", "end", "label", "qualifier")), *children)
    halves = flat_hashes(column("label"), content)
    h1, h2 = event_hashes(*halves, column("begin"), column("end"), column("qualifier"))
    return EventTable(frame.withColumns({"h1": h1, "h2": h2}), content)


def _cell(row: Row) -> Cell:
    """A child by its name and the types that it occurs with."""
    value = F.try_element_at(column("fields"), F.lit(row["name"]))
    return Cell(**{kind: value[kind] for kind in FIELD.names if row[kind]})
