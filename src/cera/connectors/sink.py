"""Sinks of answers: standard output, a file of JSON lines, or a folder of Parquet files; of a stream, a folder too.

`sink_of` decides which of them a path names, and `stream_sink_of` the same for streams; no other place looks at the
ending of a name.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from cera.errors import UsageError
from cera.model.url_paths import no_folder_for

SinkFormat = Literal["jsonl", "parquet"]

_STANDARD_OUTPUT = ("-", "console")
_PARQUET = ".parquet"
#: Endings of formats that are read and not written.
_READ_ONLY = (".csv", ".xml")


class Sink(Protocol):
    """The destination of the answers over a recording or a stream."""

    @property
    def path(self) -> Path | None:
        """The file or folder; None for standard output."""

    @property
    def is_parquet(self) -> bool:
        """Whether answers are rows of Parquet, and not JSON lines."""

    def check(self, option: str) -> None:
        """Raises UsageError if it cannot be written, before any long work is done for it.

        `option` is where it is named, for the message.
        """


@dataclass(frozen=True)
class StandardOutput:
    """Standard output: JSON lines, or tables for people."""

    path = None
    is_parquet = False

    def check(self, option: str) -> None:
        """Does nothing: a closed standard output is found when it is written to."""


@dataclass(frozen=True)
class LineFile:
    """A file of JSON lines, written whole or not at all."""

    path: Path

    is_parquet = False

    def check(self, option: str) -> None:
        if self.path.suffix in _READ_ONLY:
            found = self.path.suffix[1:]
            remedy = f"write {self.path.stem}.jsonl"
            raise UsageError(f"{option}: JSON lines or Parquet are written, no {found}; {remedy}")
        check_writable(option, self.path)


@dataclass(frozen=True)
class ParquetFolder:
    """A new folder of Parquet files, which appears when it is complete."""

    path: Path

    is_parquet = True

    def check(self, option: str) -> None:
        if self.path.exists() and any(self.path.iterdir() if self.path.is_dir() else [self.path]):
            raise UsageError(f"{option}: {self.path} is there already; Parquet is written to a new folder")


@dataclass(frozen=True)
class BatchFolder:
    """A folder in which files of JSON lines or Parquet appear, one for each micro-batch of a stream."""

    path: Path
    is_parquet: bool = False

    def check(self, option: str) -> None:
        """Makes the folder."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise UsageError(f"{option}: {self.path} is a file; name a folder") from None
        except OSError as error:
            raise UsageError(f"{option}: {self.path} cannot be made: {error.strerror}") from error
        if not os.access(self.path, os.W_OK | os.X_OK):
            raise UsageError(f"{option}: {self.path} cannot be written to; check its permissions")


def sink_of(path: Path | None) -> Sink:
    """Returns the sink that a path names by its ending; None is standard output."""
    if path is None:
        return StandardOutput()
    return ParquetFolder(path) if path.suffix == _PARQUET else LineFile(path)


def stream_sink_of(text: str, format: SinkFormat = "jsonl") -> Sink:
    """Returns the sink of a stream: standard output, which is `-` or `console`, or a folder of files in a format."""
    return StandardOutput() if text in _STANDARD_OUTPUT else BatchFolder(Path(text), is_parquet=format == "parquet")


def is_standard_output(text: str) -> bool:
    """Returns whether a text that names an output file is standard output."""
    return text == "-"


def check_writable(option: str, path: Path) -> None:
    """Raises UsageError if the path cannot become a file, before any long work is done for it."""
    if path.is_dir():
        raise UsageError(f"{option}: {path} is a folder; name a file")
    if not path.parent.is_dir():
        raise UsageError(f"{option}: {no_folder_for(path)}")
