"""What has been done already, kept in a file so that a run that was killed does nothing twice."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cera.errors import EngineError

State = Literal["started", "done", "failed"]
Key = tuple[str, str, int]

_MADE = """CREATE TABLE IF NOT EXISTS actions (
  event TEXT, rule TEXT, number INTEGER, state TEXT NOT NULL, place INTEGER, PRIMARY KEY (event, rule, number)
) WITHOUT ROWID"""


@dataclass(frozen=True)
class Entry:
    """How far an action has come; `place` is where in a file its text begins."""

    state: State
    place: int | None = None


class Ledger:
    """The entries of a file, or of this run alone if there is none."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        try:
            self._connection = sqlite3.connect(
                path or ":memory:",
                isolation_level=None,
                check_same_thread=False,  # who runs actions may be called from another thread than the one that began
            )
            # what is written survives the end of the process at any point, which is all that is asked for
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute(_MADE)
        except sqlite3.Error as error:
            raise EngineError(f"the ledger of actions {path} cannot be used: {error}") from error

    def entry(self, key: Key) -> Entry | None:
        row = self._connection.execute(
            "SELECT state, place FROM actions WHERE event = ? AND rule = ? AND number = ?", key
        ).fetchone()
        return None if row is None else Entry(*row)

    def note(self, key: Key, entry: Entry) -> None:
        try:
            self._connection.execute(
                "INSERT OR REPLACE INTO actions VALUES (?, ?, ?, ?, ?)", (*key, entry.state, entry.place)
            )
        except sqlite3.Error as error:
            raise EngineError(f"the ledger of actions {self._path} cannot be written: {error}") from error

    def close(self) -> None:
        self._connection.close()
