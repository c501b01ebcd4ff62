"""Events of files of Parquet without Spark, row group by row group, for what only looks at events."""

from __future__ import annotations

from collections.abc import Iterator

from cera.connectors import fast_jsonl
from cera.connectors.files import EventFile, read_event_file
from cera.connectors.formats import parquet_files
from cera.connectors.records.layout import Layout, Rejected
from cera.connectors.source import Source
from cera.model.events.event import Event
from cera.model.events.occurrence import Occurrence


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
            yield from parquet_files.read(file.path, layout)
        else:
            yield from read_event_file(file, layout)
