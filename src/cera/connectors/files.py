"""Reading events from files, folders and standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from cera.connectors import csv_files, json_files, jsonl, xml_files
from cera.connectors.layout import Layout, Rejected, rejected
from cera.errors import UsageError
from cera.model.events import Event
from cera.model.spelling import did_you_mean

__all__ = ["ENDINGS", "Layout", "Rejected", "read_events"]

Reader = Callable[[BinaryIO, str, Layout], Iterator[Event | Rejected]]

_READERS: Mapping[str, Reader] = {
    "jsonl": jsonl.read,
    "json": json_files.read,
    "csv": csv_files.read,
    "xml": xml_files.read,
}

#: The format that each ending of a file name stands for.
ENDINGS: Mapping[str, str] = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".csv": "csv", ".xml": "xml"}

_PARQUET = "Parquet is read by the Spark engine, which is not there yet; convert it to JSON lines"
_KNOWN = f"known endings are {', '.join(ENDINGS)}"


def read_events(path: str, layout: Layout) -> Iterator[Event | Rejected]:
    """The events at a path, in the order they stand there, and what could not be read.

    `-` is standard input (JSON lines unless the layout says otherwise). A folder is all event files below it, by their
    endings and in the order of their paths; hidden files and names that start with `_` are not looked at.
    """
    if layout.format is not None and layout.format not in _READERS:
        if layout.format == "parquet":
            raise UsageError(_PARQUET)
        guess = did_you_mean(layout.format, _READERS)
        raise UsageError(f"unknown format '{layout.format}'{guess}; known formats are {', '.join(_READERS)}")
    if path == "-":
        return _READERS[layout.format or "jsonl"](sys.stdin.buffer, "<stdin>", layout)
    file = Path(path)
    _check_readable(file)
    if file.is_dir():
        return _read_folder(file, layout)
    return _read_file(file, _format_of_named(file, layout), layout)


def _check_readable(file: Path) -> None:
    try:
        file.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: no file name at all
        guess = did_you_mean(file.name, _names_in(file.parent))
        raise UsageError(f"there is no file or folder {file}{guess}") from None
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    if not os.access(file, os.R_OK):
        raise UsageError(f"{file} cannot be read; check its permissions")


def _names_in(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except (OSError, ValueError):
        return []


def _format_of_named(file: Path, layout: Layout) -> str:
    """The format of a file that was asked for by name."""
    if layout.format is not None:
        return layout.format
    ending = file.suffix.lower()
    if ending == ".parquet":
        raise UsageError(f"{file}: {_PARQUET}")
    if ending not in ENDINGS:
        found = f"the ending {file.suffix}" if file.suffix else "no ending"
        raise UsageError(f"{file} has {found}, so its format is not known; {_KNOWN}; or give --format")
    return ENDINGS[ending]


def _read_folder(folder: Path, layout: Layout) -> Iterator[Event | Rejected]:
    entries = list(_entries(folder))
    formats = {entry: _format_in_folder(entry, layout) for entry in entries}
    if not any(formats.values()):
        found = f"only {', '.join(sorted(entry.name for entry in entries)[:5])}" if entries else "nothing"
        raise UsageError(f"the folder {folder} has no event files, {found}; {_KNOWN}")
    return _read_entries(formats, layout)


def _entries(folder: Path) -> Iterator[Path]:
    """All files below a folder in the order of their paths, and the folders that are not entered."""
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith((".", "_")):
            continue
        if _is_entered(entry):
            yield from _entries(entry)
        else:
            yield entry


def _is_entered(entry: Path) -> bool:
    return entry.is_dir() and not entry.is_symlink() and os.access(entry, os.R_OK | os.X_OK)


def _format_in_folder(entry: Path, layout: Layout) -> str | None:
    return None if entry.is_dir() else ENDINGS.get(entry.suffix.lower(), layout.format)


def _read_entries(formats: Mapping[Path, str | None], layout: Layout) -> Iterator[Event | Rejected]:
    for entry, name in formats.items():
        if name is not None:
            yield from _read_file(entry, name, layout)
        elif entry.is_dir():
            reason = "a link to a folder, not followed" if entry.is_symlink() else "a folder that may not be read"
            yield rejected(str(entry), reason)
        elif entry.suffix.lower() == ".parquet":
            yield rejected(str(entry), f"not read: {_PARQUET}")
        else:
            yield rejected(str(entry), f"unknown ending, not read; {_KNOWN}")


def _read_file(file: Path, name: str, layout: Layout) -> Iterator[Event | Rejected]:
    try:
        with file.open("rb") as stream:
            yield from _READERS[name](stream, str(file), layout)
    except OSError as error:
        yield rejected(str(file), f"could not be read further: {error.strerror or error}")
