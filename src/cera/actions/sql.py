"""Running SQL commands exactly once: the note that one is done is committed together with it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from cera.actions.action import ActionError
from cera.actions.ledger import Key
from cera.actions.statements import Statement, parse_statement
from cera.connectors.databases import postgres, sqlite
from cera.connectors.databases.urls import Sqlite, database
from cera.errors import CeraError, UsageError
from cera.model.json_terms import term_to_json
from cera.model.terms import Term, Value

_MADE = """CREATE TABLE IF NOT EXISTS cera_actions (
  event_id text NOT NULL, rule text NOT NULL, number integer NOT NULL, done timestamp DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (event_id, rule, number)
)"""
_THERE = "SELECT 1 FROM cera_actions LIMIT 0"
_NOTED = "INSERT INTO cera_actions (event_id, rule, number) VALUES ({}) ON CONFLICT DO NOTHING"


class SqlTarget:
    """The database that commands run in."""

    def __init__(self, url: str) -> None:
        self._database = database(url)
        self._held = ExitStack()
        self._connection: Any = None

    def prepare(self) -> None:
        """Makes the table of what is done. Raises UsageError or UnreachableError where the database cannot be used."""
        connection = self._connected()
        try:
            connection.execute(_THERE)  # to make a table that is there already needs the right to make tables
        except Exception as error:
            if not _is_of_database(error):
                raise
            connection.rollback()
            self._make(connection)
        connection.commit()

    def _make(self, connection: Any) -> None:
        try:
            connection.execute(_MADE)
        except Exception as error:
            if not _is_of_database(error):
                raise
            self._let_go()
            reason = str(error).strip().splitlines()[0]
            raise UsageError(
                f"{self._database}: the table cera_actions, in which is noted what is done, cannot be made: {reason}"
            ) from error

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
            raise ActionError(str(error)) from error
        except Exception as error:
            self._let_go()
            if not _is_of_database(error):
                raise
            raise ActionError(f"{self._database}: {str(error).strip() or type(error).__name__}") from error

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
            opened: Any = sqlite.connected(found) if isinstance(found, Sqlite) else postgres.connected(found)
            self._connection = self._held.enter_context(opened)
        return self._connection

    def _let_go(self) -> None:
        """What was begun is undone with the connection; the next command gets a new one."""
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


def _plain(value: Value | None) -> Any:
    """A value as the drivers take it; a term as JSON."""
    if isinstance(value, Term):
        return json.dumps(term_to_json(value), ensure_ascii=False)
    return value
