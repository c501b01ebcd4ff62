"""Names of tables as a command line writes them: `ACC`, `public.acc`, `"my table"`, `public."Mixed Case"`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from cera.errors import UsageError
from cera.wording import Setting

_PART = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([^",.]+?))\s*(?=[.,]|$)')


@dataclass(frozen=True)
class TableName:
    """A name of a table; an unquoted part may differ from the table's own name in upper and lower case."""

    name: str
    schema: str | None = None
    exact: bool = False
    exact_schema: bool = False

    def __str__(self) -> str:
        return self.name if self.schema is None else f"{self.schema}.{self.name}"


def table_names(texts: Iterable[str]) -> list[TableName]:
    """Returns the names in comma-separated lists, each once. Raises UsageError."""
    found = dict.fromkeys(name for text in texts for name in _names(text))
    shown: dict[str, TableName] = {}
    for name in found:
        if shown.setdefault(name.name, name) != name:
            raise UsageError(
                f"{Setting.TABLES}: {shown[name.name]} and {name} would both be called {name.name} in events"
            )
    return list(found)


def _names(text: str) -> Iterable[TableName]:
    position = 0
    parts: list[tuple[str, bool]] = []
    while True:
        part = _PART.match(text, position)
        if part is None or len(parts) == 2:
            raise UsageError(
                f"{Setting.TABLES}: '{text}' is no list of tables; write for example ACC,ORDERS, public.acc or "
                """'"my table"' with quotes around names that have commas or points"""
            )
        parts.append((part[2], False) if part[1] is None else (part[1].replace('""', '"'), True))
        position = part.end() + 1
        if text[part.end() : position] != ".":
            schema, exact_schema = parts[0] if len(parts) == 2 else (None, False)
            yield TableName(parts[-1][0], schema, parts[-1][1], exact_schema)
            parts = []
            if position > len(text):
                return


def quoted(name: str) -> str:
    """Returns a name as SQL writes it, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Returns a text as SQL writes it; for statements that take no parameters, such as those that create triggers."""
    return "'" + text.replace("'", "''") + "'"
