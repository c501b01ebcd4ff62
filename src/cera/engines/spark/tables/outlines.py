"""Outlines of DataFrames: which columns there are, without Spark and without rows.

What a plan is lowered to depends on the columns of tables and of what is made of them: which types a variable has, and
which sides share one. An outline has the methods of a DataFrame that plans use; each gives the columns of its result.
"""

# The names of methods are those of PySpark.
# ruff: noqa: N802, N803

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql.classic.dataframe import DataFrame as JavaFrame

from cera.engines.spark.tables.event_tables import EventTable


class Outline(JavaFrame):
    """The columns of a DataFrame."""

    def __init__(self, columns: Sequence[str]) -> None:
        self._names = list(columns)

    @property
    def columns(self) -> list[str]:
        return list(self._names)

    @property
    def isStreaming(self) -> bool:
        return False

    def select(self, *cols: Any) -> DataFrame:
        return Outline(_names([column for each in cols for column in (each if isinstance(each, list) else [each])]))

    def where(self, condition: Any) -> DataFrame:
        return self

    filter = where

    def distinct(self) -> DataFrame:
        return self

    def dropDuplicates(self, *subset: Any) -> DataFrame:
        return self

    def withColumns(self, *colsMap: Any) -> DataFrame:
        return Outline(list(dict.fromkeys((*self._names, *colsMap[0]))))

    def withColumn(self, colName: str, col: Column) -> DataFrame:
        return self.withColumns({colName: col})

    def drop(self, *cols: Any) -> DataFrame:
        return Outline([name for name in self._names if name not in cols])

    def join(self, other: DataFrame, on: Any = None, how: str | None = None) -> DataFrame:
        if how in ("left_anti", "left_semi"):
            return self
        by = [on] if isinstance(on, str) else on if isinstance(on, list) else []
        return Outline([*self._names, *(name for name in other.columns if name not in by)])

    def unionByName(self, other: DataFrame, allowMissingColumns: bool = False) -> DataFrame:
        return Outline(list(dict.fromkeys((*self._names, *other.columns))))

    def groupBy(self, *cols: Any) -> Any:
        return _Groups(_names(cols))

    def hint(self, name: str, *parameters: Any) -> DataFrame:
        return self

    def mapInArrow(self, func: Any, schema: Any, *more: Any, **options: Any) -> DataFrame:
        return Outline(schema.names)


class _Groups:
    def __init__(self, names: Sequence[str]) -> None:
        self._by = names

    def agg(self, *aggregates: Column) -> DataFrame:
        return Outline([*self._by, *_names(aggregates)])


def _names(columns: Sequence[Any]) -> list[str]:
    """Returns the names of columns; one without a name is not asked for by it."""
    names = (each if isinstance(each, str) else getattr(each, "named", None) for each in columns)
    return [name for name in names if name is not None]


def outlined(table: EventTable) -> EventTable:
    """Returns a table of events without its rows."""
    return table if isinstance(table.frame, Outline) else replace(table, frame=Outline(table.frame.columns))
