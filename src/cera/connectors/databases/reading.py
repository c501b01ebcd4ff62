"""The changes that triggers have recorded, read completely and each once.

A place in the changes is a text that a caller keeps with its own state. In SQLite, where one transaction writes at a
time, it is the last position. In PostgreSQL positions are given out before transactions commit, and these commit in any
order; there it is a snapshot: what the next poll reads is what is visible now and was not visible in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cera.connectors.databases import postgres, postgres_pages, sqlite
from cera.connectors.databases.urls import Database, Postgres, Sqlite, database
from cera.connectors.records.changes import Change
from cera.connectors.records.layout import RECORD_ERRORS, Rejected, rejected
from cera.errors import UsageError
from cera.model.events.event import Event
from cera.model.terms.json_terms import loads
from cera.model.time.time_text import TimeFormat
from cera.wording import Setting

#: How many changes are read at once.
PAGE = 10_000

_TIMES = TimeFormat("us")


@dataclass(frozen=True)
class ChangePage:
    """Some changes in the order of their commits, and the place after them; `more`: whether others wait already."""

    records: tuple[Event | Rejected, ...]
    position: str
    more: bool


def poll(url: str, after: str | None = None, limit: int = PAGE) -> ChangePage:
    """Returns the changes after a place, at most `limit` of them; from the first on if the place is None.

    A caller that stores `position` in one step with its results of the records has each change exactly once. Raises
    UnreachableError where the database is away, UsageError where no changes are captured or the place is wrong.
    """
    found = database(url)
    if isinstance(found, Sqlite):
        rows, position = _sqlite_page(found, after, limit)
    else:
        with postgres.connected(found) as connection:
            rows, position = postgres_pages.page(connection, after, limit)
    return ChangePage(tuple(_record(row, found) for row in rows), position, len(rows) == limit)


def read_changes(url: str, after: str | None = None) -> Iterator[Event | Rejected]:
    """Yields all changes recorded after a place, those that cannot be read as rejected records.

    A table whose triggers do not fit it any more comes first, as a rejected record that says what to do.
    """
    return _changes(database(url), after)  # a wrong URL is reported at once


def _changes(found: Database, after: str | None) -> Iterator[Event | Rejected]:
    yield from _problems(found)
    if isinstance(found, Postgres):
        with postgres.connected(found) as connection:
            for row in postgres_pages.all_rows(connection, after):
                yield _record(row, found)
        return
    while True:
        rows, after = _sqlite_page(found, after, PAGE)
        for row in rows:
            yield _record(row, found)
        if len(rows) < PAGE:
            return


def problems(url: str) -> list[Rejected]:
    """Returns the captured tables whose triggers do not record what the tables hold now."""
    return list(_problems(database(url)))


def _problems(found: Database) -> Iterator[Rejected]:
    if isinstance(found, Postgres):  # a row is recorded whole there, whatever its columns are
        if postgres.is_outdated(found):
            reason = (
                "the triggers are those of an earlier version, by which any user can get the rights of who captured"
            )
            yield rejected(f"db:{found}", f"{reason}; run `cera capture {Setting.UPGRADE} {Setting.DB} {found}`")
        return
    with sqlite.connected(found) as connection:
        tables = sqlite.captured(connection)
    for table in tables:
        if table.problem is not None:
            name = table.table if table.is_renamed else table.shown
            again = f"run `cera capture {Setting.DB} {found} {Setting.TABLES} {name}` again"
            yield rejected(f"db:{found} table {table.table}", f"{table.problem}; {again}")


def _sqlite_page(found: Sqlite, after: str | None, limit: int) -> tuple[list[tuple[object, ...]], str]:
    if after is not None and not after.isdecimal():
        raise UsageError(f"'{after}' is no place in the changes of {found}")
    start = int(after or 0)
    with sqlite.connected(found) as connection:
        if not sqlite.has_changes(connection):
            first = f"`cera capture {Setting.DB} … {Setting.TABLES} …`"
            raise UsageError(f"{found}: no changes are captured there; run {first} first")
        if start > (last := sqlite.last_position(connection)):
            raise UsageError(
                f"{found}: the place {start} lies after the last change, {last}: the changes were captured anew since"
            )
        rows = list(sqlite.page(connection, start, limit))
    return rows, str(rows[-1][0] if rows else start)


def _record(row: tuple[object, ...], found: Database) -> Event | Rejected:
    """Returns the event of (position, operation, table, old, new, time, transaction)."""
    position, operation, table, old, new, time, transaction = row
    try:
        assert isinstance(position, int)
        before, after = (None if text is None else loads(str(text)) for text in (old, new))
        return Change(str(operation), str(table), _TIMES.parse(time), before, after, position, str(transaction)).event()
    except RECORD_ERRORS as error:
        text = " ".join(str(part) for part in (operation, table, old, new) if part is not None)
        return rejected(f"db:{found} position {position}", str(error), text)
