"""The table of records that readers in Python have read.

A row is an event or a rejected record. The terms of flat events are not written out: their JSON and hashes are computed
by Spark from `fields`, and only if something asks for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from cera.connectors.records.layout import Layout, Rejected
from cera.engines.spark.reading.file_splits import Split
from cera.engines.spark.reading.nested_terms import Body, nested_hashes, nested_json
from cera.engines.spark.tables.event_rows import field_of, fields_of, term_row
from cera.engines.spark.tables.event_tables import FIELDS
from cera.engines.spark.tables.term_columns import fields_term
from cera.engines.spark.values.hashing import event_hashes
from cera.model.events.occurrence import Occurrence

REJECTED = ("place", "reason", "text")
ORDER = ("source", "position")

#: `json`, `t1` and `t2` are the terms of events that are not flat.
READ = StructType(
    [
        StructField("source", IntegerType()),
        StructField("position", LongType()),
        StructField("begin", LongType()),
        StructField("end", LongType()),
        StructField("label", StringType()),
        StructField("qualifier", StringType()),
        StructField("json", StringType()),
        StructField("t1", LongType()),
        StructField("t2", LongType()),
        *(StructField(name, StringType()) for name in REJECTED),
        StructField("fields", FIELDS),
    ]
)
_ROWS_IN_BATCH = 10_000


@dataclass(frozen=True)
class ReadSplits:
    """The reader that runs in the workers: yields the rows of the splits whose numbers come in."""

    splits: tuple[Split, ...]
    layout: Layout

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                split = self.splits[number]
                yield from record_batches(split.source, split.read(self.layout), split.first)


def record_batches(source: int, found: Iterable[Occurrence | Rejected], first: int = 1) -> Iterator[pa.RecordBatch]:
    """Yields the rows of the records that a reader yields, numbered from `first` on."""
    numbered = enumerate(found, first)
    while chunk := list(islice(numbered, _ROWS_IN_BATCH)):
        rows = Rows(source)
        for position, item in chunk:
            if isinstance(item, Rejected):
                rows.reject(position, item)
            else:
                rows.add(position, item)
        yield rows.batch()


@dataclass
class Rows:
    """The rows of one batch while they are collected."""

    source: int
    plain: list[tuple[Any, ...]] = field(default_factory=list)
    offsets: list[int | None] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    values: list[tuple[Any, ...]] = field(default_factory=list)
    #: Events whose hashes are computed together, by the numbers of their rows.
    nested: dict[int, tuple[str, Body]] = field(default_factory=dict)

    def reject(self, position: int, item: Rejected) -> None:
        self.offsets.append(None)
        nothing = (None,) * 7
        self.plain.append((self.source, position, *nothing, item.place, item.reason, item.text))

    def add(self, position: int, item: Occurrence) -> None:
        text = None if item.nested is None else nested_json(item.label, item.nested)
        fields = _fields(item) if text is None else None
        term: tuple[Any, ...] = (None, None, None)
        if text is not None and item.nested is not None:
            self.offsets.append(None)
            self.nested[len(self.plain)] = (item.label, item.nested)
            term = (text, None, None)
        elif fields is None:
            self.offsets.append(None)
            term = term_row(item.term)
        else:
            self.offsets.append(len(self.names))
            self.names += fields
            self.values += fields.values()
        self.plain.append(
            (self.source, position, item.begin, item.end, item.label, item.qualifier, *term, None, None, None)
        )

    def batch(self) -> pa.RecordBatch:
        schema = to_arrow_schema(READ)
        columns = [list(column) for column in zip(*self.plain, strict=True)]
        for name, hashes in zip(("t1", "t2"), nested_hashes([*self.nested.values()]), strict=True):
            column = columns[schema.get_field_index(name)]
            for row, hashed in zip(self.nested, hashes, strict=True):
                column[row] = hashed
        arrays = [pa.array(column, part.type) for column, part in zip(columns, schema, strict=False)]
        map_type = schema.field("fields").type
        kinds = list(zip(*self.values, strict=True)) or [()] * 4
        items = pa.StructArray.from_arrays(
            [pa.array(kind, part.type) for kind, part in zip(kinds, map_type.item_type, strict=True)],
            fields=list(map_type.item_type),
        )
        offsets = pa.array([*self.offsets, len(self.names)], pa.int32())
        keys = pa.array(self.names, pa.string())
        arrays.append(pa.MapArray.from_arrays(offsets, keys, items).cast(map_type))
        return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _fields(item: Occurrence) -> dict[str, tuple[Any, ...]] | None:
    """Returns the children of a flat event by name, as the fields of FIELD."""
    if item.content is None:
        return fields_of(item.term)
    return {name: field_of(value) for name, value in item.content.items()}


def events_of(read: DataFrame) -> DataFrame:
    """Selects the events of the rows, with the columns of an event table of terms, and `qualifier`."""
    known = F.when(F.col("json").isNotNull(), F.struct("json", F.col("t1").alias("h1"), F.col("t2").alias("h2")))
    term = F.coalesce(known, fields_term(F.col("label"), F.col("fields")))
    events = read.where(F.col("reason").isNull()).select(
        "begin", "end", "label", "qualifier", "fields", term.alias("term")
    )
    h1, h2 = event_hashes(F.col("term")["h1"], F.col("term")["h2"], F.col("begin"), F.col("end"), F.col("qualifier"))
    return events.withColumns({"h1": h1, "h2": h2})


def rejected_of(read: DataFrame) -> DataFrame:
    """Selects the rejected records of the rows, with the columns of `SourceTables.rejected`."""
    return read.where(F.col("reason").isNotNull()).select(*REJECTED, *ORDER)
