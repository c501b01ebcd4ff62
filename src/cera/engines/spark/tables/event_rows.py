"""Events of this process as the rows of an event table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import LongType, StringType, StructField, StructType

from cera.engines.spark.tables.event_tables import FIELD, FIELDS, EventTable, Flat, Terms
from cera.engines.spark.tables.relations import column, component
from cera.engines.spark.values.cells import TERM, TYPES, Cell
from cera.model.events.event import Event
from cera.model.terms.hashing import hash_value
from cera.model.terms.json_terms import term_text
from cera.model.terms.term import Term
from cera.model.terms.values import Scalar

EVENTS = StructType(
    [
        StructField("begin", LongType()),
        StructField("end", LongType()),
        StructField("h1", LongType()),
        StructField("h2", LongType()),
        StructField("label", StringType()),
        StructField("term", TERM),
        StructField("fields", FIELDS),
    ]
)

#: At most so many labels have a table of their own: each makes a query slower to plan.
_MOST_LABELS = 20

_KINDS = {bool: 3, int: 0, float: 1, str: 2}


def event_table(spark: SparkSession, events: Iterable[Event]) -> EventTable:
    return EventTable(_frame(spark, [event_row(event) for event in events], EVENTS), Terms())


def event_tables(spark: SparkSession, events: Iterable[Event]) -> tuple[EventTable, ...]:
    """Returns events as tables: the flat ones of each label with a column for each type with which a child occurs.

    If there are very many labels, those with few events share a table.
    """
    flat: dict[str, list[tuple[Event, dict[str, tuple[Any, ...]]]]] = {}
    others: list[Event] = []
    for event in events:
        fields = fields_of(event.term)
        if fields is None:
            others.append(event)
        else:
            flat.setdefault(event.label, []).append((event, fields))
    rare = sorted(flat, key=lambda label: len(flat[label]), reverse=True)[_MOST_LABELS:]
    shared = [event for label in rare for event, _ in flat.pop(label)]
    tables = [_flat_table(spark, label, rows) for label, rows in sorted(flat.items())]
    if shared:
        tables.append(event_table(spark, shared))
    if others:
        rows = [event_row(event) for event in others]
        tables.append(EventTable(_frame(spark, rows, EVENTS), Terms(flat=False)))
    return tuple(tables)


def _flat_table(
    spark: SparkSession, label: str, events: Sequence[tuple[Event, dict[str, tuple[Any, ...]]]]
) -> EventTable:
    found = {
        (name, kind)
        for _, fields in events
        for name, values in fields.items()
        for kind, value in zip(FIELD.names, values, strict=True)
        if value is not None
    }
    places = sorted(found)
    types = [StructField(component(name, kind), TYPES[kind]) for name, kind in places]
    rows = [
        (event.begin, event.end, *halves(event), label, *(_at(fields, name, kind) for name, kind in places))
        for event, fields in events
    ]
    frame = _frame(spark, rows, StructType([*EVENTS.fields[:5], *types]))
    kinds: dict[str, dict[str, Column]] = {}
    for name, kind in places:
        kinds.setdefault(name, {})[kind] = column(component(name, kind))
    return EventTable(frame, Flat({name: Cell(**cells) for name, cells in kinds.items()}), label)


def _at(fields: Mapping[str, tuple[Any, ...]], name: str, kind: str) -> Any:
    return fields[name][FIELD.names.index(kind)] if name in fields else None


def halves(event: Event) -> tuple[int, int]:
    """Returns the id of an event as two signed integers."""
    h1, h2 = (int(digits, 16) for digits in (event.id[:16], event.id[16:]))
    return (h1 - 2**64 if h1 >= 2**63 else h1), (h2 - 2**64 if h2 >= 2**63 else h2)


def _frame(spark: SparkSession, rows: Sequence[tuple[Any, ...]], types: StructType) -> DataFrame:
    """Returns the rows as a local relation of Spark: it computes small ones while it plans the query."""
    schema = to_arrow_schema(types)
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(types)
    arrays = [pa.array(column, part.type) for column, part in zip(columns, schema, strict=True)]
    return spark.createDataFrame(pa.Table.from_arrays(arrays, schema=schema))


def event_row(event: Event) -> tuple[Any, ...]:
    """Returns an event as a row of EVENTS."""
    fields = fields_of(event.term)
    entries = None if fields is None else list(fields.items())
    return (event.begin, event.end, *halves(event), event.label, term_row(event.term), entries)


def term_row(term: Term) -> tuple[str, int, int]:
    """Returns a term as the fields of TERM."""
    return term_text(term), hash_value(term, 1), hash_value(term, 2)


def fields_of(term: Term) -> dict[str, tuple[Any, ...]] | None:
    """Returns the children of a flat term by name, each as the fields of FIELD; None for any other term."""
    found: dict[str, tuple[Any, ...]] = {}
    for child in term.children:
        if not isinstance(child, Term) or child.ordered or len(child.children) != 1 or child.label in found:
            return None
        [value] = child.children
        if isinstance(value, Term):
            return None
        found[child.label] = field_of(value)
    return None if term.ordered else found


def field_of(value: Scalar) -> tuple[Any, ...]:
    """Returns a scalar as the fields of FIELD."""
    place = _KINDS[type(value)]
    return tuple(value if i == place else None for i in range(4))
