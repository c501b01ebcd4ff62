"""Changes of a database as a folder of files, for readers that can read files again but not a database's past places.

Each change comes into exactly one file, whenever the copying is killed: first the file is written under another name,
then the next place is announced, then the file gets its name, and then the next place becomes the place. A restart
finishes what was begun.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from cera.connectors import fast_jsonl
from cera.connectors.databases.reading import PAGE, poll
from cera.connectors.event_lines import base_line
from cera.connectors.records.layout import Layout, Rejected
from cera.errors import DataError
from cera.model.events.event import Event
from cera.model.events.occurrence import Occurrence
from cera.model.time.time_text import TimeFormat

_TIMES = TimeFormat()

#: The key of an object that is not an event.
REJECTED = "rejected"


def read_spooled_changes(path: str) -> Iterator[Occurrence | Rejected]:
    """Yields the content of a file of a spool that holds rejected changes, too."""
    mark = f'{{"{REJECTED}": '.encode()
    with open(path, "rb") as stream:
        lines = list(stream)
    yield from fast_jsonl.read([line for line in lines if not line.startswith(mark)], path, Layout(times=_TIMES))
    for line in lines:
        if line.startswith(mark):
            yield Rejected(*json.loads(line)[REJECTED])


class ChangeSpool:
    """A copier of changes into files `SEQUENCE-1.jsonl` of event objects; `place` is the file that holds its progress.

    Changes that cannot be read are handed to `reject`, perhaps again after a kill; without it, they stand in the files
    as well, each once, as objects with the key `rejected`.
    """

    def __init__(self, url: str, folder: Path, place: Path, reject: Callable[[Rejected], object] | None) -> None:
        self._url = url
        self._folder = folder
        self._place = place
        self._next = place.with_name(f"{place.name}.next")
        self._reject = reject
        folder.mkdir(parents=True, exist_ok=True)
        self._finish()
        self._sequence, self._position = self._read_place()

    def copy(self, limit: int = PAGE) -> int:
        """Copies the next changes into a file, and returns their number; changes that cannot be read are rejected.

        Raises UnreachableError where the database is away; the next call goes on where this one was.
        """
        polled = poll(self._url, self._position, limit)
        if polled.records:
            name = f"{self._sequence:09d}-1.jsonl"
            objects = [found for record in polled.records if (found := self._object(record)) is not None]
            lines = [json.dumps(found, ensure_ascii=False) + "\n" for found in objects]
            self._unfinished(name).write_text("".join(lines), encoding="utf-8")
            self._announce(self._sequence + 1, polled.position, name)
            self._finish()
            self._sequence += 1
        self._position = polled.position
        return len(polled.records)

    def _object(self, record: Event | Rejected) -> dict[str, Any] | None:
        if isinstance(record, Event):
            return base_line(record, _TIMES)
        if self._reject is None:
            return {REJECTED: [record.place, record.reason, record.text]}
        self._reject(record)
        return None

    def _announce(self, sequence: int, position: str, name: str) -> None:
        written = self._next.with_name(f"{self._next.name}.unfinished")
        written.write_text(json.dumps({"sequence": sequence, "position": position, "file": name}))
        os.replace(written, self._next)

    def _finish(self) -> None:
        """Gives the announced file its name, if it does not have it yet, and makes the next place the place."""
        if not self._next.exists():
            return
        name = json.loads(self._next.read_text())["file"]
        if self._unfinished(name).exists():
            os.replace(self._unfinished(name), self._folder / name)
        os.replace(self._next, self._place)

    def _unfinished(self, name: str) -> Path:
        return self._folder / f".{name}.unfinished"

    def _read_place(self) -> tuple[int, str | None]:
        if not self._place.exists():
            return 1, None
        try:
            found = json.loads(self._place.read_text())
            return int(found["sequence"]), str(found["position"])
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(f"{self._place} does not say how far the changes were read: {error}") from error
