"""Rows of a user's table that are states: `record_times.is_state`, natively, and rows as openings of states.

The opening of a state is a point event at its begin, with the id of the state as a child (`cera.model.events.states`).
"""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql.types import BooleanType, DataType, DoubleType, FloatType, NumericType, StringType, StructType

from cera.connectors.records.record_times import not_a_mark
from cera.engines.spark.tables.relations import column
from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.json_text import string_json
from cera.model.events.states import OPENING, announcement

#: The types that a column may have that marks states.
MARK_TYPES = (BooleanType, NumericType, StringType)

_FOUND = "\N{REPLACEMENT CHARACTER}"


def is_state(schema: StructType, name: str) -> Column:
    """Returns whether a row is a state; false where its mark has no meaning."""
    value, kind = _value(schema, name)
    match kind:
        case BooleanType():
            meant = value
        case StringType():
            meant = F.lower(value).isin("true", "1")
        case _:
            meant = value == 1
    return F.coalesce(meant, F.lit(False))


def has_meaning(schema: StructType, name: str) -> Column:
    """Returns whether the mark of a row says what it is."""
    value, kind = _value(schema, name)
    match kind:
        case BooleanType():
            return F.lit(True)
        case StringType():
            return value.isNull() | F.lower(value).isin("true", "false", "1", "0")
        case _:
            return value.isNull() | value.isin(0, 1)


def no_meaning(schema: StructType, name: str) -> Column:
    """Returns the reason for a mark without a meaning."""
    value, kind = _value(schema, name)
    shown = string_json(value) if isinstance(kind, StringType) else value.cast("string")
    before, after = not_a_mark(name, _FOUND).split(_FOUND)
    return F.concat(F.lit(before), shown, F.lit(after))


def opening_head(marked: Column, begin: Column, end: Column, qualifier: Column, label: Column) -> dict[str, Column]:
    """Returns begin, end, qualifier and label of events, and of openings where rows are `marked`."""
    announced = F.concat(F.lit(announcement(0).removesuffix("0")), end.cast("string"))
    return {
        "begin": begin,
        "end": F.when(marked, begin).otherwise(end),
        "qualifier": F.when(marked, announced).otherwise(qualifier),
        "label": F.when(marked, F.concat(F.lit(OPENING), label)).otherwise(label),
    }


def _value(schema: StructType, name: str) -> tuple[Column, DataType]:
    """Returns the mark of a row, and its type; NaN is no value."""
    kind = schema[name].dataType
    value = column(name)
    if isinstance(kind, FloatType | DoubleType):
        value = F.when(~F.isnan(value), value)
    return value, kind
