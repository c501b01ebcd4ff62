"""Reads recorded events as event tables.

JSON lines, JSON, CSV and XML are read by the readers of `cera.connectors`, in Spark's Python workers; so a record is
the same event, or rejected for the same reason, as on every other engine. Parquet is read by Spark itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema

from cera.connectors.files import EventFile
from cera.connectors.records.layout import Layout, Rejected
from cera.connectors.source import Source
from cera.engines.spark.reading.file_splits import Split, splits
from cera.engines.spark.reading.parquet import read_parquet
from cera.engines.spark.reading.record_rows import READ, ReadSplits, events_of, record_batches, rejected_of
from cera.engines.spark.reading.source_tables import SourceTables, rejection_rows, unite
from cera.engines.spark.reading.typed_children import in_columns
from cera.engines.spark.tables.event_tables import FIELD, EventTable, Flat, Terms
from cera.engines.spark.tables.relations import column
from cera.engines.spark.tables.term_columns import flat_hashes
from cera.engines.spark.values.cells import Cell
from cera.engines.spark.values.hashing import event_hashes

__all__ = ["SourceTables", "read_sources"]


#: Tasks for each core that a recording is read by: enough that a slow one does not hold up the others.
TASKS_PER_CORE = 4

#: Up to so many bytes are read in this process, not by workers of Spark.
_SMALL = 1 << 20

#: A recording whose events have more different children than this is kept as terms.
_MOST_CHILDREN = 200


def read_sources(spark: SparkSession, sources: Sequence[Source], layout: Layout) -> SourceTables:
    """Returns the events of sources: of files as splits for Spark, of others as they are read in this process.

    Python readers read now, and Spark persists what they read, so that it is read once; small files are read in this
    process, since Spark's workers take seconds to start.
    """
    found = [(source, source.files(layout, parquet=True)) for source in sources]
    pieces: list[Split] = []
    readings: list[SourceTables] = []
    number = 0
    for source, files in found:
        if not source.is_recording:
            batches = list(record_batches(number, source.occurrences(layout)))
            readings.append(_read_here(spark, batches))
            number += 1
        unknown = [(number + i, item) for i, item in enumerate(files) if isinstance(item, Rejected)]
        if unknown:
            readings.append(SourceTables((), partial(rejection_rows, spark, unknown)))
        tables = [item.path for item in files if isinstance(item, EventFile) and item.format == "parquet"]
        if tables:
            readings.append(read_parquet(spark, source.text, tables, layout, number))
        for item in files:
            if isinstance(item, EventFile) and item.format != "parquet":
                pieces += splits(number, item)
            number += 1
    if pieces and is_small(Path(path) for path in {piece.path for piece in pieces}):
        batches = [b for piece in pieces for b in record_batches(piece.source, piece.read(layout), piece.first)]
        readings.append(_read_here(spark, batches))
    elif pieces:
        tasks = min(len(pieces), TASKS_PER_CORE * spark.sparkContext.defaultParallelism)
        numbers = spark.range(0, len(pieces), 1, tasks)
        readings.append(_kept(numbers.mapInArrow(ReadSplits(tuple(pieces), layout), READ)))
    return unite(readings)


def is_small(files: Iterable[Path]) -> bool:
    """Returns whether files are so small that they are read before Spark has started a worker."""
    return sum(file.stat().st_size for file in files) <= _SMALL


def _read_here(spark: SparkSession, batches: Sequence[pa.RecordBatch]) -> SourceTables:
    """Returns the events and rejected records that were read in this process."""
    schema = to_arrow_schema(READ)
    read = pa.Table.from_batches(batches, schema).combine_chunks() if batches else schema.empty_table()
    rows = spark.createDataFrame(read)
    rows = rows if read.nbytes <= _SMALL else rows.persist(StorageLevel.MEMORY_AND_DISK)
    events = read.filter(pc.is_null(read.column("reason"))).column("fields").combine_chunks()
    points = pc.all(pc.equal(read.column("begin"), read.column("end"))).as_py()  # a rejected record has none
    entries = events.drop_null()
    kinds: dict[str, set[str]] = {}
    for kind in FIELD.names:
        for name in entries.keys.filter(entries.items.field(kind).is_valid()).unique().to_pylist():
            kinds.setdefault(name, set()).add(kind)
    return tables_of_rows(
        rows, flat=len(entries) > 0, deep=events.null_count > 0, kinds=kinds, points=points is not False
    )


def _kept(read: DataFrame) -> SourceTables:
    """Persists the rows: flat events as typed columns, others as terms."""
    rows = read.persist(StorageLevel.MEMORY_AND_DISK)
    events = rows.where(column("reason").isNull())
    deep = F.count_if(column("fields").isNull()).alias("deep")
    lasting = F.count_if(column("begin") < column("end")).alias("lasting")
    [counts] = events.agg(deep, F.count("fields").alias("flat"), lasting).collect()
    kinds = _kinds(events) if counts["flat"] else {}
    points = counts["lasting"] == 0
    return tables_of_rows(rows, flat=counts["flat"] > 0, deep=counts["deep"] > 0, kinds=kinds, points=points)


def _kinds(events: DataFrame) -> dict[str, set[str]]:
    """Returns the types with which each child of flat events occurs; of some children, if there are too many."""
    entry = events.select(F.explode("fields").alias("name", "value"))
    kinds = [F.bool_or(column("value")[kind].isNotNull()).alias(kind) for kind in FIELD.names]
    found = entry.groupBy("name").agg(*kinds).limit(_MOST_CHILDREN + 1).collect()
    return {row["name"]: {kind for kind in FIELD.names if row[kind]} for row in found}


def tables_of_rows(
    rows: DataFrame, *, flat: bool, deep: bool, kinds: Mapping[str, Collection[str]], points: bool
) -> SourceTables:
    """Returns the events and rejected records of rows of READ; the caller knows whether there are flat events, other
    events, and only points of time."""
    events = rows.where(column("reason").isNull())
    tables: list[EventTable] = []
    if flat:
        tables.append(_flat_table(events.where(column("fields").isNotNull()) if deep else events, kinds))
    if deep:
        tables.append(EventTable(events_of(events.where(column("fields").isNull())), Terms(flat=False)))
    return SourceTables(tuple(replace(table, points=points) for table in tables), lambda: rejected_of(rows))


def _flat_table(events: DataFrame, kinds: Mapping[str, Collection[str]]) -> EventTable:
    """Returns a table of flat events, with columns for the types with which each child occurs."""
    if len(kinds) > _MOST_CHILDREN:
        return EventTable(events_of(events), Terms(flat=True))
    content, children = in_columns(Flat({name: _cell(name, kinds[name]) for name in sorted(kinds)}))
    frame = events.select(*(column(name) for name in ("begin", "end", "label", "qualifier")), *children)
    halves = flat_hashes(column("label"), content)
    h1, h2 = event_hashes(*halves, column("begin"), column("end"), column("qualifier"))
    return EventTable(frame.withColumns({"h1": h1, "h2": h2}), content)


def _cell(name: str, kinds: Collection[str]) -> Cell:
    """Returns the cell of a child by its name and the types with which it occurs."""
    value = F.try_element_at(column("fields"), F.lit(name))
    return Cell(**{kind: value[kind] for kind in FIELD.names if kind in kinds})
