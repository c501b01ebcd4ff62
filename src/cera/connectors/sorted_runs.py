"""Sorting more events than memory holds: sorted runs in files, merged as they are read.

The files lie in a folder of this process alone, which is why they can be pickles.
"""

from __future__ import annotations

import errno
import heapq
import pickle
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count, islice
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self, TypeVar

from cera.errors import UsageError
from cera.model.events.occurrence import Occurrence

T = TypeVar("T")

#: How many runs are merged at once. Each of them has a file open and a block in memory.
FAN_IN = 32
#: How many records a block has, the unit of reading and writing.
BLOCK = 512

_END = attrgetter("end")


class TemporaryFolder:
    """A folder for the temporary files of a run. It is created with the first file, and removed at exit."""

    def __init__(self) -> None:
        self._folder: TemporaryDirectory[str] | None = None
        self._numbers = count(1)

    def new_file(self) -> Path:
        """Returns the path of a file that does not exist yet."""
        if self._folder is None:
            try:
                self._folder = TemporaryDirectory(prefix="cera-")
            except OSError as error:
                raise UsageError(
                    f"no temporary folder can be made: {error.strerror or error}; let TMPDIR name one that is writable"
                ) from error
        return Path(self._folder.name) / str(next(self._numbers))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            self._folder.cleanup()


class SortedRuns:
    """Events in sorted runs on disk. Runs of one level are merged into one of the next when there are FAN_IN."""

    def __init__(self, folder: TemporaryFolder) -> None:
        self._folder = folder
        #: The runs of each level, the oldest first; those of a higher level are older than those of a lower one.
        self._levels: list[list[Path]] = [[]]

    def add(self, events: list[Occurrence]) -> None:
        """Writes some events as a run. Events with equal ends keep the order in which they were added."""
        self._put(0, sorted(events, key=_END))

    def merged(self) -> Iterator[Occurrence]:
        """Returns all events in the order of their ends."""
        return _merged([run for level in reversed(self._levels) for run in level])

    def _put(self, level: int, events: Iterable[Occurrence]) -> None:
        run = self._folder.new_file()
        write_blocks(run, events)
        if level == len(self._levels):
            self._levels.append([])
        runs = self._levels[level]
        runs.append(run)
        if len(runs) == FAN_IN:
            self._levels[level] = []
            self._put(level + 1, _merged(runs))
            for old in runs:
                old.unlink()


def _merged(runs: Iterable[Path]) -> Iterator[Occurrence]:
    blocks: list[Iterator[Occurrence]] = [read_blocks(run) for run in runs]
    return heapq.merge(*blocks, key=_END)


def write_blocks(path: Path, records: Iterable[object]) -> None:
    """Writes records to a temporary file. Raises UsageError where there is no room for them."""
    found = iter(records)
    with temporary_storage(path), path.open("wb") as stream:
        while block := list(islice(found, BLOCK)):
            pickle.dump(block, stream, pickle.HIGHEST_PROTOCOL)


def read_blocks(path: Path) -> Iterator[T]:
    """Yields the records of a file that `write_blocks` wrote."""
    with path.open("rb") as stream:
        while True:
            try:
                yield from pickle.load(stream)
            except EOFError:
                return


@contextmanager
def temporary_storage(path: Path) -> Iterator[None]:
    """Raises UsageError with a remedy where there is no room for a temporary file."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        raise UsageError(
            f"there is no room for temporary files in {path.parent.parent}: {error.strerror}; "
            "free some, or let TMPDIR name a folder with more"
        ) from error
