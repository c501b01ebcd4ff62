"""Relations in tables of databases: SQLite and PostgreSQL. They are read, never written."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, unquote, unquote_plus

from cera.connectors.databases import postgres
from cera.connectors.databases.table_names import TableName, quoted, table_names
from cera.connectors.databases.urls import Database, Postgres, Sqlite, UnreachableError, database
from cera.connectors.records.layout import Rejected
from cera.connectors.relations.relation import Record, Relation
from cera.errors import UsageError
from cera.model.message_text import did_you_mean
from cera.model.terms.json_terms import loads

_SQLITE = "sqlite:"
_TABLE = "table="
_ROWS_AT_A_TIME = 10_000
_SCHEMES = ("sqlite:", "postgresql:", "postgres:")


def is_database(text: str) -> bool:
    return text.lower().startswith(_SCHEMES)


def located_database(url: str, folder: Path) -> str:
    """Returns the URL of a database with a file that is relative to a folder as one that is not."""
    if not url.lower().startswith(_SQLITE):
        return url
    name, mark, query = url[len(_SQLITE) :].partition("?")
    path = Path(unquote(name.removeprefix("///") if name.startswith("///") else name))
    is_relative = not path.is_absolute() and ((folder / path).exists() or not name.startswith("///"))
    return f"{_SQLITE}{quote(str(folder / path))}{mark}{query}" if is_relative else url


def read_table(url: str, relation: Relation) -> Iterator[Record | Rejected]:
    """Returns the rows of a table: that of the parameter `table`, or the one with the name of the relation."""
    place, name = _parts(url, relation)
    return _sqlite(place, name, relation) if isinstance(place, Sqlite) else _postgres(place, name, relation)


def _parts(url: str, relation: Relation) -> tuple[Database, TableName]:
    base, _, query = url.partition("?")
    parameters = query.split("&") if query else []
    given = [unquote_plus(each.removeprefix(_TABLE)) for each in parameters if each.startswith(_TABLE)]
    others = "&".join(each for each in parameters if not each.startswith(_TABLE))
    try:
        place = database(f"{base}?{others}" if others else base)
        names = table_names(given or [f'"{relation.name}"'])
    except UsageError as error:
        raise UsageError(f"the relation {relation.name}: {error.message}") from error
    if len(names) != 1:
        raise UsageError(f"the relation {relation.name}: give one table: {place}?table=NAME")
    return place, names[0]


def _sqlite(place: Sqlite, name: TableName, relation: Relation) -> Iterator[Record]:
    try:
        connection = sqlite3.connect(f"file:{quote(str(place.path))}?mode=ro", uri=True)
        try:
            kinds = "type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
            tables = [row[0] for row in connection.execute(f"SELECT name FROM sqlite_master WHERE {kinds}")]
            table = next((each for each in tables if each.lower() == name.name.lower()), None)
            if table is None:
                raise _no_table(place, name, relation, tables)
            found = connection.execute(f"SELECT * FROM {quoted(table)}")
            columns = [column[0] for column in found.description]
            relation.check_columns(f"the table {table} of {place}", columns)
            for number, row in enumerate(found, 1):
                yield Record(f"{place}, {table}, row {number}", dict(zip(columns, row, strict=True)))
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise UsageError(f"the relation {relation.name}: {place}: {error}") from error


def _postgres(place: Postgres, name: TableName, relation: Relation) -> Iterator[Record]:
    """Yields the rows as JSON, as which their changes are recorded too."""
    try:
        yield from _postgres_rows(place, name, relation)
    except UnreachableError as error:
        raise UnreachableError(f"the relation {relation.name}: {error.message}") from error


def _postgres_rows(place: Postgres, name: TableName, relation: Relation) -> Iterator[Record]:
    with postgres.connected(place) as connection:
        table = _postgres_table(connection, place, name, relation)
        columns = connection.execute(f"SELECT * FROM {table} LIMIT 0").description or []
        relation.check_columns(f"the table {name} of {place}", [column.name for column in columns])
        with connection.cursor("cera_relation") as rows:  # one with a name hands over some rows at a time
            rows.itersize = _ROWS_AT_A_TIME
            rows.execute(f"SELECT to_jsonb(t)::text FROM {table} t")
            for number, (text,) in enumerate(rows, 1):
                values = loads(text)
                assert isinstance(values, dict)
                yield Record(f"{place}, {name}, row {number}", values)


def _postgres_table(connection: postgres.Connection, place: Postgres, wanted: TableName, relation: Relation) -> str:
    """Returns the table as SQL writes it; if none has the name exactly, one that has it in another case."""
    found = connection.execute(
        "SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema') "
        "AND (%s::text IS NOT NULL OR pg_table_is_visible(c.oid)) ORDER BY 1, 2",
        (wanted.schema,),
    ).fetchall()
    exact = [each for each in found if each[1] == wanted.name and wanted.schema in (None, each[0])]
    lower = [each for each in found if (each[1].lower(), each[0].lower()) == _lower(wanted, each[0])]
    for schema, table in (*exact, *lower):
        return f"{quoted(schema)}.{quoted(table)}"
    raise _no_table(place, wanted, relation, [table for _, table in found])


def _lower(wanted: TableName, schema: str) -> tuple[str, str]:
    return wanted.name.lower(), (wanted.schema or schema).lower()


def _no_table(place: Database, name: TableName, relation: Relation, tables: list[str]) -> UsageError:
    listed = f"; there are {', '.join(sorted(tables)[:10])}" if tables else "; the database has no tables"
    there = did_you_mean(name.name, tables) or listed
    return UsageError(f"the relation {relation.name}: {place} has no table {name}{there}")
