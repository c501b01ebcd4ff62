"""The ledger of actions that are done, kept in a file so that a run that was killed does nothing twice.

Only one run may use it at a time: two would both find the same action still to be done.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cera.connectors.actions.action import Key
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
                told = f"another run uses this ledger of actions, {path}; wait until it ends, or name another one"
                raise UsageError(told) from error
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
