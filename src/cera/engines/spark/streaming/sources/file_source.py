"""Folders of event files as streams of messages: new files are read as they appear.

Spark says which files are new; the readers of the connectors read them in Python, so that every format means what it
means to `cera run`, and only the malformed records of a file are lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from cera.connectors import fast_jsonl
from cera.connectors.files import ENDINGS
from cera.connectors.formats.compression import format_ending
from cera.connectors.records.ahead import not_ahead
from cera.connectors.records.layout import Layout, Rejected, rejected
from cera.connectors.source import FileSource
from cera.engines.spark.division.operators import Operator
from cera.engines.spark.division.routing import Router
from cera.engines.spark.streaming.messages.packing import Packer
from cera.engines.spark.streaming.sources.file_names import literal, local_path
from cera.engines.spark.streaming.sources.parquet_files import read_parquet
from cera.engines.spark.streaming.sources.spool import NAME, first_line
from cera.engines.spark.streaming.sources.watermark import EVENT_TIME
from cera.errors import CeraError
from cera.model.events.occurrence import Occurrence

#: How many events are packed before they are sent on.
CHUNK = 50_000

_FILES = "path string, modificationTime timestamp, length bigint, content binary"
_SCHEMA = f"operator string, bucket int, payload binary, `{EVENT_TIME}` timestamp, events bigint"


def file_messages(
    spark: SparkSession,
    folder: str,
    read: Callable[[str], Iterator[Occurrence | Rejected]],
    operators: Sequence[Operator],
    *,
    max_duration: int | None = None,
    max_ahead: int | None = None,
    files_a_batch: int | None = None,
    is_spool: bool = False,
) -> DataFrame:
    """Returns the messages of files that appear in a folder: operator, bucket, payload, event time, event count.

    `read` returns the records of a file. The files of a spool are removed when they have been read.
    """
    reader = spark.readStream.format("binaryFile").schema(_FILES).option("recursiveFileLookup", "true")
    if files_a_batch is not None:
        reader = reader.option("maxFilesPerTrigger", files_a_batch)
    if is_spool:
        reader = reader.option("cleanSource", "delete")
    stage = _ReadStage(read, tuple(operators), max_duration, max_ahead)
    return reader.load(literal(folder)).select("path").mapInArrow(stage, _SCHEMA)


class _ReadStage:
    """Stage that reads files."""

    def __init__(
        self,
        read: Callable[[str], Iterator[Occurrence | Rejected]],
        operators: tuple[Operator, ...],
        max_duration: int | None,
        max_ahead: int | None,
    ) -> None:
        self.read = read
        self.operators = operators
        self.max_duration = max_duration
        self.max_ahead = max_ahead

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        packer = Packer(Router(self.operators), self.max_duration)
        for batch in batches:
            for found in batch.column(0).to_pylist():
                for record in not_ahead(self.read(local_path(found)), self.max_ahead):
                    packer.take(record)
                    if packer.size >= CHUNK:
                        yield _dated(packer)
        yield _dated(packer)


def _dated(packer: Packer) -> pa.RecordBatch:
    """Returns the packed messages with the latest time; the first one counts all events, also unused ones."""
    latest, count = packer.latest or 0, packer.size  # the watermark ignores whether there is a time
    messages = packer.flush()
    others = messages.num_rows - 1
    times = pa.array([latest] * (others + 1), pa.timestamp("us", "UTC"))
    counts = pa.array([count, *[0] * others], pa.int64())
    return pa.RecordBatch.from_arrays(
        [*messages.columns, times, counts], [*messages.schema.names, EVENT_TIME, "events"]
    )


def read_file(path: str, layout: Layout) -> Iterator[Occurrence | Rejected]:
    """Yields the events of a file, whatever is wrong with it."""
    ending = format_ending(Path(path))
    try:
        if (ending == ".parquet" and layout.envelope is None) or layout.format == "parquet":
            yield from read_parquet(path, layout)
        elif ending not in ENDINGS and layout.format is None:
            yield rejected(path, f"unknown ending, not read; known endings are {', '.join(ENDINGS)}, .parquet")
        else:
            yield from FileSource(path).occurrences(layout)
    except (CeraError, OSError) as error:
        yield rejected(path, error.message if isinstance(error, CeraError) else str(error))


def read_spooled(path: str, layout: Layout) -> Iterator[Occurrence | Rejected]:
    """Yields the events of a piece of standard input; places are lines of standard input."""
    if not layout.is_plain or not path.endswith(".jsonl"):
        for record in read_file(path, layout):
            yield replace(record, place=_in_stdin(record.place, path)) if isinstance(record, Rejected) else record
        return
    with open(path, "rb") as stream:
        yield from fast_jsonl.read(stream, NAME, layout, first_line(Path(path)))


def _in_stdin(place: str, path: str) -> str:
    line = place.removeprefix(path).removeprefix(":")
    return f"{NAME}:{int(line) + first_line(Path(path)) - 1}" if line.isdigit() else NAME
