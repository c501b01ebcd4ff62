"""The functions that record changes in PostgreSQL, and whose rights they run with.

If the capturing user may create roles, the functions belong to a role of this database that cannot log in and can only
insert changes: whatever somebody might find to run in them could do no more. Else they belong to the capturing user.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cera.connectors.databases import postgres_schema as schema_
from cera.connectors.databases.table_names import literal, quoted

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

#: Whether a role has only the rights it was given, and only the capturing user can act as it.
_IS_WEAK = """SELECT NOT (rolsuper OR rolcreaterole OR rolcreatedb OR rolbypassrls OR rolreplication OR rolcanlogin)
    AND NOT EXISTS (SELECT FROM pg_auth_members WHERE member = pg_roles.oid
      OR (roleid = pg_roles.oid AND member <> (SELECT oid FROM pg_roles WHERE rolname = current_user)))
  FROM pg_roles WHERE rolname = %s"""


def run(connection: Connection, statement: str, values: Any = None) -> list[tuple[Any, ...]]:
    """Returns the rows of one of our own statements."""
    cursor = connection.execute(statement, values)
    return cursor.fetchall() if cursor.description else []


def make_functions(connection: Connection, home: str) -> None:
    """Recreates the functions, which removes the triggers that call them; they belong to a role with few rights."""
    names = {"schema": quoted(home), "home": literal(home)}
    made = (*schema_.FUNCTIONS_DROPPED, *schema_.FUNCTIONS, *schema_.REVOKED, schema_.COMMIT_TRIGGER)
    for statement in made:
        run(connection, statement.format(**names))
    _give_away(connection, home)


def _give_away(connection: Connection, home: str) -> None:
    owner = _owner(connection)
    if not run(connection, "SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user")[0][0]:
        return
    import psycopg

    try:
        with connection.transaction():
            known = run(connection, _IS_WEAK, (owner,))
            if known and not known[0][0]:
                return
            if not known:
                run(connection, f"CREATE ROLE {owner} NOLOGIN NOINHERIT")
            if not run(connection, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user")[0][0]:
                run(connection, f"GRANT {owner} TO CURRENT_USER")
            for statement in schema_.OWNED:
                run(connection, statement.format(schema=quoted(home), owner=owner))
    except psycopg.errors.InsufficientPrivilege:
        return  # may create roles, but not give them the schema: the functions stay with the capturing user


def drop_owner(connection: Connection) -> None:
    """Removes the role, if there is one and this is not refused: it owns nothing any more."""
    import psycopg

    owner = _owner(connection)
    if not run(connection, "SELECT 1 FROM pg_roles WHERE rolname = %s", (owner,)):
        return
    try:
        with connection.transaction():
            run(connection, f"DROP OWNED BY {owner}")
            run(connection, f"DROP ROLE {owner}")
    except psycopg.errors.InsufficientPrivilege:
        return


def _owner(connection: Connection) -> str:
    """Returns the role of this database: roles belong to all databases of a server."""
    [(number,)] = run(connection, "SELECT oid FROM pg_database WHERE datname = current_database()")
    return f"cera_capture_{int(number)}"
