"""Layout of a user's table: the roles of its columns, and the conditions that make a row an event."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import and_

from pyspark.sql import Column, DataFrame
from pyspark.sql.types import (
    BooleanType,
    ByteType,
    DataType,
    DecimalType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructType,
)

from cera.connectors.records.layout import TEXT_LIMIT, Layout
from cera.connectors.records.records import HAS_NO_ID
from cera.engines.spark.reading.column_roles import TableLayout, column_roles
from cera.engines.spark.reading.state_marks import MARK_TYPES, has_meaning, is_state, no_meaning
from cera.engines.spark.reading.time_columns import TIME_TYPES, microseconds
from cera.engines.spark.reading.time_reasons import missing, no_time, shown
from cera.engines.spark.tables.relations import column
from cera.engines.spark.values import sql_functions as F
from cera.errors import UsageError

_ID_TYPES = (StringType, ByteType, ShortType, IntegerType, LongType)


@dataclass(frozen=True)
class Demand:
    """A condition that a row must fulfil to be an event, and the reason for rejecting it otherwise."""

    met: Column
    reason: Callable[[], Column]


def table_layout(schema: StructType, layout: Layout) -> TableLayout:
    """Returns the roles of the columns; raises UsageError if one is missing or of a wrong type."""
    truths = [each.name for each in schema.fields if isinstance(each.dataType, BooleanType)]
    roles = column_roles(schema.names, layout, truths)
    for time in (roles.begin, roles.end):
        if not isinstance(schema[time].dataType, TIME_TYPES):
            raise _wrong_type(schema, time, "a time is a timestamp, a date, a number or a text")
    for text, expected in ((roles.label, "a label is a text"), (roles.term, "a term is JSON text")):
        if text is not None and not isinstance(schema[text].dataType, StringType):
            raise _wrong_type(schema, text, expected)
    if roles.id is not None and not _is_id(schema[roles.id].dataType):
        raise _wrong_type(schema, roles.id, "an id is a text or a whole number")
    if roles.state is not None and not isinstance(schema[roles.state].dataType, MARK_TYPES):
        raise _wrong_type(schema, roles.state, "what marks states is a truth value, a number or a text")
    return roles


def _is_id(kind: DataType) -> bool:
    return isinstance(kind, _ID_TYPES) or (isinstance(kind, DecimalType) and kind.scale == 0)


def _wrong_type(schema: StructType, name: str, expected: str) -> UsageError:
    return UsageError(f"the column `{name}` has the type {schema[name].dataType.simpleString()}; {expected}")


def time_demands(schema: StructType, roles: TableLayout, layout: Layout) -> tuple[Column, Column, list[Demand]]:
    """Returns begin and end in microseconds, and the conditions under which they exist; a state may have no end."""
    kinds = {name: schema[name].dataType for name in (roles.begin, roles.end)}
    begin, has_begin = microseconds(column(roles.begin), kinds[roles.begin], layout.times)
    end, has_end = microseconds(column(roles.end), kinds[roles.end], layout.times)
    demands = [
        Demand(there, partial(_no_time, name, kinds[name], other, layout))
        for name, other, there in ((roles.begin, roles.end, has_begin), (roles.end, roles.begin, has_end))
    ]
    if roles.begin == roles.end:
        return begin, begin, demands[:1]
    ordered = begin <= end
    if roles.state is not None:
        unended = is_state(schema, roles.state) & column(roles.end).isNull()
        demands[1] = replace(demands[1], met=has_end | unended)
        ordered = ordered | unended
    return begin, end, [*demands, Demand(ordered, partial(_reversed, roles, kinds, layout))]


def _no_time(name: str, kind: DataType, other: str, layout: Layout) -> Column:
    return F.coalesce(no_time(name, kind, layout), missing(name, other, layout))


def _reversed(roles: TableLayout, kinds: Mapping[str, DataType], layout: Layout) -> Column:
    texts = [shown(name, kinds[name], layout) for name in (roles.end, roles.begin)]
    return F.concat(F.lit("the end lies before the begin: "), texts[0], F.lit(" before "), texts[1])


def label_demand(name: str) -> Demand:
    return Demand(column(name) != "", partial(_no_label, name))


def _no_label(name: str) -> Column:
    missing = F.lit(f"the label is missing: there is no field `{name}`")
    empty = F.when(column(name) == "", F.lit(f'the label is a text, found "" in the field `{name}`'))
    return F.coalesce(empty, missing)


def mark_demand(schema: StructType, name: str) -> Demand:
    """Returns the demand that a mark of states says what the row is."""
    return Demand(has_meaning(schema, name), partial(no_meaning, schema, name))


def id_demand(marked: Column, name: str, own: Column) -> Demand:
    """Returns the demand that a row that is a state has no id but its `own`."""
    given = column(name).cast("string")
    return Demand(~marked | given.isNull() | (given == own), partial(F.lit, HAS_NO_ID))


def met(demands: Sequence[Demand]) -> Column:
    return reduce(and_, [demand.met for demand in demands])


def rejected_rows(
    frame: DataFrame, demands: Sequence[Demand], place: Column, position: Column, source: int
) -> DataFrame:
    """Selects the rows that are not events, with the columns of `SourceTables.rejected`."""
    reasons = [F.when(~F.coalesce(demand.met, F.lit(False)), demand.reason()) for demand in demands]
    own = [name for name in frame.columns if not name.startswith("_")]
    text = F.to_json(F.struct(*(column(name) for name in own)))
    return frame.where(~F.coalesce(met(demands), F.lit(False))).select(
        place.alias("place"),
        F.coalesce(*reasons).alias("reason"),
        F.substring(text, 1, TEXT_LIMIT).alias("text"),
        F.lit(source).alias("source"),
        position.alias("position"),
    )
