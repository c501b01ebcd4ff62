"""Which columns of a user's table say what: label, times, id; the others are children."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import and_

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ByteType,
    DataType,
    DecimalType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructType,
)

from cera.connectors.layout import TEXT_LIMIT, TIME_FIELDS, Layout
from cera.connectors.records import OUTPUT_FIELDS
from cera.engines.spark.relations import column
from cera.engines.spark.time_columns import TIME_TYPES, microseconds
from cera.engines.spark.time_reasons import missing, no_time, shown
from cera.errors import UsageError
from cera.model.spelling import did_you_mean

_ID_TYPES = (StringType, ByteType, ShortType, IntegerType, LongType)
#: What our own output has beside the terms of events, so that it can be input.
_BESIDE_TERMS = frozenset({*OUTPUT_FIELDS, "id", "label", "recipient", "transport"})


@dataclass(frozen=True)
class TableLayout:
    """The columns by their roles. `label` is None if all events have the one of the layout, or it is in the terms.

    `term` is a column of whole terms, which stands in the place of label and children.
    """

    label: str | None
    begin: str
    end: str
    id: str | None
    term: str | None
    children: tuple[str, ...]


@dataclass(frozen=True)
class Demand:
    """What a row must fulfil to be an event, and what tells why it is none where it does not."""

    met: Column
    reason: Callable[[], Column]


def table_layout(schema: StructType, layout: Layout) -> TableLayout:
    """The roles of the columns; raises UsageError if one is missing or of a wrong type."""
    names = schema.names
    is_output = "rule" in names
    term = "term" if "term" in names and not layout.is_flat and (is_output or "label" not in names) else None
    label = None if term is not None else layout.label_source
    begin, end = _times(names, layout)
    own_id = None if layout.is_flat else "source_id" if is_output and term is not None else "id"
    name = layout.id_field or (own_id if own_id in names else None)
    for role, wanted in (("label", label), ("begin", begin), ("end", end), ("id", name)):
        if wanted is not None and wanted not in names:
            raise _missing(role, wanted, names)
    used = {label, name, term, *((begin, end) if layout.time_source else TIME_FIELDS)}
    children = tuple(other for other in names if other not in used)
    _check_types(schema, label, (begin, end), name, term)
    if term is not None and (unknown := [other for other in children if other not in _BESIDE_TERMS]):
        raise UsageError(f"beside `term` the table has the columns {', '.join(unknown)}; a term has all of an event")
    return TableLayout(label, begin, end, name, term, () if term is not None else children)


def _times(names: Sequence[str], layout: Layout) -> tuple[str, str]:
    if layout.time_source is not None:
        return layout.time_source
    found = [name for name in TIME_FIELDS if name in names]
    if "at" in found and len(found) > 1:
        raise UsageError(f"too many times: the columns {', '.join(found)}; expected `at`, or `begin` and `end`")
    if not found:
        raise _missing("time", "at", names, ", nor `begin` and `end`")
    return ("at", "at") if "at" in found else ("begin", "end")


def _missing(role: str, wanted: str, names: Sequence[str], more: str = "") -> UsageError:
    guess = did_you_mean(wanted, names)
    known = f"{' The' if guess else '; the'} columns are {', '.join(names)}"
    return UsageError(f"there is no column `{wanted}` for the {role}{more}{guess}{known}")


def _check_types(
    schema: StructType, label: str | None, times: tuple[str, str], name: str | None, term: str | None
) -> None:
    for time in times:
        if not isinstance(schema[time].dataType, TIME_TYPES):
            raise _wrong_type(schema, time, "a time is a timestamp, a date, a number or a text")
    for text in (label, term):
        if text is not None and not isinstance(schema[text].dataType, StringType):
            raise _wrong_type(schema, text, "a label is a text" if text == label else "a term is JSON text")
    if name is not None and not (isinstance(schema[name].dataType, _ID_TYPES) or _is_whole(schema[name].dataType)):
        raise _wrong_type(schema, name, "an id is a text or a whole number")


def _is_whole(kind: DataType) -> bool:
    return isinstance(kind, DecimalType) and kind.scale == 0


def _wrong_type(schema: StructType, name: str, expected: str) -> UsageError:
    return UsageError(f"the column `{name}` has the type {schema[name].dataType.simpleString()}; {expected}")


def time_demands(schema: StructType, roles: TableLayout, layout: Layout) -> tuple[Column, Column, list[Demand]]:
    """Begin and end in microseconds, and what must be so that there are any."""
    kinds = {name: schema[name].dataType for name in (roles.begin, roles.end)}
    begin, has_begin = microseconds(column(roles.begin), kinds[roles.begin], layout.times)
    end, has_end = microseconds(column(roles.end), kinds[roles.end], layout.times)
    demands = [
        Demand(there, partial(_no_time, name, kinds[name], other, layout))
        for name, other, there in ((roles.begin, roles.end, has_begin), (roles.end, roles.begin, has_end))
    ]
    if roles.begin == roles.end:
        return begin, begin, demands[:1]
    before = partial(_reversed, roles, kinds, layout)
    return begin, end, [*demands, Demand(begin <= end, before)]


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


def met(demands: Sequence[Demand]) -> Column:
    return reduce(and_, [demand.met for demand in demands])


def rejected_rows(
    frame: DataFrame, demands: Sequence[Demand], place: Column, position: Column, source: int
) -> DataFrame:
    """The rows that are no events, with the columns of `Reading.rejected`."""
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
