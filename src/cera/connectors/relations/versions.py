"""Versions of relations in a folder beside the checkpoint of a stream, from which its workers read them.

FOLDER/rows/NAME/000003.jsonl    a version: its digest, then a line for each row
FOLDER/announced/….json          which version of relations that are read again is to count next

A version is there, whole, before it is used or announced. Spark takes an announcement with a micro-batch and removes it
when the batch is done; only then are older versions dropped, since a batch that was cut off needs them again.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from json import JSONDecoder
from pathlib import Path
from urllib.parse import quote

from cera.errors import EngineError, UsageError
from cera.model.events.relation_rows import FileRows, NumberedRows, RelationRow, RelationRows
from cera.model.terms.json_terms import term_from_json, term_text
from cera.model.terms.values import read_fraction

_ENDING = ".jsonl"

#: Reads the lines of versions, which were checked before they were written.
_read = JSONDecoder(parse_float=read_fraction).decode
_DIGEST = "digest"


class VersionFolder:
    """The versions of some relations, and the announcements of a run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._announced: dict[Path, Mapping[str, int]] = {}

    @property
    def announcements(self) -> Path:
        return self.path / "announced"

    def newest(self, name: str) -> int | None:
        """Returns the number of the last version of a relation; None if there is none."""
        return max(self._numbers(name), default=None)

    def keep(self, name: str, rows: Iterable[RelationRow]) -> int:
        """Returns the number of the version with these rows: the last one if it has the same, and else a new one."""
        lines = sorted({_line(row) for row in rows})
        digest = hashlib.sha256("".join(lines).encode()).hexdigest()
        newest = self.newest(name)
        if newest is not None and _digest(_file(self.path, name, newest)) == digest:
            return newest
        number = (newest or 0) + 1
        _write(_file(self.path, name, number), "".join([f"{json.dumps({_DIGEST: digest})}\n", *lines]))
        return number

    def announce(self, numbers: Mapping[str, int]) -> None:
        """Lets versions count from the next micro-batch on."""
        self.announcements.mkdir(parents=True, exist_ok=True)
        there = max((int(file.stem) for file in self.announcements.glob("*.json")), default=0)
        sequence = max(there + 1, time.time_ns() // 1_000)  # Spark never reads a file with a name that it knows
        file = self.announcements / f"{sequence}.json"
        _write(file, json.dumps(dict(numbers)))
        self._announced[file] = dict(numbers)

    def drop_replaced(self) -> None:
        """Removes the versions, and the announcements of earlier runs, that no micro-batch can need any more."""
        taken = [file for file in self._announced if not file.exists()]
        for file in taken:
            for name, number in self._announced.pop(file).items():
                for older in self._numbers(name):
                    if older < number:
                        _file(self.path, name, older).unlink(missing_ok=True)
        if taken:
            last = max(int(file.stem) for file in taken)
            for file in self.announcements.glob("*.json"):
                if int(file.stem) < last:
                    file.unlink(missing_ok=True)

    def drop_older(self, name: str, number: int) -> None:
        """Removes the versions of a relation but one, the one before it, and later ones."""
        for older in self._numbers(name):
            if older < number - 1:
                _file(self.path, name, older).unlink(missing_ok=True)

    def _numbers(self, name: str) -> Iterator[int]:
        folder = _file(self.path, name, 0).parent
        return (int(file.stem) for file in folder.glob(f"*{_ENDING}") if file.stem.isdigit())


class KeptRows(FileRows):
    """The rows of one version, which every process reads from its file where they are looked up.

    `origin`, where it is known, is what they were read from. It stays in this process.
    """

    def __init__(self, folder: Path, name: str, number: int, origin: RelationRows | None = None) -> None:
        self._folder = folder
        self._name = name
        self._number = number
        self._rows: tuple[RelationRow, ...] | None = None
        self.origin = origin

    def begin_with(self, number: int) -> None:
        """Sets the version, when it has been written."""
        self._number, self._rows = number, None

    @property
    def rows(self) -> tuple[RelationRow, ...]:
        if self._rows is None:
            self._rows = tuple(self.each())
        return self._rows

    @property
    def place(self) -> str:
        return str(self._file.parent)

    @property
    def written(self) -> tuple[int, int]:
        """The number, and the time at which it was written: another folder may have stood in the same place."""
        try:
            return self._number, self._file.stat().st_mtime_ns
        except OSError as error:
            raise self._missing(error) from error

    def each(self) -> Iterator[RelationRow]:
        try:
            with self._file.open(encoding="utf-8") as lines:
                lines.readline()
                for line in lines:
                    term, since, until = _read(line)
                    yield RelationRow(term_from_json(term), since, until)
        except OSError as error:
            raise self._missing(error) from error

    @property
    def _file(self) -> Path:
        return _file(self._folder, self._name, self._number)

    def _missing(self, error: OSError) -> EngineError:
        version = f"version {self._number} of the relation {self._name}"
        return EngineError(f"{version} is not in {self._folder}: {error.strerror or error}")

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "origin": None, "_rows": None}


class StoredRows(NumberedRows):
    """The rows of a relation by the numbers of their versions, which are read where they are looked up."""

    def __init__(self, folder: Path, name: str, first: int) -> None:
        self._folder = folder
        self._name = name
        self.begin_with(first)

    def begin_with(self, number: int, origin: RelationRows | None = None) -> None:
        """Sets the version that counts where nothing else is known, and what it was read from."""
        self.first = self._number = number
        self._current = KeptRows(self._folder, self._name, number, origin)

    def use(self, number: int) -> None:
        if number != self._number:
            self._number = number
            self._current = KeptRows(self._folder, self._name, number)

    @property
    def current(self) -> KeptRows:
        return self._current


def _file(folder: Path, name: str, number: int) -> Path:
    return folder / "rows" / quote(name, safe="") / f"{number:06d}{_ENDING}"


def _line(row: RelationRow) -> str:
    return f"[{term_text(row.term)}, {row.since}, {row.until}]\n"


def _digest(file: Path) -> str | None:
    """Returns the digest of a version; None if it cannot be read."""
    try:
        with file.open(encoding="utf-8") as lines:
            found = json.loads(lines.readline())[_DIGEST]
            return found if isinstance(found, str) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write(file: Path, text: str) -> None:
    """Writes a file that appears whole, and stays if the machine fails."""
    unfinished = file.with_name(f".{file.name}.unfinished")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(unfinished, file)
    except OSError as error:
        raise UsageError(f"versions of relations cannot be kept in {file.parent}: {error.strerror or error}") from error
