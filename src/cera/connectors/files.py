"""The files of events at a path, their formats, and reading them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from cera.connectors.formats import csv_files, json_files, jsonl
from cera.connectors.formats.compression import COMPRESSED, format_ending, open_events
from cera.connectors.records.layout import Layout, Rejected, rejected
from cera.errors import UsageError
from cera.model.events.event import Event
from cera.model.message_text import did_you_mean
from cera.model.url_paths import shown_path, url_for_a_path
from cera.wording import Setting

__all__ = [
    "ENDINGS",
    "EventFile",
    "Layout",
    "Rejected",
    "check_format",
    "event_files",
    "formats",
    "read_event_file",
    "read_event_files",
    "read_stream",
]

Reader = Callable[[BinaryIO, str, Layout], Iterator[Event | Rejected]]


def _read_xml(stream: BinaryIO, name: str, layout: Layout) -> Iterator[Event | Rejected]:
    from cera.connectors.formats import xml_files  # imports the Internet's protocols, and few events are XML

    return xml_files.read(stream, name, layout)


_READERS: Mapping[str, Reader] = {
    "jsonl": jsonl.read,
    "json": json_files.read,
    "csv": csv_files.read,
    "xml": _read_xml,
}

#: The format that each ending of a file name stands for.
ENDINGS: Mapping[str, str] = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".csv": "csv", ".xml": "xml"}

#: How many names a message lists.
_NAMED = 5
_ENVELOPES = "change events of Debezium are JSON lines or JSON"
_PARQUET = f"Parquet is read by the Spark engine; give {Setting.ENGINE.of('spark')}, or convert it to JSON lines"


@dataclass(frozen=True)
class EventFile:
    """A file and the format that it is read in."""

    path: Path
    format: str
    #: Its name in messages, if that is not its path.
    name: str | None = None

    @property
    def shown(self) -> str:
        return self.name or str(self.path)


def event_files(path: Path, layout: Layout, *, parquet: bool = False) -> list[EventFile | Rejected]:
    """Returns the files at a path, in order, and the entries of the folder that are not read.

    A folder is all event files below it, by their endings and in the order of their paths; hidden files and names that
    start with `_` are not looked at. `parquet`: whether that can be read.

    Raises UsageError if there is nothing to read.
    """
    check_format(layout, parquet=parquet)
    _check_readable(path)
    return _in_folder(path, layout, parquet) if path.is_dir() else [EventFile(path, _format_of(path, layout, parquet))]


def formats(found: Iterable[EventFile | Rejected]) -> Mapping[str, int]:
    """Returns the number of files of each format, in the order of the formats' names."""
    return Counter(sorted(file.format for file in found if isinstance(file, EventFile)))


def read_event_file(file: EventFile, layout: Layout) -> Iterator[Event | Rejected]:
    """Returns the events of one file that is not Parquet."""
    try:
        with open_events(file.path) as stream:
            yield from _READERS[file.format](stream, file.shown, layout)
    except OSError as error:
        yield rejected(file.shown, f"could not be read further: {error.strerror or error}")


def read_event_files(found: Iterable[EventFile | Rejected], layout: Layout) -> Iterator[Event | Rejected]:
    """Returns the events of files that are not Parquet, one file after the other, and the entries that are not read."""
    for file in found:
        if isinstance(file, EventFile):
            yield from read_event_file(file, layout)
        else:
            yield file


def read_stream(stream: BinaryIO, name: str, format_: str, layout: Layout) -> Iterator[Event | Rejected]:
    """Returns the events of an open stream of bytes in a format that is not Parquet."""
    return _READERS[format_](stream, name, layout)


def _known(parquet: bool) -> str:
    endings = ", ".join((*ENDINGS, ".parquet") if parquet else ENDINGS)
    return f"known endings are {endings}, also with {' or '.join(COMPRESSED)} behind"


def check_format(layout: Layout, *, parquet: bool) -> None:
    known = (*_READERS, "parquet") if parquet else tuple(_READERS)
    if layout.format is not None and layout.format not in known:
        if layout.format == "parquet":
            raise UsageError(_PARQUET)
        guess = did_you_mean(layout.format, known)
        raise UsageError(f"unknown format '{layout.format}'{guess}; known formats are {', '.join(known)}")
    if layout.format is not None and not _is_readable(layout.format, layout):
        both = f"{Setting.FORMAT.of(layout.format)} and {Setting.LAYOUT.of(layout.envelope or '')}"
        raise UsageError(f"{both}: {_ENVELOPES}")


def _is_readable(name: str, layout: Layout) -> bool:
    """Returns whether files of a format can have records in the layout."""
    return layout.envelope is None or name in ("jsonl", "json")


def _check_readable(file: Path) -> None:
    try:
        file.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: not a valid file name
        guess = did_you_mean(file.name, _names_in(file.parent))
        missing = f"there is no file or folder {shown_path(file)}{guess}"
        raise UsageError(url_for_a_path(file) or missing) from None
    except OSError as error:
        raise UsageError(f"{shown_path(file)} cannot be read: {error.strerror}") from None
    if not os.access(file, os.R_OK):
        raise UsageError(f"{file} cannot be read; check its permissions")


def _names_in(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except (OSError, ValueError):
        return []


def _format_of(file: Path, layout: Layout, parquet: bool) -> str:
    """Returns the format of a file that was asked for by name."""
    if layout.format is not None:
        return layout.format
    ending = format_ending(file)
    if ending in {**ENDINGS, ".parquet": "parquet"} and not _is_readable(ENDINGS.get(ending, "parquet"), layout):
        raise UsageError(f"{file}: {_ENVELOPES}; give {Setting.FORMAT} if it has another ending")
    if ending == ".parquet":
        if not parquet:
            raise UsageError(f"{file}: {_PARQUET}")
        return "parquet"
    if ending not in ENDINGS:
        found = f"the ending {''.join(file.suffixes[-2:])}" if file.suffix else "no ending"
        raise UsageError(f"{file} has {found}, so its format is not known; {_known(parquet)}; or give {Setting.FORMAT}")
    return ENDINGS[ending]


def _in_folder(folder: Path, layout: Layout, parquet: bool) -> list[EventFile | Rejected]:
    entries = list(_entries(folder))
    found = [_in_folder_found(entry, layout, parquet) for entry in entries]
    if not any(isinstance(file, EventFile) for file in found):
        raise UsageError(_nothing_in(folder, entries, parquet))
    return found


def _nothing_in(folder: Path, entries: list[Path], parquet: bool) -> str:
    """Returns why there is nothing to read in a folder with these entries."""
    if entries:
        names = sorted(entry.name for entry in entries)
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        found = f"the folder {folder} has no event files, only {', '.join(names[:_NAMED])}{more}; {_known(parquet)}"
        by_spark = not parquet and any(name.endswith(".parquet") for name in names)
        return f"{found}; Parquet is read with {Setting.ENGINE.of('spark')}" if by_spark else found
    endings = ", ".join((*ENDINGS, ".parquet") if parquet else ENDINGS)
    looked_for = f"looked for files that end in {endings}, in it and in the folders below"
    if not (names := sorted(_names_in(folder))):
        return f"the folder {folder} is empty: {looked_for}"
    left_out = "names that begin with . or _ are left out, and folders without files do not count"
    return f"the folder {folder} has no event files, only {', '.join(names[:_NAMED])}: {looked_for}; {left_out}"


def _entries(folder: Path) -> Iterator[Path]:
    """Yields all files below a folder in the order of their paths, and the folders that are not entered."""
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith((".", "_")):
            continue
        if _is_entered(entry):
            yield from _entries(entry)
        else:
            yield entry


def _is_entered(entry: Path) -> bool:
    return entry.is_dir() and not entry.is_symlink() and os.access(entry, os.R_OK | os.X_OK)


def _in_folder_found(entry: Path, layout: Layout, parquet: bool) -> EventFile | Rejected:
    if entry.is_dir():
        reason = "a link to a folder, not followed" if entry.is_symlink() else "a folder that may not be read"
        return rejected(str(entry), reason)
    ending = format_ending(entry)
    if ending == ".parquet" and not _is_readable("parquet", layout):
        return rejected(str(entry), f"not read: {_ENVELOPES}")
    if ending == ".parquet" and (parquet or layout.format is None):
        return EventFile(entry, "parquet") if parquet else rejected(str(entry), f"not read: {_PARQUET}")
    name = ENDINGS.get(ending, layout.format)
    if name is not None and not _is_readable(name, layout):
        return rejected(str(entry), f"not read: {_ENVELOPES}")
    return (
        rejected(str(entry), f"unknown ending, not read; {_known(parquet)}") if name is None else EventFile(entry, name)
    )
