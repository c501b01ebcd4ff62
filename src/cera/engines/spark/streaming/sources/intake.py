"""The ways of sources into a stream: files that appear in a folder, which Spark can read again after a restart. Other
sources are copied into files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from cera.connectors.change_spool import read_spooled_changes
from cera.connectors.records.layout import Layout, Rejected
from cera.connectors.source import DatabaseSource, FileSource, Source, StandardInput
from cera.engines.spark.streaming.sources.change_source import ChangeSource
from cera.engines.spark.streaming.sources.file_names import unreadable
from cera.engines.spark.streaming.sources.file_source import read_file, read_spooled
from cera.engines.spark.streaming.sources.spool import Spool
from cera.errors import UsageError
from cera.model.events.occurrence import Occurrence

ReadFile = Callable[[str], Iterator[Occurrence | Rejected]]


class Intake:
    """The folder of a source, the reader of its files, and the copying that puts the files there.

    The files of a spool are copies, which are removed when they have been read.
    """

    def __init__(self, folder: Path, read: ReadFile, *, is_spool: bool) -> None:
        self.folder = folder
        self.read = read
        self.is_spool = is_spool

    def open(self) -> None:
        """Begins to take input that cannot wait for Spark to start."""

    def prepare(self) -> Iterable[Rejected]:
        """Prepares the copying, and returns what is known already to be unreadable."""
        return ()

    def follow(self) -> None:
        """Begins to copy what comes, until it is stopped."""

    def copy(self) -> None:
        """Copies what is there now."""

    def is_copied(self, seconds: float) -> bool:
        """Waits a while for what is there now, and returns whether all of it is copied."""
        return True

    def check(self) -> None:
        """Raises CeraError where the copying has failed."""

    def has_ended(self) -> bool:
        """Returns whether the source has ended. Raises UsageError where its input could not be kept."""
        return False

    def stop(self) -> None:
        """Ends the copying."""


class FolderIntake(Intake):
    """A folder in which other processes put files."""

    def __init__(self, folder: Path, layout: Layout) -> None:
        super().__init__(folder, partial(read_file, layout=layout), is_spool=False)

    def prepare(self) -> Iterable[Rejected]:
        return unreadable(self.folder)


class StandardInputIntake(Intake):
    """Standard input, copied from the start; the stream ends with it."""

    def __init__(self, source: StandardInput, layout: Layout, folder: Path) -> None:
        super().__init__(folder, partial(read_spooled, layout=layout), is_spool=True)
        self._format = source.format(layout)

    def open(self) -> None:
        self._spool = Spool(sys.stdin.buffer, self.folder, self._format)
        self._spool.start()

    def is_copied(self, seconds: float) -> bool:
        return self._spool.ended.wait(seconds)

    def has_ended(self) -> bool:
        if not self._spool.ended.is_set():
            return False
        if self._spool.failure is not None:
            raise UsageError(f"standard input cannot be kept: {self._spool.failure.strerror}")
        return True


class ChangeIntake(Intake):
    """The changes of a database, which is polled for new ones."""

    def __init__(self, source: DatabaseSource, folder: Path, away: Callable[[str | None], object]) -> None:
        super().__init__(folder, read_spooled_changes, is_spool=True)
        self._changes = ChangeSource(source.url, folder, folder.with_suffix(".place"), away)

    def prepare(self) -> Iterable[Rejected]:
        self.folder.mkdir(parents=True, exist_ok=True)
        return self._changes.problems()

    def follow(self) -> None:
        self._changes.start()

    def copy(self) -> None:
        self._changes.copy()

    def check(self) -> None:
        if self._changes.failure is not None:
            raise self._changes.failure

    def stop(self) -> None:
        self._changes.stop()


def intake_of(
    source: Source, layout: Layout, *, spool: Path, changes: Path, away: Callable[[str | None], object]
) -> Intake:
    """Returns the intake of a source, by its kind.

    `spool` and `changes` are the folders for copies of standard input and of changes. `away` is called with the reason
    when a database stops answering, and with None when it does again.
    """
    match source:
        case FileSource():
            return FolderIntake(source.path, layout)
        case StandardInput():
            return StandardInputIntake(source, layout, spool)
        case DatabaseSource():
            return ChangeIntake(source, changes, away)
        case _:
            raise UsageError(f"{source.shown}: {source.kind} cannot be read by a stream")
