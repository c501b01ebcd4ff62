"""Capture in PostgreSQL, version 13 or later."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from cera.connectors.databases import postgres_schema as schema_
from cera.connectors.databases.postgres_functions import drop_owner, make_functions, run
from cera.connectors.databases.table_names import TableName, literal, quoted
from cera.connectors.databases.urls import POSTGRES, Postgres, UnreachableError, is_understood
from cera.errors import EngineError, UsageError
from cera.model.message_text import did_you_mean
from cera.wording import Setting

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

#: The first version that numbers transactions without ever using a number again.
_VERSION = 130000
_CONNECT_SECONDS = 10
_LOCK_SECONDS = 30
#: A lock, since two captures at once would both create the tables; the number stands for "cera capture".
_CAPTURE_LOCK = 0x63657261
_KINDS = {"v": "a view", "m": "a materialized view", "f": "a foreign table"}


def _driver() -> Any:
    try:
        import psycopg
    except ImportError as error:
        raise UsageError(f"PostgreSQL needs psycopg ({error}); install it with: pip install 'cera[postgres]'") from None
    return psycopg


#: How a server refuses in a way that waiting does not help. (If it speaks another language, it is waited for.)
_REFUSED = re.compile(
    r'FATAL: +((database|role) ".*" does not exist|password authentication failed|no pg_hba\.conf entry)'
)


@contextmanager
def connected(database: Postgres) -> Iterator[Connection]:
    """Opens a connection whose changes are committed at the end; its errors become ours."""
    driver = _driver()
    signs = "in user and password write % as %25, @ as %40, : as %3A and / as %2F"
    wrong = UsageError(f"'{database}' is no URL of PostgreSQL; write {POSTGRES}; {signs}")
    if not is_understood(database.url):
        raise wrong
    try:
        settings = driver.conninfo.conninfo_to_dict(database.url)
        settings.setdefault("connect_timeout", str(_CONNECT_SECONDS))
        settings.setdefault("application_name", "cera")
    except driver.ProgrammingError:  # the text may quote a part of the password
        raise wrong from None
    try:
        connection = driver.connect(**settings)
    except driver.Error as error:
        reason = _first_line(error)
        if secret := settings.get("password"):
            reason = reason.replace(str(secret), "***")
        if _REFUSED.search(reason):
            raise UsageError(f"{database}: {reason}") from error
        raise UnreachableError(f"{database} cannot be reached: {reason}") from error
    try:
        with connection:
            if connection.info.server_version < _VERSION:
                raise UsageError(f"{database}: PostgreSQL 13 or later is needed")
            yield connection
    except driver.errors.InsufficientPrivilege as error:
        raise UsageError(f"{database}: no right to do that ({_first_line(error)})") from error
    except driver.errors.UndefinedTable as error:
        raise UsageError(f"{database}: {_first_line(error)}; has `cera capture` been run there?") from error
    except driver.errors.LockNotAvailable as error:
        held = f"another transaction has held a table for {_LOCK_SECONDS} seconds"
        raise UnreachableError(f"{database}: {held}; nothing was changed") from error
    except driver.OperationalError as error:
        raise UnreachableError(f"{database}: {_first_line(error)}") from error
    except driver.Error as error:
        raise EngineError(f"{database}: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def capture(database: Postgres, names: Sequence[TableName]) -> list[str]:
    """Creates the change table and the triggers; returns what was done."""
    with connected(database) as connection:
        _begin(connection)
        tables: dict[tuple[str, str], TableName] = {}
        for name in names:
            tables.setdefault(_table(connection, name), name)
        home = own_schema(connection)
        done = []
        if home is None:
            home = _first_schema(connection, database)
            for statement in schema_.TABLES:
                run(connection, statement.format(schema=quoted(home)))
            done.append(f"made the table {home}.cera_changes")
            make_functions(connection, home)
        return done + [_capture_table(connection, home, *table, name) for table, name in tables.items()]


def _begin(connection: Connection) -> None:
    """Allows one capture at a time, with a limit on waiting: all writers would wait behind it."""
    run(connection, f"SET LOCAL lock_timeout = '{_LOCK_SECONDS}s'")
    run(connection, "SELECT pg_advisory_xact_lock(%s)", (_CAPTURE_LOCK,))


def _capture_table(connection: Connection, home: str, schema: str, table: str, name: TableName) -> str:
    """Captures a table; returns what was done, and the table's own name where the given one differs in case."""
    done = _captured_table(connection, home, schema, table, name.name)
    return done if name.exact or name.name == name.name.lower() else f"{done}, the table {_shown(schema, table)}"


def _captured_table(connection: Connection, home: str, schema: str, table: str, shown: str) -> str:
    known = {(row[0], row[1]): (row[2], row[3]) for row in run(connection, schema_.CAPTURED, (home,))}
    others = [f"{one[0]}.{one[1]}" for one, (name, _) in known.items() if name == shown and one != (schema, table)]
    if others:
        raise UsageError(f"{Setting.TABLES}: {others[0]} is called {shown} in events already")
    before = known.get((schema, table))
    if before == (shown, 2):
        return f"{shown}: captured already"
    _drop_triggers(connection, schema, table)
    _make_triggers(connection, home, schema, table, shown)
    if before is None:
        return f"{shown}: captured"
    was = "one of its triggers was missing" if before[1] < 2 else f"it was called {before[0]} in events"
    return f"{shown}: triggers made anew ({was})"


def _shown(*names: str) -> str:
    """Returns names as SQL needs them, in quotes where they would mean another without."""
    return ".".join(name if re.fullmatch(r"[a-z_][a-z0-9_]*", name, re.ASCII) else quoted(name) for name in names)


def drop(database: Postgres, names: Sequence[TableName]) -> list[str]:
    """Removes the triggers of some tables; without names all, and the change table too."""
    with connected(database) as connection:
        _begin(connection)
        home = own_schema(connection)
        known = {} if home is None else {(row[0], row[1]): row[2] for row in run(connection, schema_.CAPTURED, (home,))}
        wanted = [_table(connection, name) for name in names] if names else list(known)
        done = []
        for schema, table in dict.fromkeys(wanted):
            if (schema, table) in known:
                _drop_triggers(connection, schema, table)
                done.append(f"{known[schema, table]}: no longer captured")
            else:
                done.append(f"{table}: was not captured")
        if not names and home is not None:
            for statement in schema_.DROPPED:
                run(connection, statement.format(schema=quoted(home)))
            drop_owner(connection)
            done.append(f"removed the table {home}.cera_changes")
        return done


def upgrade(database: Postgres, names: Sequence[TableName]) -> list[str]:
    """Recreates the functions and triggers of an earlier version; returns what was done.

    Everybody could create triggers with the functions then, and so claim changes of any table. So all triggers are
    removed, and those of the tables named are created; without names, of all tables, unless two have the same name in
    events.
    """
    with connected(database) as connection:
        _begin(connection)
        home = own_schema(connection)
        if home is None:
            raise UsageError(f"{database}: no changes are captured there")
        known = {(row[0], row[1]): row[2] for row in run(connection, schema_.CAPTURED, (home,))}
        kept = {table: known[table] for table in (_table(connection, name) for name in names) if table in known}
        for schema, table in run(connection, schema_.TEMPORARY):
            known.pop((schema, table), None)
        if not names:
            kept = known
            claimed = Counter(kept.values())
            doubtful = sorted(_shown(*table) for table, shown in kept.items() if claimed[shown] > 1)
            if doubtful:
                raise UsageError(
                    f"{database}: changes of several tables have the same name in events ({', '.join(doubtful)}), so"
                    f" somebody may have forged them; name the tables that are to be captured with {Setting.TABLES}"
                )
        make_functions(connection, home)
        done = ["made the functions anew"]
        for table, shown in kept.items():
            _make_triggers(connection, home, *table, shown)
            done.append(f"{shown}: triggers made anew")
        done += [f"{_shown(*table)}: no longer captured" for table in known if table not in kept]
        return done


def _make_triggers(connection: Connection, home: str, schema: str, table: str, shown: str) -> None:
    names = {"table": f"{quoted(schema)}.{quoted(table)}", "schema": quoted(home), "shown": literal(shown)}
    for statement in (schema_.ROW_TRIGGER, schema_.TRUNCATE_TRIGGER):
        run(connection, statement.format(**names))


def is_outdated(database: Postgres) -> bool:
    """Returns whether changes are recorded by functions that let others do what only the capturing user may do."""
    with connected(database) as connection:
        home = own_schema(connection)
        found = run(connection, schema_.OUTDATED, {"version": schema_.VERSION, "schema": home})
        return any(row[0] for row in found)


def _drop_triggers(connection: Connection, schema: str, table: str) -> None:
    for trigger in ("cera_capture", "cera_truncate"):
        run(connection, f"DROP TRIGGER IF EXISTS {trigger} ON {quoted(schema)}.{quoted(table)}")


def own_schema(connection: Connection) -> str | None:
    """Returns the schema of the search path that the change table is in."""
    found = run(
        connection,
        "SELECT space.nspname FROM pg_class class JOIN pg_namespace space ON space.oid = class.relnamespace"
        " WHERE class.oid = to_regclass('cera_changes')",
    )
    return found[0][0] if found else None


def _first_schema(connection: Connection, database: Postgres) -> str:
    [(name,)] = run(connection, "SELECT current_schema()")
    if name is None:
        raise UsageError(f"{database}: there is no schema in the search path to make the change table in")
    return str(name)


def _table(connection: Connection, wanted: TableName) -> tuple[str, str]:
    """Returns schema and name of a table. An unquoted name means the one in lower case, as in SQL, else one spelt like
    it.
    """
    values = vars(wanted)
    found = run(connection, schema_.NAMED, values)
    if not found:
        known = [row[0] for row in run(connection, schema_.VISIBLE)]
        listed = f"; there are {', '.join(known[:10])}" if known else "; the database has no tables"
        guess = did_you_mean(str(wanted).lower(), known) or did_you_mean(str(wanted), known) or listed
        raise UsageError(f"{Setting.TABLES}: there is no table {wanted}{guess}")
    schema, name, kind = found[0]
    if kind in _KINDS:
        raise UsageError(f"{Setting.TABLES}: {name} is {_KINDS[kind]}, and changes of tables can be captured only")
    if name in ("cera_changes", "cera_transactions"):
        raise UsageError(f"{Setting.TABLES}: {name} is a table of cera's own")
    return schema, name
