"""The ledger of actions that are done, kept in a file so that a run that was killed does nothing twice.

Only one run may use it at a time: two would both find the same action still to be done.
With its help a text is appended to a file once, even if a run is killed while it writes.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cera.connectors.actions.action import ActionError, Key
from cera.connectors.actions.failure import passing
from cera.errors import EngineError, UsageError

State = Literal["started", "done", "failed"]

_MADE = """CREATE TABLE IF NOT EXISTS actions (
  event TEXT, rule TEXT, action TEXT, state TEXT NOT NULL, place INTEGER, call TEXT, PRIMARY KEY (event, rule, action)
)"""
#: A call that has failed once is kept while it is tried again: a kill in between must not lose it.
_NOTED = """INSERT INTO actions VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
  SET state = excluded.state, place = excluded.place,
    call = CASE excluded.state WHEN 'done' THEN NULL ELSE coalesce(excluded.call, call) END"""
_FOUND = "SELECT state, place, call FROM actions WHERE event = ? AND rule = ? AND action = ?"
_FAILED = "SELECT event, rule, action, call FROM actions WHERE call IS NOT NULL ORDER BY rowid"

#: For a run that is just ending.
_WAIT_SECONDS = 2.0


@dataclass(frozen=True)
class Entry:
    """An action's progress; `place` is where in a file its text begins, `call` what is needed to try it again."""

    state: State
    place: int | None = None
    call: str | None = None


class Ledger:
    """The entries of a file, or of this run alone without a file. The file is locked until the ledger is closed."""

    def __init__(self, path: Path | None) -> None:
        """Raises UsageError if another run has the file."""
        self._path = path
        try:
            self._connection = sqlite3.connect(
                path or ":memory:",
                timeout=_WAIT_SECONDS,
                isolation_level=None,
                check_same_thread=False,  # the caller may use another thread than the one that made the ledger
            )
            # the operating system releases the lock when the process ends, for whatever reason
            self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            # written data survives the end of the process at any point; more is not needed
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute(_MADE)
            self._connection.execute(_FOUND, ("", "", ""))
        except sqlite3.Error as error:
            self._connection.close()
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                message = f"another run uses this ledger of actions, {path}; wait until it ends, or name another one"
                raise UsageError(message) from error
            raise EngineError(f"the ledger of actions {path} cannot be used: {error}") from error

    def entry(self, key: Key) -> Entry | None:
        row = self._connection.execute(_FOUND, key).fetchone()
        return None if row is None else Entry(*row)

    def note(self, key: Key, entry: Entry) -> None:
        try:
            self._connection.execute(_NOTED, (*key, entry.state, entry.place, entry.call))
        except sqlite3.Error as error:
            raise EngineError(f"the ledger of actions {self._path} cannot be written: {error}") from error

    def failed(self) -> Iterator[tuple[Key, str]]:
        """Yields the actions that failed and have not been done since, in the order in which they failed, with their
        calls.
        """
        for event, rule, action, call in self._connection.execute(_FAILED).fetchall():
            yield (event, rule, action), call

    def close(self) -> None:
        self._connection.close()


def append(path: Path, text: str, key: Key, ledger: Ledger) -> None:
    """Appends the text to a file; if the ledger says that this was begun, only the part that is missing.

    The position is noted before; the caller notes that the action is done. The content at that position shows how far
    an earlier run came: the whole text, or a part, which is overwritten. If others have written there, the text counts
    as not written.
    """
    data = text.encode("utf-8", "surrogateescape")
    begun = ledger.entry(key)
    try:
        if path.exists() and not path.is_file():  # a pipe or a device, which cannot be read back
            with path.open("wb") as device:
                device.write(data)
            return
        with open(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666), "r+b") as file:
            size = file.seek(0, os.SEEK_END)
            place = size
            if begun is not None and begun.place is not None and begun.place < size:
                file.seek(begun.place)
                there = file.read(len(data))
                if there == data:
                    return
                if begun.place + len(there) == size and data.startswith(there):
                    place = begun.place
            ledger.note(key, Entry("started", place))
            file.truncate(place)
            file.seek(place)
            file.write(data)
    except OSError as error:
        raise ActionError(f"{path} cannot be written: {error.strerror or error}", passing=passing(error)) from error
