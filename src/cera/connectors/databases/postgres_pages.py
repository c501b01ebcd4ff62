"""Pages of changes in PostgreSQL, by the snapshots in which they are visible.

A place is `SNAPSHOT`: every change visible in it has been read. While a window is read it is
`FROM/TO/TIME/TRANSACTION/POSITION`: of the changes that are visible in the snapshot TO and not in FROM (empty: all),
those up to a change have been read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cera.connectors.databases.postgres_functions import run
from cera.errors import UsageError

if TYPE_CHECKING:
    from cera.connectors.databases.postgres_functions import Connection

_SNAPSHOT = r"\d+:\d+:[\d,]*"
_PLACE = re.compile(rf"({_SNAPSHOT})|({_SNAPSHOT})?/({_SNAPSHOT})/(-?\d+)/(\d+)/(\d+)")

_CHANGES = """SELECT position, operation, table_name, old_row::text, new_row::text,
    (extract(epoch FROM committed) * 1000000)::bigint, transaction_id::text
  FROM cera_changes JOIN cera_transactions USING (transaction_id)"""
#: The rest of a transaction that was cut by the end of a page.
_REST = f"""{_CHANGES}
  WHERE transaction_id = %(transaction)s::xid8 AND position > %(position)s::bigint ORDER BY position"""
#: One order for a whole window: by commit, and the changes of a transaction by their positions.
_LATER = f"""{_CHANGES}
  WHERE pg_visible_in_snapshot(transaction_id, %(to)s::pg_snapshot)
    AND (%(from)s::pg_snapshot IS NULL OR (transaction_id >= pg_snapshot_xmin(%(from)s::pg_snapshot)
      AND NOT pg_visible_in_snapshot(transaction_id, %(from)s::pg_snapshot)))
    AND (%(time)s::bigint IS NULL OR (committed, transaction_id)
      > (to_timestamp(0) + %(time)s::bigint * interval '1 microsecond', %(transaction)s::xid8))
  ORDER BY committed, transaction_id, position"""


@dataclass(frozen=True)
class _Place:
    """The changes that have been read: all visible in `start`, and of others visible in `end` all up to a change."""

    start: str | None
    end: str
    time: int | None = None
    transaction: str | None = None
    position: int | None = None

    @property
    def values(self) -> dict[str, Any]:
        """The parameters of the queries."""
        window = {"from": self.start, "to": self.end}
        return {**window, "time": self.time, "transaction": self.transaction, "position": self.position}

    @property
    def queries(self) -> tuple[str, ...]:
        """The queries that give the rest of the window, one after the other."""
        return (_LATER,) if self.time is None else (_REST, _LATER)

    def after(self, row: tuple[Any, ...]) -> str:
        position, *_, time, transaction = row
        return f"{self.start or ''}/{self.end}/{time}/{transaction}/{position}"


def page(connection: Connection, after: str | None, limit: int) -> tuple[list[tuple[Any, ...]], str]:
    """Returns the next changes, and the place after them."""
    rows: list[tuple[Any, ...]] = []
    for window in _windows(connection, after):
        for query in window.queries:
            rows += run(connection, f"{query} LIMIT {int(limit) - len(rows)}", window.values)
            if len(rows) == limit:
                return rows, window.after(rows[-1])
        place = window.end
    return rows, place


def all_rows(connection: Connection, after: str | None) -> Iterator[tuple[Any, ...]]:
    """Yields all changes after a place, as many at a time as the server sends."""
    for window in _windows(connection, after):
        for query in window.queries:
            with connection.cursor("cera_changes") as cursor:
                cursor.itersize = 10_000
                cursor.execute(query, window.values)
                yield from cursor


def _windows(connection: Connection, after: str | None) -> list[_Place]:
    """Returns the window that the place is in; if it was begun earlier, also that of changes visible since then."""
    run(connection, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
    now = _now(connection)
    place = _place(after, now)
    return [place] if place.time is None else [place, _Place(place.end, now)]


def _place(after: str | None, now: str) -> _Place:
    if after is None:
        return _Place(None, now)
    found = _PLACE.fullmatch(after)
    if found is None:
        raise UsageError(f"'{after}' is no place in the changes of a database of PostgreSQL")
    if found[1] is not None:
        place = _Place(found[1], now)
    else:
        place = _Place(found[2], found[3], int(found[4]), found[5], int(found[6]))
    known = place.start if found[1] is not None else place.end
    if int(str(known).split(":")[1]) > int(now.split(":")[1]):
        raise UsageError(f"the place '{after}' is one of another server: it knows later transactions than there are")
    return place


def _now(connection: Connection) -> str:
    [(snapshot,)] = run(connection, "SELECT pg_current_snapshot()::text")
    return str(snapshot)
