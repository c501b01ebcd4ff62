"""Capture in SQLite: three triggers for each table, which name its columns.

A trigger of SQLite cannot know its transaction, nor when that is committed. A writer that wants its changes
treated as one writes a row into `cera_transaction` for the time of the transaction.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import quote

from cera.connectors.databases.sqlite_schema import MADE, OPERATIONS, triggers
from cera.connectors.databases.table_names import TableName, literal, quoted
from cera.connectors.databases.urls import Sqlite, UnreachableError
from cera.errors import EngineError, UsageError
from cera.model.message_text import did_you_mean
from cera.wording import Setting

OWN_TABLES = ("cera_changes", "cera_transaction")

_COLUMNS = ("position", "operation", "table_name", "old_row", "new_row", "committed", "transaction_id")
_BUSY_SECONDS = 30.0


@dataclass(frozen=True)
class CapturedTable:
    """A table with our triggers: its name, its name in events, and what is wrong with the triggers."""

    table: str
    shown: str
    problem: str | None

    @property
    def is_renamed(self) -> bool:
        """Whether the table had another name when it was captured, apart from upper and lower case."""
        return self.table.lower() != self.shown.lower()


@contextmanager
def connected(database: Sqlite, seconds: float | None = None) -> Iterator[sqlite3.Connection]:
    """Opens a connection to an existing file, without transactions of its own; its errors become ours.

    `seconds`: how long to wait for others that write, if not as long as usual.
    """
    seconds = _BUSY_SECONDS if seconds is None else seconds
    try:
        connection = sqlite3.connect(
            f"file:{quote(str(database.path))}?mode=rw",
            uri=True,
            timeout=seconds,
            isolation_level=None,
            check_same_thread=False,  # a kept connection may be used from another thread, as Spark's callbacks do
        )
        try:
            yield connection
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise _failure(database, error, seconds) from error


def _failure(database: Sqlite, error: sqlite3.Error, seconds: float) -> UsageError | EngineError:
    text = str(error)
    if "locked" in text or "busy" in text:
        return UnreachableError(f"{database}: another process has held the database for {seconds:.0f} seconds")
    if "readonly" in text or "unable to open" in text:
        return UsageError(f"{database}: no right to write there ({text})")
    if "not a database" in text or "malformed" in text:
        return UsageError(f"{database}: the file is no database of SQLite ({text})")
    return EngineError(f"{database}: {text}")


@contextmanager
def _changing(connection: sqlite3.Connection) -> Iterator[None]:
    """Makes changes in one transaction: all or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def capture(database: Sqlite, names: Sequence[TableName]) -> list[str]:
    """Creates the change table and the triggers; returns what was done."""
    with connected(database) as connection, _changing(connection):
        tables: dict[str, TableName] = {}
        for name in names:
            tables.setdefault(_table(connection, name), name)
        done = [] if has_changes(connection) else ["made the table cera_changes"]
        for statement in MADE:
            connection.execute(statement)
        if tuple(_columns(connection, "cera_changes")) != _COLUMNS:
            raise UsageError(f"{database}: there is a table cera_changes with other columns, not made by cera capture")
        return done + [_capture_table(connection, table, name.name) for table, name in tables.items()]


def _capture_table(connection: sqlite3.Connection, table: str, shown: str) -> str:
    known = captured(connection)
    for one in known:
        if one.table != table and one.shown.lower() == shown.lower():
            again = f"capture {one.table} again first, or drop its triggers"
            raise UsageError(
                f"{Setting.TABLES}: the table {one.table} is called {one.shown} in events already; {again}"
            )
    before = [one for one in known if one.table == table]
    if [(one.shown, one.problem) for one in before] == [(shown, None)]:
        return f"{shown}: captured already"
    _drop_triggers(connection, table)
    for statement in triggers(table, shown, _columns(connection, table)):
        connection.execute(statement)
    if not before:
        return f"{shown}: captured"
    return f"{shown}: triggers made anew ({before[0].problem or f'it was called {before[0].shown} in events'})"


def drop(database: Sqlite, names: Sequence[TableName]) -> list[str]:
    """Removes the triggers of some tables; without names all, and the change table too."""
    with connected(database) as connection, _changing(connection):
        known = captured(connection)
        renamed = {one.shown.lower(): one.table for one in known if one.is_renamed}
        wanted = [_captured_table(connection, name, renamed) for name in names] or [one.table for one in known]
        done = []
        for table in dict.fromkeys(wanted):
            is_captured = any(one.table == table for one in known)
            _drop_triggers(connection, table)
            done.append(f"{table}: no longer captured" if is_captured else f"{table}: was not captured")
        if not names and has_changes(connection):
            for table in OWN_TABLES:
                connection.execute(f"DROP TABLE IF EXISTS {table}")
            done.append("removed the table cera_changes")
        return done


def _captured_table(connection: sqlite3.Connection, name: TableName, renamed: Mapping[str, str]) -> str:
    """Returns the table of a name; if no table has it any more, the one that had it when it was captured."""
    try:
        return _table(connection, name)
    except UsageError:
        if (now := renamed.get(name.name.lower())) is None:
            raise
        return now


def captured(connection: sqlite3.Connection) -> list[CapturedTable]:
    """Returns the tables with our triggers, and whether these name the columns that the tables have now."""
    rows = connection.execute(
        "SELECT tbl_name, name, sql FROM sqlite_master WHERE type = 'trigger' AND name GLOB 'cera [iud]*' ORDER BY 1, 2"
    )
    found: dict[tuple[str, str], list[str]] = {}
    for table, name, sql in rows:
        found.setdefault((table, name.split(" ", 2)[2]), []).append(sql)
    return [CapturedTable(*key, _problem(connection, CapturedTable(*key, None), found[key])) for key in found]


def _problem(connection: sqlite3.Connection, one: CapturedTable, statements: Sequence[str]) -> str | None:
    table, shown = one.table, one.shown
    if one.is_renamed:
        return f"the table was renamed since it was captured: events still call it {shown}"
    if sorted(statements) == sorted(triggers(table, shown, _columns(connection, table))):
        return None
    text = "".join(statements)
    missing = [name for name in _columns(connection, table) if f"{literal(name)}, CASE" not in text]
    if missing:
        recorded = "is not recorded" if len(missing) == 1 else "are not recorded"
        return f"the table has got new columns since it was captured: {', '.join(missing)} {recorded}"
    if len(statements) < len(OPERATIONS):
        return "one of its triggers has been removed"
    return "the table has been changed since it was captured"


def has_changes(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'cera_changes'").fetchone() is not None


def _table(connection: sqlite3.Connection, wanted: TableName) -> str:
    """Returns the table of a name; if none has it exactly, one that has it in another case."""
    if wanted.schema not in (None, "main"):
        raise UsageError(f"{Setting.TABLES}: SQLite has no schema {wanted.schema}; write {wanted.name}")
    rows = connection.execute("SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view')").fetchall()
    kinds: dict[str, str] = {name: _kind(kind, sql or "") for name, kind, sql in rows}
    # SQLite itself does not distinguish upper and lower case in names.
    name = next((name for name in kinds if name.lower() == wanted.name.lower()), None)
    if name is None:
        known = [name for name in kinds if not name.startswith(("cera_", "sqlite_"))]
        listed = f"; there are {', '.join(sorted(known)[:10])}" if known else "; the database has no tables"
        raise UsageError(
            f"{Setting.TABLES}: there is no table {wanted.name}{did_you_mean(wanted.name, known) or listed}"
        )
    if name in OWN_TABLES:
        raise UsageError(f"{Setting.TABLES}: {name} is a table of cera's own")
    if kinds[name] != "table":
        raise UsageError(f"{Setting.TABLES}: {name} is a {kinds[name]}, and changes of tables can be captured only")
    return name


def _kind(kind: str, sql: str) -> str:
    return "virtual table" if sql.upper().startswith("CREATE VIRTUAL") else kind


def _columns(connection: sqlite3.Connection, table: str) -> dict[str, str]:
    """Returns the columns of a table, generated ones too, with their declared types."""
    rows = connection.execute("SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden <> 1", (table,))
    return {name: kind.upper() for name, kind in rows}


def _drop_triggers(connection: sqlite3.Connection, table: str) -> None:
    rows = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ? AND name GLOB 'cera [iud]*'", (table,)
    ).fetchall()
    for (name,) in rows:
        connection.execute(f"DROP TRIGGER {quoted(name)}")


def page(connection: sqlite3.Connection, after: int, limit: int) -> Iterable[tuple[object, ...]]:
    """Returns the next changes: position, operation, table, old, new, time, transaction."""
    return connection.execute(
        "SELECT position, operation, table_name, old_row, new_row, committed, coalesce(transaction_id, position)"
        " FROM cera_changes WHERE position > ? ORDER BY position LIMIT ?",
        (after, limit),
    ).fetchall()


def last_position(connection: sqlite3.Connection) -> int:
    """Returns the position of the last change that was ever recorded."""
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'cera_changes'").fetchone()
    return 0 if row is None else int(row[0])
