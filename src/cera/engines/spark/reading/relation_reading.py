"""Reads large relations in Spark's Python workers, by the readers of `cera.connectors`.

So a row means the same, and a wrong one is the same error, as on every other engine. The rows stay on Spark; the
driver gets a summary of each part: what is wrong in it, and which attributes its rows have.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, Row, SparkSession, Window
from pyspark.sql import functions as F

from cera.connectors.files import EventFile
from cera.connectors.records.layout import Rejected
from cera.connectors.relations.files import (
    ParquetPart,
    is_json_lines,
    is_parquet,
    json_records,
    parquet_parts,
    unreadable,
)
from cera.connectors.relations.reading import LocatedRows, closed, located
from cera.connectors.relations.relation import Record, Relation
from cera.engines.spark.reading.file_splits import Split, splits
from cera.engines.spark.reading.record_rows import READ, Rows
from cera.engines.spark.reading.recordings import TASKS_PER_CORE, tables_of_rows
from cera.engines.spark.tables.event_tables import FIELD, EventTable
from cera.engines.spark.tables.relations import column
from cera.errors import CeraError, DataError, EngineError, UsageError
from cera.model.events.occurrence import Occurrence
from cera.model.events.relation_rows import Version
from cera.model.time.interval import MAX_TIME

_ROWS_IN_BATCH = 10_000

#: The errors of readers, by name: a worker reports them, and the driver raises them.
ERRORS: Mapping[str, type[CeraError]] = {kind.__name__: kind for kind in (UsageError, DataError, EngineError)}


def error_name(error: CeraError) -> str:
    """Returns the name by which a worker reports an error."""
    return next((name for name, kind in ERRORS.items() if isinstance(error, kind)), EngineError.__name__)


@dataclass(frozen=True)
class WholeSource:
    """A file or table that one task reads."""

    source: str

    def records(self, relation: Relation) -> Iterator[Record | Rejected]:
        return LocatedRows(relation, self.source).records()


@dataclass(frozen=True)
class Lines:
    """A stretch of a file of JSON lines."""

    split: Split

    def records(self, relation: Relation) -> Iterator[Record | Rejected]:
        try:
            yield from json_records(self.split.lines(), self.split.path, self.split.first)
        except OSError as error:
            raise unreadable(relation, Path(self.split.path), error) from error


Part = WholeSource | Lines | ParquetPart


def relation_parts(rows: LocatedRows) -> tuple[Part, ...]:
    """Returns what the tasks read: pieces of JSON lines, row groups of Parquet, anything else as a whole."""
    path = rows.path
    if path is not None and is_json_lines(path):
        return tuple(map(Lines, splits(0, EventFile(path, "jsonl"))))
    if path is not None and is_parquet(path):
        return tuple(parquet_parts(path, rows.relation))
    return (WholeSource(rows.source),)


def read_in_workers(spark: SparkSession, rows: LocatedRows) -> tuple[EventTable, ...]:
    """Reads a relation now, so that it is read once, and persists its rows.

    Raises UsageError and DataError as the readers do, for what comes first in the source.
    """
    relation = rows.relation
    here = f"{Path.cwd()}/"
    there = located(rows.source, Path.cwd())  # workers may run in another folder
    parts = relation_parts(LocatedRows(relation, there))
    tasks = min(len(parts), TASKS_PER_CORE * spark.sparkContext.defaultParallelism)
    numbers = spark.range(0, len(parts), 1, tasks)
    read = numbers.mapInArrow(ReadParts(parts, relation), READ).persist(StorageLevel.MEMORY_AND_DISK)
    reports = read.where(column("reason").isNotNull()).orderBy("source", "position").collect()
    try:
        found = _summary(relation, reports, "" if there == rows.source else here)
    except CeraError:
        read.unpersist()
        raise
    if not found.flat and not found.deep:
        return ()
    made = _valid_for(read) if relation.valid_from is not None else read
    return tables_of_rows(made, flat=found.flat, deep=found.deep, kinds=found.kinds, points=False).tables


def _valid_for(read: DataFrame) -> DataFrame:
    """Returns the rows with the last time at which each is valid: before the next version with the same key."""
    versions = Window.partitionBy("qualifier").orderBy("begin").rangeBetween(1, Window.unboundedFollowing)
    return read.withColumn("end", F.coalesce(F.min("begin").over(versions) - 1, F.lit(MAX_TIME)))


@dataclass
class Summary:
    """What the rows of some parts have: their attributes, the types of those of flat rows, and both kinds of rows."""

    fields: dict[str, None]
    kinds: dict[str, set[str]]
    flat: bool = False
    deep: bool = False

    def text(self) -> str:
        kinds = {name: sorted(found) for name, found in self.kinds.items()}
        return json.dumps([list(self.fields), kinds, self.flat, self.deep])

    def count(self, rows: Rows) -> None:
        """Adds rows of this part."""
        flat = sum(offset is not None for offset in rows.offsets)
        self.flat, self.deep = self.flat or flat > 0, self.deep or flat < len(rows.offsets)
        for name, values in zip(rows.names, rows.values, strict=True):
            kind = next(kind for kind, value in zip(FIELD.names, values, strict=True) if value is not None)
            self.kinds.setdefault(name, set()).add(kind)

    def add(self, text: str) -> None:
        """Adds the summary of another part."""
        fields, kinds, flat, deep = json.loads(text)
        self.fields.update(dict.fromkeys(fields))
        for name, found in kinds.items():
            self.kinds.setdefault(name, set()).update(found)
        self.flat, self.deep = self.flat or flat, self.deep or deep


@dataclass(frozen=True)
class ReadParts:
    """The reader that runs in the workers: yields the rows of the parts whose numbers come in.

    The key of a row's versions is its qualifier. A part ends with a row that has its summary, or the first mistake.
    """

    parts: tuple[Part, ...]
    relation: Relation

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from self._batches(number)

    def _batches(self, number: int) -> Iterator[pa.RecordBatch]:
        rows, summary, position = Rows(number), Summary({}, {}), 0
        try:
            with closed(self.parts[number].records(self.relation)) as records:
                for position, record in enumerate(records, 1):
                    version = self.relation.row(record) if isinstance(record, Record) else record
                    if isinstance(version, Rejected):
                        rows.reject(position, version)
                        yield rows.batch()
                        return
                    assert isinstance(record, Record)
                    summary.fields.update(dict.fromkeys(map(str, record.values)))
                    self._add(rows, position, version)
                    if len(rows.plain) >= _ROWS_IN_BATCH:
                        summary.count(rows)
                        yield rows.batch()
                        rows = Rows(number)
            summary.count(rows)
            report = Rejected("", "", summary.text())
        except CeraError as error:
            report = Rejected("", error.message, error_name(error))
        rows.reject(position + 1, report)
        yield rows.batch()

    def _add(self, rows: Rows, position: int, version: Version) -> None:
        key = None if self.relation.valid_from is None else json.dumps(version.key)
        row = Occurrence(version.since, version.since, self.relation.name, known=version.term, qualifier=key)
        rows.add(position, row)


def _summary(relation: Relation, reports: Sequence[Row], folder: str) -> Summary:
    """Returns what the rows have. Raises the first mistake, whose places are those without the `folder`."""
    found = Summary({}, {})
    for report in reports:
        place, reason = (report[name].replace(folder, "") if folder else report[name] for name in ("place", "reason"))
        if place:
            raise relation.error(place, reason)
        if reason:
            raise ERRORS[report["text"]](reason)
        found.add(report["text"])
    if found.flat or found.deep:
        relation.check_fields(found.fields)
    return found
