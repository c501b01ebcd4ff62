"""Sources of events: files, standard input, or the changes of a database.

A source is named by a text, on the command line, in a file of settings and in Python. `source_of` decides what kind of
source a text names; no other place looks at the kind of a source. A new kind is a class here and a
line in `source_of`; for streams, a line in `intake_of` of Spark's sources too.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from cera.connectors import fast_jsonl
from cera.connectors.databases.reading import read_changes
from cera.connectors.databases.urls import Sqlite, database, without_password
from cera.connectors.files import EventFile, check_format, event_files, read_event_files, read_stream
from cera.connectors.records.layout import Layout, Rejected
from cera.model.events.event import Event
from cera.model.events.occurrence import Occurrence
from cera.model.url_paths import shown_path, url_for_a_path

_STANDARD_INPUT = "-"
#: The prefix of the URL of a database whose changes are read.
_DATABASE = "db:"

#: The name of standard input in the places of records.
_STDIN = "<stdin>"


class Source(Protocol):
    """A source of events. Nothing is opened before it is asked for."""

    @property
    def text(self) -> str:
        """The text that names it, which may have a password in it."""

    @property
    def shown(self) -> str:
        """Its name in messages, without a password."""

    @property
    def kind(self) -> str:
        """The kind of source, with an article."""

    @property
    def contents(self) -> str:
        """The things that are read from it, as a part of a sentence."""

    @property
    def is_recording(self) -> bool:
        """Whether it consists of files, which can be read twice."""

    @property
    def is_standard_input(self) -> bool: ...

    @property
    def has_layout(self) -> bool:
        """Whether its records follow the given layout; if not, they have a form of their own."""

    @property
    def place(self) -> str:
        """A text that is equal for two names of one source."""

    @property
    def checkpoint_name(self) -> str:
        """The name by which a checkpoint knows it, on disk: without a password, the same from wherever it is named."""

    def is_points(self, layout: Layout) -> bool:
        """Returns whether all its events are points of time."""

    def check_layout(self, layout: Layout) -> None:
        """Raises UsageError if its records cannot be in a layout."""

    def reason_against_stream(self) -> str | None:
        """Returns why a stream cannot wait for events there, None if it can. Raises UsageError on a wrong URL."""

    def files(self, layout: Layout, *, parquet: bool = False) -> list[EventFile | Rejected]:
        """Returns its files, in order, and rejections of entries that are not read; none if it is not a recording.

        Raises UsageError where there is nothing to read. `parquet`: whether that can be read.
        """

    def events(self, layout: Layout) -> Iterator[Event | Rejected]:
        """Returns its events in the order they stand there, and rejections of records that cannot be read.

        Raises UsageError at once if there is nothing to read.
        """

    def occurrences(self, layout: Layout) -> Iterator[Occurrence | Rejected]:
        """Returns the events as occurrences; JSON lines are read the fast way."""

    def copy_into(self, file: Path, layout: Layout) -> EventFile | None:
        """Copies its bytes into a file that can be read twice, and returns it; None if it has records, not bytes."""

    def is_overwritten_by(self, path: Path) -> bool:
        """Returns whether writing to a path overwrites what is read."""

    def contains(self, path: Path) -> bool:
        """Returns whether a path lies in a folder of which all files are read."""

    def in_folder(self, folder: Path) -> Source:
        """Returns the source that the same text names in a file that lies in a folder."""


@dataclass(frozen=True)
class FileSource:
    """A file, or all event files below a folder, by their endings and in the order of their paths.

    Hidden files and names that start with `_` are not looked at.
    """

    text: str

    kind = "a file or folder"
    contents = "files"
    is_recording = True
    is_standard_input = False
    has_layout = True

    @property
    def path(self) -> Path:
        return Path(self.text)

    @property
    def shown(self) -> str:
        return without_password(self.text)

    @property
    def place(self) -> str:
        return str(self.path.resolve())

    @property
    def checkpoint_name(self) -> str:
        return self.place

    def is_points(self, layout: Layout) -> bool:
        return layout.is_points

    def check_layout(self, layout: Layout) -> None:
        check_format(layout, parquet=False)

    def reason_against_stream(self) -> str | None:
        if self.path.is_dir():
            return None
        if self.path.exists():
            return f"{shown_path(self.path)} is a file; name the folder in which files appear"
        return url_for_a_path(self.path) or f"{shown_path(self.path)} is not there"

    def files(self, layout: Layout, *, parquet: bool = False) -> list[EventFile | Rejected]:
        return event_files(self.path, layout, parquet=parquet)

    def events(self, layout: Layout) -> Iterator[Event | Rejected]:
        return read_event_files(self.files(layout), layout)

    def occurrences(self, layout: Layout) -> Iterator[Occurrence | Rejected]:
        return fast_jsonl.read_event_files(self.files(layout), layout)

    def copy_into(self, file: Path, layout: Layout) -> EventFile | None:
        return None

    def is_overwritten_by(self, path: Path) -> bool:
        return path.resolve() == self.path.resolve()

    def contains(self, path: Path) -> bool:
        folder = self.path.resolve()
        return folder.is_dir() and path.resolve().is_relative_to(folder)

    def in_folder(self, folder: Path) -> Source:
        return FileSource(str(folder / self.text))


@dataclass(frozen=True)
class StandardInput:
    """Standard input: JSON lines, unless the layout says otherwise."""

    text = _STANDARD_INPUT
    shown = "standard input"
    kind = "standard input"
    contents = "standard input"
    is_recording = False
    is_standard_input = True
    has_layout = True
    place = _STANDARD_INPUT
    checkpoint_name = _STANDARD_INPUT

    def is_points(self, layout: Layout) -> bool:
        return layout.is_points

    def check_layout(self, layout: Layout) -> None:
        check_format(layout, parquet=False)

    def reason_against_stream(self) -> str | None:
        return None

    def files(self, layout: Layout, *, parquet: bool = False) -> list[EventFile | Rejected]:
        return []

    def events(self, layout: Layout) -> Iterator[Event | Rejected]:
        self.check_layout(layout)
        return read_stream(sys.stdin.buffer, _STDIN, self.format(layout), layout)

    def occurrences(self, layout: Layout) -> Iterator[Occurrence | Rejected]:
        if self.format(layout) == "jsonl" and layout.is_plain:
            return fast_jsonl.read(sys.stdin.buffer, _STDIN, layout)
        return fast_jsonl.occurrences(self.events(layout))

    def copy_into(self, file: Path, layout: Layout) -> EventFile | None:
        with file.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        return EventFile(file, self.format(layout), name=_STDIN)

    def is_overwritten_by(self, path: Path) -> bool:
        return False

    def contains(self, path: Path) -> bool:
        return False

    def in_folder(self, folder: Path) -> Source:
        return self

    @staticmethod
    def format(layout: Layout) -> str:
        """Returns the format of standard input."""
        return layout.format or "jsonl"


@dataclass(frozen=True)
class DatabaseSource:
    """The changes that a database has captured."""

    url: str = field(repr=False)  # it may have a password in it

    kind = "a database"
    contents = "the changes of the database"
    is_recording = False
    is_standard_input = False
    has_layout = False

    @property
    def text(self) -> str:
        return _DATABASE + self.url

    @property
    def shown(self) -> str:
        return without_password(self.text)

    @property
    def place(self) -> str:
        return self.text

    @property
    def checkpoint_name(self) -> str:
        found = database(self.url)
        if isinstance(found, Sqlite):
            return f"{_DATABASE}sqlite:{found.path.resolve()}"
        return _DATABASE + without_password(found.url)

    def is_points(self, layout: Layout) -> bool:
        return True

    def check_layout(self, layout: Layout) -> None:
        """Does nothing: changes have a form of their own, whatever the layout."""

    def reason_against_stream(self) -> str | None:
        database(self.url)
        return None

    def files(self, layout: Layout, *, parquet: bool = False) -> list[EventFile | Rejected]:
        return []

    def events(self, layout: Layout) -> Iterator[Event | Rejected]:
        return read_changes(self.url)

    def occurrences(self, layout: Layout) -> Iterator[Occurrence | Rejected]:
        return fast_jsonl.occurrences(self.events(layout))

    def copy_into(self, file: Path, layout: Layout) -> EventFile | None:
        return None

    def is_overwritten_by(self, path: Path) -> bool:
        return path.resolve() == Path(self.text).resolve()  # there is a file of that name, but the database is meant

    def contains(self, path: Path) -> bool:
        return False

    def in_folder(self, folder: Path) -> Source:
        return self


def source_of(text: str) -> Source:
    """Returns the source that a text names: `-` is standard input, `db:URL` a database, and anything else a path."""
    if text == _STANDARD_INPUT:
        return StandardInput()
    if text.startswith(_DATABASE):
        return DatabaseSource(text.removeprefix(_DATABASE))
    return FileSource(text)
