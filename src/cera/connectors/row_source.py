"""Rows of Python as a source of events: dicts, tables of pandas, Polars or Arrow, and events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cera.connectors import fast_jsonl
from cera.connectors.files import EventFile
from cera.connectors.records.layout import Layout, Rejected
from cera.connectors.records.rows import read_rows
from cera.connectors.source import Source
from cera.model.events.event import Event
from cera.model.events.occurrence import Occurrence


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows in this process, which may be there once only, as those of an iterator are."""

    data: object = field(repr=False)

    text = shown = place = checkpoint_name = "<rows>"
    kind = "this process"
    contents = "rows"
    is_recording = False
    is_standard_input = False
    has_layout = True

    def is_points(self, layout: Layout) -> bool:
        return False  # events among the rows may last, whatever the layout

    def check_layout(self, layout: Layout) -> None:
        """Does nothing: rows are checked when they are read."""

    def reason_against_stream(self) -> str | None:
        return "rows of Python are complete, and a stream waits for more; name a folder in which files appear"

    def files(self, layout: Layout, *, parquet: bool = False) -> list[EventFile | Rejected]:
        return []

    def events(self, layout: Layout) -> Iterator[Event | Rejected]:
        return read_rows(self.data, layout)

    def occurrences(self, layout: Layout) -> Iterator[Occurrence | Rejected]:
        return fast_jsonl.occurrences(self.events(layout))

    def copy_into(self, file: Path, layout: Layout) -> EventFile | None:
        return None

    def is_overwritten_by(self, path: Path) -> bool:
        return False

    def contains(self, path: Path) -> bool:
        return False

    def in_folder(self, folder: Path) -> Source:
        return self
