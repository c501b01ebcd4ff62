"""Making and removing the triggers that record the changes of tables."""

from __future__ import annotations

from collections.abc import Iterable

from cera.connectors.databases import postgres, sqlite
from cera.connectors.databases.table_names import table_names
from cera.connectors.databases.urls import Sqlite, database
from cera.errors import UsageError
from cera.wording import Setting


def capture(url: str, tables: Iterable[str]) -> list[str]:
    """Records the changes of some tables from now on; returns what was done. Doing it again changes nothing.

    Raises UsageError if there is no such table or no right to do it, UnreachableError where the database is away.
    """
    names = table_names(tables)
    if not names:
        raise UsageError(
            f"{Setting.TABLES} names the tables whose changes are to be captured, for example "
            f"{Setting.TABLES.of('ACC,ORDERS')}"
        )
    found = database(url)
    return sqlite.capture(found, names) if isinstance(found, Sqlite) else postgres.capture(found, names)


def drop(url: str, tables: Iterable[str] = ()) -> list[str]:
    """Ends the recording of some tables; without tables that of all, and removes the recorded changes too."""
    found, names = database(url), table_names(tables)
    return sqlite.drop(found, names) if isinstance(found, Sqlite) else postgres.drop(found, names)


def upgrade(url: str, tables: Iterable[str] = ()) -> list[str]:
    """Brings what an earlier version of cera has made in a database up to date; returns what was done."""
    found, names = database(url), table_names(tables)
    return (
        ["nothing to upgrade: SQLite has no other users"]
        if isinstance(found, Sqlite)
        else postgres.upgrade(found, names)
    )
