"""SQL commands that run exactly once: the record that one is done is committed together with it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from cera.connectors.actions.action import ActionError, Key
from cera.connectors.actions.texts.statements import Statement, parse_statement
from cera.connectors.databases import postgres, sqlite
from cera.connectors.databases.urls import Sqlite, UnreachableError, database
from cera.errors import CeraError, UsageError
from cera.model.terms.json_terms import term_to_json
from cera.model.terms.term import Term, Value

_MADE = """CREATE TABLE IF NOT EXISTS cera_actions (
  event_id text NOT NULL, rule text NOT NULL, action text NOT NULL, done timestamp DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (event_id, rule, action)
)"""
_THERE = "SELECT event_id, rule, action FROM cera_actions LIMIT 0"
_NOTED = "INSERT INTO cera_actions (event_id, rule, action) VALUES ({}) ON CONFLICT DO NOTHING"

#: How long a command may wait for locks of others, and how long it may run.
_WAIT_SECONDS = 5.0
_LONGEST_SECONDS = 60.0

#: Codes of temporary errors of SQLite: locked by others, disconnected.
_SQLITE_PASSING = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_IOERR)
#: The same for PostgreSQL, by their beginnings: connection lost, conflicting transactions, resources,
#: a lock that others hold, a server that stops or starts, errors of its machine.
_POSTGRES_PASSING = ("08", "40", "53", "55P03", "57", "58")


#: Pragmas that read the database, or hold for one connection; others write or choose files.
_PRAGMAS = frozenset(
    {
        *("foreign_keys", "recursive_triggers", "case_sensitive_like", "defer_foreign_keys", "user_version"),
        *("table_info", "table_xinfo", "table_list", "index_list", "index_info", "foreign_key_list", "encoding"),
    }
)


def _allowed(action: int, first: str | None, second: str | None, *_: object) -> int:
    """Authorizes an operation of a command: anything in its database, and no other file."""
    if action in (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH):
        return sqlite3.SQLITE_DENY  # `vacuum into` attaches its file as well
    if action == sqlite3.SQLITE_PRAGMA and (first or "").lower() not in _PRAGMAS:
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FILE_FUNCTIONS:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


#: Functions that load or write files, where a build of SQLite has them.
_FILE_FUNCTIONS = frozenset(("load_extension", "writefile", "readfile", "edit", "fts3_tokenizer"))


class SqlTarget:
    """The database in which commands run."""

    def __init__(self, url: str) -> None:
        self._database = database(url)
        self._held = ExitStack()
        self._connection: Any = None

    def prepare(self) -> None:
        """Creates the table of commands that are done. Raises UsageError or UnreachableError if the database cannot be
        used.
        """
        connection = self._connected()
        try:
            connection.execute(_THERE)  # creating a table that exists already needs the right to create tables
        except Exception as error:
            if not _is_of_database(error):
                raise
            connection.rollback()
            self._make(connection)
        connection.commit()

    def _make(self, connection: Any) -> None:
        try:
            connection.execute(_MADE)
            connection.execute(_THERE)
        except Exception as error:
            if not _is_of_database(error):
                raise
            self._let_go()
            reason = str(error).strip().splitlines()[0]
            what = "the table cera_actions, in which is noted what is done, cannot be made or used"
            raise UsageError(f"{self._database}: {what}: {reason}") from error

    def execute(self, key: Key, text: str, values: Sequence[Value | None]) -> bool:
        """Runs a command with its values, unless it is done already. Raises ActionError; then nothing is changed."""
        statement = parse_statement(text)
        plain = [_plain(value) for value in values]
        try:
            connection = self._connected()
            done = self._run(connection, key, statement, plain)
            connection.commit()
            return done
        except CeraError as error:
            self._let_go()
            raise ActionError(error.message, passing=isinstance(error, UnreachableError)) from error
        except Exception as error:
            self._let_go()
            if not _is_of_database(error) and not isinstance(error, ValueError | OverflowError):
                raise  # a value that no database takes is an error of the action; any other error is ours
            reason = f"{self._database}: {str(error).strip() or type(error).__name__}"
            raise ActionError(reason, passing=_passes(error)) from error

    def _run(self, connection: Any, key: Key, statement: Statement, values: list[Any]) -> bool:
        if isinstance(self._database, Sqlite):
            connection.execute("BEGIN IMMEDIATE")
            if connection.execute(_NOTED.format("?, ?, ?"), key).rowcount == 0:
                return False
            connection.execute(statement.for_sqlite(), values)
        else:
            if connection.execute(_NOTED.format("%s, %s, %s"), key).rowcount == 0:
                return False
            named = {f"p{number}": value for number, value in enumerate(values, 1)}
            connection.execute(statement.for_postgres(), named)
        return True

    def _connected(self) -> Any:
        if self._connection is None:
            found = self._database
            if isinstance(found, Sqlite):
                self._connection = self._held.enter_context(sqlite.connected(found, seconds=_WAIT_SECONDS))
                self._connection.set_authorizer(_allowed)
            else:
                self._connection = self._held.enter_context(postgres.connected(found))
                self._connection.execute(f"SET lock_timeout = {round(_WAIT_SECONDS * 1000)}")
                self._connection.execute(f"SET statement_timeout = {round(_LONGEST_SECONDS * 1000)}")
                self._connection.commit()
        return self._connection

    def _let_go(self) -> None:
        """Closes the connection, which rolls back what was begun; the next command opens a new one."""
        connection, self._connection, held = self._connection, None, self._held
        self._held = ExitStack()
        if connection is not None:
            try:
                connection.rollback()
                held.close()
            except Exception as error:
                if not _is_of_database(error) and not isinstance(error, CeraError):
                    raise

    def close(self) -> None:
        self._let_go()


def _is_of_database(error: Exception) -> bool:
    return isinstance(error, sqlite3.Error) or type(error).__module__.startswith("psycopg")


def _passes(error: Exception) -> bool:
    """Returns whether the same command may succeed a moment later."""
    if isinstance(error, sqlite3.Error):
        return getattr(error, "sqlite_errorcode", 0) & 0xFF in _SQLITE_PASSING
    state = getattr(error, "sqlstate", None)
    if state is None:  # how the driver itself reports a connection that has gone
        return type(error).__name__ in ("OperationalError", "ConnectionTimeout")
    return str(state).startswith(_POSTGRES_PASSING)


def _plain(value: Value | None) -> Any:
    """Returns a value as the drivers take it; a term as JSON."""
    if isinstance(value, Term):
        return json.dumps(term_to_json(value), ensure_ascii=False)
    return value
