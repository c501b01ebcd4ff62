"""The objects that capture creates in SQLite: the change table, the table of the open transaction, and the triggers."""

from __future__ import annotations

from collections.abc import Mapping

from cera.connectors.databases.table_names import literal, quoted

OPERATIONS = ("insert", "update", "delete")

#: `json_object` takes 127 arguments in most builds of SQLite.
_COLUMNS_AT_ONCE = 60

#: Times never go back along the positions, whatever the clock does.
NOW = (
    "max(strftime('%Y-%m-%dT%H:%M:%fZ', 'now'),"
    " coalesce((SELECT committed FROM cera_changes ORDER BY position DESC LIMIT 1), ''))"
)

MADE = (
    """CREATE TABLE IF NOT EXISTS cera_changes (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  operation TEXT NOT NULL,
  table_name TEXT NOT NULL,
  old_row TEXT,
  new_row TEXT,
  committed TEXT NOT NULL,
  transaction_id INTEGER
)""",
    "CREATE TABLE IF NOT EXISTS cera_transaction (number INTEGER)",
    """CREATE TRIGGER IF NOT EXISTS cera_transaction_begins AFTER INSERT ON cera_transaction BEGIN
  UPDATE cera_transaction
  SET number = 1 + coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'cera_changes'), 0);
END""",
    f"""CREATE TRIGGER IF NOT EXISTS cera_transaction_ends BEFORE DELETE ON cera_transaction BEGIN
  UPDATE cera_changes SET committed = {NOW} WHERE position >= OLD.number;
END""",
)


def triggers(table: str, shown: str, columns: Mapping[str, str]) -> list[str]:
    """Returns the statements that create the triggers of a table with these columns, written as SQLite keeps them."""
    old, new = _row("OLD", columns), _row("NEW", columns)
    rows = {"insert": ("NULL", new), "update": (old, new), "delete": (old, "NULL")}
    return [_trigger(table, shown, operation, *rows[operation]) for operation in OPERATIONS]


def _trigger(table: str, shown: str, operation: str, old: str, new: str) -> str:
    return (
        f"CREATE TRIGGER {quoted(f'cera {operation} {shown}')} AFTER {operation.upper()} ON {quoted(table)} BEGIN\n"
        "  INSERT INTO cera_changes (operation, table_name, old_row, new_row, committed, transaction_id)\n"
        f"  VALUES ({literal(operation)}, {literal(shown)},\n    {old},\n    {new},\n    {NOW},\n"
        "    (SELECT number FROM cera_transaction LIMIT 1));\nEND"
    )


def _row(prefix: str, columns: Mapping[str, str]) -> str:
    """Returns SQL for the JSON of a row. That of a table with many columns is merged from parts, which leaves nulls
    out.
    """
    fields = [f"{literal(name)}, {_value(f'{prefix}.{quoted(name)}', kind)}" for name, kind in columns.items()]
    pieces = [fields[i : i + _COLUMNS_AT_ONCE] for i in range(0, len(fields), _COLUMNS_AT_ONCE)]
    objects = [f"json_object({', '.join(piece)})" for piece in pieces]
    row = objects[0]
    for other in objects[1:]:
        row = f"json_patch({row}, {other})"
    return row


def _value(column: str, kind: str) -> str:
    """Returns SQL for a value in JSON: reals to the last digit (and no infinities), bytes as PostgreSQL writes them."""
    real = f"CASE WHEN abs({column}) <= 1.7976931348623157e308 THEN json(printf('%!.17g', {column})) END"
    text = f" WHEN 'text' THEN CASE WHEN json_valid({column}) THEN json({column}) ELSE {column} END"
    return (
        f"CASE typeof({column}) WHEN 'real' THEN {real}{text if 'JSON' in kind else ''}"
        f" WHEN 'blob' THEN '\\x' || lower(hex({column})) ELSE {column} END"
    )
