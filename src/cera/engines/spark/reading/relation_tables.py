"""Relations as event tables: a row is an event with the name of the relation, and lasts as long as it is valid."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.types import BooleanType, DataType, NumericType, StringType

from cera.connectors.records.layout import Layout
from cera.connectors.relations.reading import FrameRows, LocatedRows
from cera.connectors.relations.relation import Relation
from cera.connectors.relations.versions import KeptRows, StoredRows
from cera.engines.spark.reading.frames import from_frame
from cera.engines.spark.reading.relation_reading import read_in_workers
from cera.engines.spark.reading.time_columns import TIME_TYPES, microseconds
from cera.engines.spark.tables.event_rows import event_tables
from cera.engines.spark.tables.event_tables import EventTable
from cera.engines.spark.tables.relations import column
from cera.errors import UsageError
from cera.model.events.event import Event
from cera.model.events.relation_rows import RelationRows
from cera.model.time.interval import MAX_TIME, Interval
from cera.model.time.time_text import TimeFormat

#: The columns of the first and the last time at which a row is valid; no attribute has these names.
_SINCE, _UNTIL = "valid from ", "valid until "
_TYPES: Mapping[str, type[DataType]] = {"string": StringType, "number": NumericType, "boolean": BooleanType}


def relation_tables(spark: SparkSession, relations: Mapping[str, RelationRows]) -> dict[str, tuple[EventTable, ...]]:
    """Returns the tables of relations by name. Those of DataFrames, of large files and tables stay on Spark."""
    return {name: _tables(spark, rows) for name, rows in relations.items()}


def _tables(spark: SparkSession, rows: RelationRows) -> tuple[EventTable, ...]:
    if isinstance(rows, StoredRows):
        return _tables(spark, rows.current)
    if isinstance(rows, KeptRows) and rows.origin is not None:
        return _tables(spark, rows.origin)
    if isinstance(rows, FrameRows):
        return _of_frame(rows.relation, rows.frame)
    if isinstance(rows, LocatedRows):
        return read_in_workers(spark, rows)
    return event_tables(spark, (Event(row.term, Interval(row.since, row.until - 1)) for row in rows.each()))


def _of_frame(relation: Relation, frame: DataFrame) -> tuple[EventTable, ...]:
    """Reads a DataFrame, natively. A row that cannot be read fails the query."""
    _check_types(relation, frame)
    names = list(frame.columns if relation.attributes is None else relation.attributes)
    since, until = F.lit(0), F.lit(0)
    if relation.valid_from is not None:
        frame = frame.withColumn(
            _SINCE, _times(relation, relation.valid_from, frame.schema[relation.valid_from].dataType)
        )
        versions = Window.partitionBy(*map(column, relation.versions_of)).orderBy(column(_SINCE))
        following = F.min(column(_SINCE)).over(versions.rangeBetween(1, Window.unboundedFollowing))
        since, until = column(_SINCE), F.coalesce(following - 1, F.lit(MAX_TIME))
    rows = frame.select(*map(column, names), since.alias(_SINCE), until.alias(_UNTIL))
    times = TimeFormat("us", relation.timezone)
    layout = Layout(label=relation.name, time_field=_SINCE, end_field=_UNTIL, times=times)
    try:
        return from_frame(rows, layout, watch=partial(_all_right, relation)).tables
    except UsageError as error:
        raise UsageError(f"the relation {relation.name}: {error.message}") from error


def _check_types(relation: Relation, frame: DataFrame) -> None:
    """Raises UsageError where a column has another type than the kind that is declared for it."""
    for name, kind in (relation.attributes or {}).items():
        found = frame.schema[name].dataType
        if kind is not None and not isinstance(found, _TYPES[kind]):
            shown = found.simpleString()
            raise UsageError(f"the relation {relation.name}: `{name}` is declared as {kind}, and its type is {shown}")


def _times(relation: Relation, name: str, kind: DataType) -> Column:
    """Returns a column of times in microseconds, which fails the query where one is missing or is not a time."""
    if not isinstance(kind, TIME_TYPES):
        expected = "a time is a timestamp, a date, a number or a text"
        raise UsageError(f"the relation {relation.name}: `{name}` has the type {kind.simpleString()}; {expected}")
    time, is_time = microseconds(column(name), kind, TimeFormat(timezone=relation.timezone))
    message = F.concat(
        F.lit(f"the relation {relation.name}: in `{name}`: "),
        F.coalesce(column(name).cast("string"), F.lit("nothing")),
        F.lit(" is not a time"),
    )
    return F.when(is_time, time).otherwise(F.raise_error(message).cast("bigint"))


def _all_right(relation: Relation, frame: DataFrame, is_right: Column) -> DataFrame:
    """Returns the frame, whose query fails where a row cannot be read."""
    message = F.lit(f"the relation {relation.name}: a row of the DataFrame has a value that cannot be used")
    return frame.where(F.when(is_right, True).otherwise(F.raise_error(message).cast("boolean")))
