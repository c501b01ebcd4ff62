"""Columns of Spark as SQL text.

A `Column` of PySpark is an object of the JVM, and each operator on it a call there. These columns are text, which
Spark parses when a DataFrame takes them; whole queries are written from them (`tables/queries.py`). They are columns of
PySpark besides: beside such a one, which only the JVM knows (a Python function, a column of a user), they become one.

Everything is written as a call of a function, operators too, with its name in backquotes. Before Spark's parser knows
what a parenthesis is, it reads on to the one that closes it, for each of those inside once more; `CASE`, `CAST` and
names without backquotes are read twice as well.
"""

# The names of methods are those of PySpark.
# ruff: noqa: N802, N803

from __future__ import annotations

import math
import re
from functools import cached_property, lru_cache
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as in_java
from pyspark.sql.classic.column import Column as JavaColumn
from pyspark.sql.types import DataType

#: Characters that stand for something else in some texts.
_MEANINGS = frozenset("'\\$")

#: The types that are functions.
_CASTS = frozenset({"boolean", "int", "bigint", "double", "string", "date"})

_PLAIN_TYPE = re.compile(r"[\w<>:,() ]+")


class SqlColumn(JavaColumn):
    """A column as SQL text. `named`: the name that it has where it is selected, None if it has none of its own."""

    def __init__(self, text: str, named: str | None = None) -> None:
        self.text = text
        self.named = named

    @cached_property
    def _jc(self) -> Any:
        return in_java.expr(self.selected)._jc

    @property
    def selected(self) -> str:
        """The column as an item that is selected."""
        quoted = None if self.named is None else quoted_name(self.named)
        return self.text if quoted in (None, self.text) else f"{self.text} AS {quoted}"

    def __repr__(self) -> str:
        return f"Column<'{self.selected}'>"

    def alias(self, *alias: str, **kwargs: Any) -> Column:
        return SqlColumn(self.text, *alias) if len(alias) == 1 and not kwargs else super().alias(*alias, **kwargs)

    def _with(self, operator: str, other: Any, otherwise: str) -> Column:
        """Returns an operator between this and a value, or what PySpark's method gives beside one of its columns."""
        if is_text(other):
            return called(operator, self, other)
        found: Column = getattr(super(), otherwise)(other)
        return found

    def _after(self, operator: str, other: Any) -> Column:
        """Returns an operator between a value and this; not beside a column of PySpark, which does it itself."""
        return called(operator, other, self) if is_text(other) else NotImplemented

    def __add__(self, other: Any) -> Column:
        return self._with("+", other, "__add__")

    def __sub__(self, other: Any) -> Column:
        return self._with("-", other, "__sub__")

    def __mul__(self, other: Any) -> Column:
        return self._with("*", other, "__mul__")

    def __truediv__(self, other: Any) -> Column:
        return self._with("/", other, "__truediv__")

    def __mod__(self, other: Any) -> Column:
        return self._with("%", other, "__mod__")

    def __radd__(self, other: Any) -> Column:
        return self._after("+", other)

    def __rsub__(self, other: Any) -> Column:
        return self._after("-", other)

    def __rmul__(self, other: Any) -> Column:
        return self._after("*", other)

    def __rtruediv__(self, other: Any) -> Column:
        return self._after("/", other)

    def __rmod__(self, other: Any) -> Column:
        return self._after("%", other)

    def __neg__(self) -> Column:
        return called("negative", self)

    def __eq__(self, other: Any) -> Column:  # type: ignore[override]
        return self._with("=", other, "__eq__")

    def __ne__(self, other: Any) -> Column:  # type: ignore[override]
        equal: Column = self == other
        return ~equal

    def __lt__(self, other: Any) -> Column:
        return self._with("<", other, "__lt__")

    def __le__(self, other: Any) -> Column:
        return self._with("<=", other, "__le__")

    def __gt__(self, other: Any) -> Column:
        return self._with(">", other, "__gt__")

    def __ge__(self, other: Any) -> Column:
        return self._with(">=", other, "__ge__")

    def __and__(self, other: Any) -> Column:
        return self._with("and", other, "__and__")

    def __or__(self, other: Any) -> Column:
        return self._with("or", other, "__or__")

    def __rand__(self, other: Any) -> Column:
        return self._after("and", other)

    def __ror__(self, other: Any) -> Column:
        return self._after("or", other)

    def __invert__(self) -> Column:
        return called("not", self)

    def __getitem__(self, key: Any) -> Column:
        if isinstance(key, slice) or not is_text(key):
            return super().__getitem__(key)
        return SqlColumn(f"{self.text}[{text_of(key)}]")

    def eqNullSafe(self, other: Any) -> Column:
        return self._with("<=>", other, "eqNullSafe")

    def bitwiseOR(self, other: Any) -> Column:
        return self._with("|", other, "bitwiseOR")

    def bitwiseAND(self, other: Any) -> Column:
        return self._with("&", other, "bitwiseAND")

    def bitwiseXOR(self, other: Any) -> Column:
        return self._with("^", other, "bitwiseXOR")

    def rlike(self, other: str) -> Column:
        return called("rlike", self, other)

    def contains(self, other: Any) -> Column:
        return self._with("contains", other, "contains")

    def startswith(self, other: Any) -> Column:
        return self._with("startswith", other, "startswith")

    def endswith(self, other: Any) -> Column:
        return self._with("endswith", other, "endswith")

    def isin(self, *cols: Any) -> Column:
        if not cols or not all(map(is_text, cols)):
            return super().isin(*cols)
        return called("in", self, *cols)

    def isNull(self) -> Column:
        return called("isnull", self)

    def isNotNull(self) -> Column:
        return called("isnotnull", self)

    def cast(self, dataType: DataType | str) -> Column:
        if dataType in _CASTS:
            return called(str(dataType), self)
        name = type_name(dataType)
        return super().cast(dataType) if name is None else SqlColumn(f"CAST({self.text} AS {name})")

    def try_cast(self, dataType: DataType | str) -> Column:
        name = type_name(dataType)
        return super().try_cast(dataType) if name is None else SqlColumn(f"TRY_CAST({self.text} AS {name})")


class Cases(SqlColumn):
    """CASE WHEN … THEN …, to which `when` adds cases and `otherwise` what holds in all others."""

    def __init__(self, *cases: Any) -> None:
        super().__init__(text_of(called("when", *cases)))
        self._cases = cases

    def when(self, condition: Column, value: Any) -> Column:
        known = is_text(condition) and is_text(value)
        return Cases(*self._cases, condition, value) if known else super().when(condition, value)

    def otherwise(self, value: Any) -> Column:
        return called("when", *self._cases, value) if is_text(value) else super().otherwise(value)


def called(function: str, *arguments: Any) -> SqlColumn:
    """Returns a call of a function with columns and constants."""
    return SqlColumn(f"`{function}`({', '.join(map(text_of, arguments))})")


def is_text(value: object) -> bool:
    """Returns whether a column is SQL text, or a value can be written as such."""
    return isinstance(value, SqlColumn | str | bool | int | float | None)


def text_of(value: Any) -> str:
    """Returns the SQL of a column, or of a constant."""
    match value:
        case SqlColumn():
            return value.text
        case None:
            return "NULL"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return _double(value)
        case str():
            return _string(value)
        case _:
            raise AssertionError(f"a constant of SQL, found {value!r}")


def _double(value: float) -> str:
    if math.isfinite(value):
        return f"{value!r}D"
    return f"CAST('{value}' AS DOUBLE)"


def _string(text: str) -> str:
    """Returns a text as SQL that means the same in every session.

    A setting says what backslashes and doubled quotes are, and Spark replaces `${…}` before it parses, wherever it
    stands. Bytes mean themselves, and Spark makes a text of them when it optimizes.
    """
    if _MEANINGS.isdisjoint(text):
        return f"'{text}'"
    return f"CAST(X'{text.encode().hex()}' AS STRING)"


def quoted_name(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


@lru_cache(maxsize=1_000)
def type_name(kind: DataType | str) -> str | None:
    """Returns the name of a type in SQL; None if only its JSON says all of it."""
    if isinstance(kind, str):
        return kind
    name = kind.simpleString()
    return name if _PLAIN_TYPE.fullmatch(name) and '"nullable":false' not in kind.json() else None
