"""Events of files of Parquet without Spark, row group by row group, for what only looks at events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from cera.connectors import fast_jsonl
from cera.connectors.files import EventFile, read_event_file
from cera.connectors.records.layout import Layout, Rejected
from cera.connectors.records.rows import read_rows
from cera.connectors.source import Source
from cera.errors import UsageError
from cera.model.events.event import Event
from cera.model.events.occurrence import Occurrence

_ROWS_AT_A_TIME = 10_000


def occurrences_of(source: Source, layout: Layout) -> Iterator[Occurrence | Rejected]:
    """Returns the events of a source as `Source.occurrences` does, and those of Parquet too."""
    files = source.files(layout, parquet=True)
    if not any(isinstance(file, EventFile) and file.format == "parquet" for file in files):
        return source.occurrences(layout)
    return fast_jsonl.occurrences(_events(files, layout))


def _events(files: list[EventFile | Rejected], layout: Layout) -> Iterator[Event | Rejected]:
    for file in files:
        if isinstance(file, Rejected):
            yield file
        elif file.format == "parquet":
            yield from _rows(file.path, layout)
        else:
            yield from read_event_file(file, layout)


def _rows(path: Path, layout: Layout) -> Iterator[Event | Rejected]:
    try:
        import pyarrow.parquet as pq  # comes with the extra `spark`
    except ImportError:
        raise UsageError(f"{path} is Parquet, which pyarrow reads; install it, or convert the file") from None
    try:
        first = 0
        for batch in pq.ParquetFile(path).iter_batches(batch_size=_ROWS_AT_A_TIME):
            for number, one in enumerate(read_rows(batch, layout), first + 1):
                yield replace(one, place=f"{path}, row {number}") if isinstance(one, Rejected) else one
            first += batch.num_rows
    except (OSError, ValueError) as error:  # as pyarrow's errors are
        raise UsageError(f"{path} cannot be read: {error}") from None
