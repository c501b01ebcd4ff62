"""What has been done already, kept in a file so that a run that was killed does nothing twice.

One run at a time: two that look at the same time would both find that something is still to be done.
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
    """How far an action has come; `place` is where in a file its text begins, `call` what is needed to try it again."""

    state: State
    place: int | None = None
    call: str | None = None


class Ledger:
    """The entries of a file, or of this run alone if there is none. Nobody else can use the file until it is closed."""

    def __init__(self, path: Path | None) -> None:
        """Raises UsageError where another run has the file."""
        self._path = path
        try:
            self._connection = sqlite3.connect(
                path or ":memory:",
                timeout=_WAIT_SECONDS,
                isolation_level=None,
                check_same_thread=False,  # who runs actions may be called from another thread than the one that began
            )
            # the lock is the system's: it ends with the process, however that ends
            self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            # what is written survives the end of the process at any point, which is all that is asked for
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
        """The actions that failed and have not been done since, in the order in which they failed, with their calls."""
        for event, rule, action, call in self._connection.execute(_FAILED).fetchall():
            yield (event, rule, action), call

    def close(self) -> None:
        self._connection.close()
