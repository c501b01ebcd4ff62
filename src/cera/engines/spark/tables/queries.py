"""DataFrames that are SQL text until Spark is asked for them.

Whenever a DataFrame is made of another one, Spark analyzes the new one with all that is below it, and PySpark calls the
JVM for every part of it. A query is a DataFrame all the same, but its `select`, `where`, `join`, and so on only write
text: the JVM sees it when something else is asked of it, and then it is parsed and analyzed once. What text cannot say
is done by the methods of PySpark, which give DataFrames of its own; these are named in text as views.
"""

# The names of methods are those of PySpark.
# ruff: noqa: N802, N803

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from os import getpid
from random import randrange
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.classic.dataframe import DataFrame as JavaFrame

from cera.engines.spark.values.sql_columns import SqlColumn, quoted_name

#: A query that is longer is analyzed by itself before another one is made of it, so that text does not grow without
#: bounds where several are made of one.
_LONGEST = 40_000

#: So deep are queries in each other at most: they are parsed and analyzed by recursion.
_DEEPEST = 30

_JOINS = {"inner": "JOIN", "left": "LEFT JOIN", "left_anti": "LEFT ANTI JOIN", "left_semi": "LEFT SEMI JOIN"}

#: Views have names that a user has not.
_PROCESS, _NUMBERS = f"{getpid()}_{randrange(10**9)}", count()


@dataclass(frozen=True)
class _Text:
    """`SELECT selected FROM source WHERE conditions`, or a union of such; `views` are the frames that are named."""

    source: str
    conditions: tuple[str, ...] = ()
    selected: tuple[str, ...] | None = None
    distinct: bool = False
    rest: str = ""
    hint: str = ""
    joined: bool = False
    depth: int = 0

    @cached_property
    def written(self) -> str:
        chosen = "*" if self.selected is None else ", ".join(self.selected)
        where = f" WHERE {' AND '.join(self.conditions)}" if self.conditions else ""
        return f"SELECT {self.hint}{'DISTINCT ' * self.distinct}{chosen} FROM {self.source}{where}{self.rest}"


class Query(JavaFrame):
    """A DataFrame as SQL text over views, with these columns."""

    def __init__(self, session: SparkSession, text: _Text, columns: Sequence[str], views: Mapping[str, DataFrame]):
        self._session = session
        self._sc = session._sc
        self.is_cached = False
        self._support_repr_html = False
        self._text = text
        self._names = list(columns)
        self._views = views

    @cached_property
    def _jdf(self) -> Any:
        """Analyzes the query. The views are there for that long only, which a catalog by itself would not allow."""
        java: Any = self._session._jsparkSession
        for name, frame in self._views.items():
            frame._jdf.createOrReplaceTempView(name)
        try:
            return java.sql(self._text.written)
        finally:
            catalog = java.sessionState().catalog()  # that of the session would forget what is cached of a view
            for name in self._views:
                catalog.dropTempView(name)

    @property
    def columns(self) -> list[str]:
        return list(self._names)

    def _made(self, text: _Text, columns: Sequence[str], other: Query | None = None) -> Query:
        views = self._views if other is None else {**self._views, **other._views}
        return Query(self._session, text, columns, views)

    @property
    def _below(self) -> Query:
        """The query as what stands in another one: as it is, or a view if it is long, or analyzed already."""
        is_view = self._text.source in self._views and self._text == _Text(self._text.source)
        long = len(self._text.written) > _LONGEST or self._text.depth > _DEEPEST
        return self._view if not is_view and (long or "_jdf" in self.__dict__) else self

    @cached_property
    def _view(self) -> Query:
        return _named(self)

    @property
    def _item(self) -> _Text:
        """The query as what another one selects from, or adds conditions to."""
        if self._text.selected is None:
            return self._text
        return _Text(f"({self._text.written})", depth=self._text.depth + 1)

    @property
    def _side(self) -> str:
        """The query as a side of a join."""
        item = self._item
        return f"({item.written})" if item.conditions or item.joined else item.source

    def select(self, *cols: Any) -> DataFrame:
        chosen = [column for each in cols for column in (each if isinstance(each, list) else [each])]
        parts = _selected(chosen)
        if parts is None:
            return super().select(*cols)
        return self._selecting(parts)

    def _selecting(self, parts: Mapping[str, str]) -> DataFrame:
        below = self._below
        return below._made(replace(below._item, selected=tuple(parts.values())), list(parts))

    def where(self, condition: Any) -> DataFrame:
        if not isinstance(condition, SqlColumn):
            return super().filter(condition)  # which `where` of PySpark calls
        below = self._below
        item = below._item
        return below._made(replace(item, conditions=(*item.conditions, condition.text)), below._names)

    filter = where

    def withColumns(self, *colsMap: Any) -> DataFrame:
        [new] = colsMap
        if not all(isinstance(each, SqlColumn) for each in new.values()):
            return super().withColumns(*colsMap)
        parts = {name: quoted_name(name) for name in self._names}
        return self._selecting(parts | {name: each.alias(name).selected for name, each in new.items()})

    def withColumn(self, colName: str, col: Column) -> DataFrame:
        return self.withColumns({colName: col})

    def drop(self, *cols: Any) -> DataFrame:
        if not all(isinstance(each, str) for each in cols):
            return super().drop(*cols)
        return self._selecting({name: quoted_name(name) for name in self._names if name not in cols})

    def distinct(self) -> DataFrame:
        below = self._below
        parts = tuple(map(quoted_name, below._names))
        return below._made(replace(below._item, selected=parts, distinct=True), below._names)

    def dropDuplicates(self, *subset: Any) -> DataFrame:
        return super().dropDuplicates(*subset) if subset else self.distinct()

    def join(self, other: DataFrame, on: Any = None, how: str | None = None) -> DataFrame:
        how = how or "inner"
        if not isinstance(on, SqlColumn) or how not in _JOINS:
            return super().join(other, on, how)
        left, right = self._below, query(other)._below
        alias = f"cera_side_{next(_NUMBERS)}"
        source = f"{left._side} {_JOINS[how]} {right._side} AS {alias} ON {on.text}"
        hint = f"/*+ BROADCAST({alias}) */ " if isinstance(other, _Broadcast) else ""
        names = left._names if how in ("left_anti", "left_semi") else [*left._names, *right._names]
        depth = max(left._text.depth, right._text.depth) + 1
        return left._made(_Text(source, hint=hint, joined=True, depth=depth), names, right)

    def unionByName(self, other: DataFrame, allowMissingColumns: bool = False) -> DataFrame:
        if set(other.columns) != set(self._names):
            return super().unionByName(other, allowMissingColumns)
        one, two = self._below, query(other)._below
        texts = [each._selecting({name: quoted_name(name) for name in self._names}) for each in (one, two)]
        written = [each._text.written for each in texts if isinstance(each, Query)]
        depth = max(one._text.depth, two._text.depth) + 1
        return one._made(_Text(f"({' UNION ALL '.join(written)})", depth=depth), self._names, two)

    def groupBy(self, *cols: Any) -> Any:
        parts = _selected(cols)
        return super().groupBy(*cols) if parts is None else Groups(self, cols, parts)


class _Broadcast(Query):
    """A query that is sent to all workers where it is joined."""

    @cached_property
    def _jdf(self) -> Any:
        return self._made(self._text, self._names).hint("broadcast")._jdf


class Groups:
    """The groups of the rows of a query with equal values of some columns."""

    def __init__(self, rows: Query, columns: Sequence[Any], parts: Mapping[str, str]) -> None:
        self._rows = rows
        self._columns = columns
        self._parts = parts

    def agg(self, *aggregates: Column) -> DataFrame:
        found = _selected(aggregates)
        if found is None:
            rows: Any = super(Query, self._rows)
            made: DataFrame = rows.groupBy(*self._columns).agg(*aggregates)
            return made
        below = self._rows._below
        by = [each.text if isinstance(each, SqlColumn) else quoted_name(each) for each in self._columns]
        rest = f" GROUP BY {', '.join(by)}" if by else ""
        text = replace(below._item, selected=(*self._parts.values(), *found.values()), rest=rest)
        return below._made(text, [*self._parts, *found])

    def count(self) -> DataFrame:
        return self.agg(SqlColumn("`count`(1)", "count"))


def query(frame: DataFrame) -> Query:
    """Returns a DataFrame as a query, which names it as a view."""
    return frame if isinstance(frame, Query) else _named(frame)


def analyzed(frame: DataFrame) -> DataFrame:
    """Returns a frame as one of PySpark, for a user: the columns of what is made of it are then still its own."""
    return JavaFrame(frame._jdf, frame.sparkSession) if isinstance(frame, Query) else frame


def broadcast(frame: DataFrame) -> DataFrame:
    """Returns the frame with the hint that it is small enough to be sent to all workers."""
    if not isinstance(frame, Query):
        return frame.hint("broadcast")
    return _Broadcast(frame._session, frame._text, frame._names, frame._views)


def _named(frame: DataFrame) -> Query:
    """Returns a query of all that is in a frame."""
    name = f"cera_view_{_PROCESS}_{next(_NUMBERS)}"
    made = Query(frame.sparkSession, _Text(name), frame.columns, {name: frame})
    made.__dict__["_jdf"] = frame._jdf
    return made


def _selected(columns: Sequence[Any]) -> dict[str, str] | None:
    """Returns the items of a selection by their names; None if it is not known what these are, or not as text."""
    parts: dict[str, str] = {}
    for column in columns:
        if isinstance(column, str) and "*" not in column and "." not in column and "`" not in column:
            parts[column] = quoted_name(column)
        elif isinstance(column, SqlColumn) and column.named is not None:
            parts[column.named] = column.selected
        else:
            return None
    return parts if len(parts) == len(columns) else None
