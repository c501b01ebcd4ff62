"""Event tables as streams of messages. Typed columns are divided and packed without looking at single rows in Python.

Rows that no rule can use are dropped after they have moved the watermark on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cera.engines.spark.division.divisions import Division, HistoryDivision
from cera.engines.spark.division.operators import Operator
from cera.engines.spark.division.routing import Router
from cera.engines.spark.division.slots import Place
from cera.engines.spark.division.thresholds import thresholds
from cera.engines.spark.streaming.messages.messages import SCHEMA
from cera.engines.spark.streaming.messages.packing import Packer, PackStage
from cera.engines.spark.streaming.sources.watermark import EVENT_TIME, with_watermark
from cera.engines.spark.tables.event_tables import EventTable, Flat
from cera.engines.spark.tables.relations import column
from cera.engines.spark.tables.term_columns import child_body, term_column
from cera.engines.spark.values.arithmetic import canonical
from cera.engines.spark.values.cells import Cell
from cera.engines.spark.values.comparison import compare
from cera.model.columns.flat_events import BEGIN, END, HALVES, JSON, LABEL, QUALIFIER
from cera.model.events.occurrence import json_occurrence
from cera.model.terms.json_terms import loads
from cera.modules.module import Module, known
from cera.modules.monitoring import CHANGE
from cera.modules.tuples import TIME_ATTRIBUTES
from cera.rules.rule import Rule

_NOT_NATIVE = object()
_WRITTEN = ("begin", "end", "label", "qualifier")


def table_messages(
    tables: Sequence[EventTable], operators: Sequence[Operator], max_delay: int, *, qualified: bool = True
) -> DataFrame:
    """Returns the messages of the events of tables. `qualified`: some may have ids from their source."""
    if len(tables) == 1 and isinstance(content := tables[0].content, Flat) and _is_native(content, operators):
        return _flat_messages(tables[0].frame, content, operators, max_delay, qualified=qualified)
    written = [
        table.frame.select(*(column(name) for name in _WRITTEN), term_column(table)["json"].alias("term"))
        for table in tables
    ]
    events = reduce(DataFrame.unionByName, written)
    usable = _usable(_in_time(events, max_delay), operators)
    return usable.select(*_WRITTEN, "term").mapInArrow(_RoutingStage(tuple(operators)), SCHEMA)


def _in_time(events: DataFrame, max_delay: int) -> DataFrame:
    return with_watermark(events.withColumn(EVENT_TIME, F.timestamp_micros(column("end"))), max_delay)


def _usable(events: DataFrame, operators: Sequence[Operator]) -> DataFrame:
    """Keeps only events that some operator queries.

    The condition mentions the event time, so that Spark does not move it before the watermark: time goes on with
    every event.
    """
    labels = frozenset[str | None]().union(*(operator.labels for operator in operators))
    if None in labels or any(operator.takes_all for operator in operators):
        return events
    dated = column(EVENT_TIME) >= F.timestamp_micros(F.lit(-(2**62)))
    return events.where(column("label").isin(sorted(label for label in labels if label is not None)) == dated)


def _flat_messages(
    frame: DataFrame, content: Flat, operators: Sequence[Operator], max_delay: int, *, qualified: bool
) -> DataFrame:
    usable = _usable(_in_time(frame, max_delay), operators)
    buckets = [_bucket(operator, content).alias(f"bucket {number}") for number, operator in enumerate(operators)]
    children = [part for name, child in content.children.items() for part in _transported(name, child)]
    hashed = not qualified and all(map(_is_plain, content.children.values()))  # which is faster in Python
    written = (BEGIN, END, LABEL) if hashed else (BEGIN, END, LABEL, *HALVES, QUALIFIER)
    events = usable.select(*buckets, *(column(name) for name in written), *children)
    return events.mapInArrow(PackStage(tuple(operator.identity for operator in operators)), SCHEMA)


def _transported(name: str, child: Any) -> list[Column]:
    """Returns the columns of a child: numbers and strings as they are, anything else as JSON."""
    if _is_plain(child):
        return [part.alias(f"{kind}:{name}") for kind, part in child]
    return [child_body(child).alias(f"{JSON}:{name}")]


def _is_plain(child: Any) -> bool:
    return isinstance(child, Cell) and {"integer", "fraction", "double", "string"}.issuperset(child.components)


def _is_native(content: Flat, operators: Sequence[Operator]) -> bool:
    """Returns whether columns can compute the bucket of every event."""
    return all(_has_native_key(content, operator.division) for operator in operators)


def _has_native_key(content: Flat, division: Division) -> bool:
    if isinstance(division, HistoryDivision):
        return _has_key(content, division.module)
    places = (place for slot in division.slots for place in slot.places.values())
    return all(_cell(content, place) is not _NOT_NATIVE for place in places)


def _has_key(content: Flat, module: Module) -> bool:
    """Returns whether the partition attribute of a module is one column for all events that it monitors."""
    name = module.partition
    if name is None:
        return True
    plain = name not in TIME_ATTRIBUTES and all(
        each.label != CHANGE and (not each.attributes or name in each.attributes) for each in module.monitored
    )
    alike = [child for child in content.children if child.lower() == name.lower()]
    return plain and alike == [name] and isinstance(_cell(content, (name,)), Cell)


def _cell(content: Flat, place: Place) -> Any:
    """Returns the cell at a place; None if no event has one there, _NOT_NATIVE if only Python can decide it."""
    found: Any = content
    for label in place:
        if not isinstance(found, Flat):
            return None if isinstance(found, Cell) and found.term is None else _NOT_NATIVE
        found = found.children.get(label)
        if found is None:
            return None
    return found if isinstance(found, Cell) and found.term is None else _NOT_NATIVE


def _bucket(operator: Operator, content: Flat) -> Column:
    """Returns the bucket of an event in an operator; null if the operator cannot use it."""
    if isinstance(operator.division, HistoryDivision):
        if operator.takes_all:
            return F.lit(0)
        name = operator.division.module.partition
        here = F.lit(0) if name is None else F.coalesce(_key_bucket([(name,)], content, operator.buckets), F.lit(0))
        return F.when(column("label").isin(known(operator.labels)), here)
    rules, slots = operator.division.rules, operator.division.slots
    nowhere = F.lit(None).cast("int")
    if operator.takes_all:
        return F.lit(0)
    if not slots:
        return F.lit(0) if None in operator.labels else F.when(column("label").isin(known(operator.labels)), F.lit(0))
    ways: dict[tuple[Place | None, ...], list[str]] = {}
    for label in known(operator.labels):
        ways.setdefault(tuple(slot.place(label) for slot in slots), []).append(label)
    others = nowhere
    if None in operator.labels:
        others = _key_bucket([slot.places[None] for slot in slots], content, operator.buckets)
    chosen: Column | None = None
    for places, labels in ways.items():
        here = _key_bucket([place for place in places if place is not None], content, operator.buckets)
        for label in labels:
            wanted = _wanted(rules, label, content)
            if wanted is not None:
                here = F.when((column("label") != label) | wanted, here)
        named = column("label").isin(labels)
        chosen = F.when(named, here) if chosen is None else chosen.when(named, here)
    return others if chosen is None else chosen.otherwise(others)


def _wanted(rules: Sequence[Rule], label: str, content: Flat) -> Column | None:
    """Returns whether an event with a label fulfils the conditions of the rules; None: all do."""
    demanded = thresholds(rules, label)
    if demanded is None:
        return None
    ways: list[Column] = []
    for together in demanded:
        cells = [(_cell(content, each.place), each) for each in together]
        known = [compare(each.operator, cell, each.value) for cell, each in cells if isinstance(cell, Cell)]
        if not known:
            return None
        ways.append(reduce(lambda one, other: one & other, known))
    return reduce(lambda one, other: one | other, ways)


def _key_bucket(places: Sequence[Place], content: Flat, buckets: int) -> Column:
    """Computes `buckets.bucket` on columns."""
    cells = [_cell(content, place) for place in places]
    if any(cell is None for cell in cells):
        return F.lit(None).cast("int")
    hashes = [_hash(cell) for cell in cells]
    hashed = hashes[0] if len(hashes) == 1 else F.xxhash64(*hashes)
    present = reduce(lambda one, other: one & other, [part.isNotNull() for part in hashes])
    return F.when(present, F.pmod(hashed, F.lit(buckets)).cast("int"))


def _hash(cell: Cell) -> Column:
    """Computes `buckets.key_hash` on columns; null where there is no value."""
    parts = [
        F.when(part.isNotNull(), F.xxhash64(part.cast("bigint") if kind == "boolean" else part))
        for kind, part in canonical(cell)
    ]
    return F.coalesce(*parts) if parts else F.lit(None).cast("bigint")


class _RoutingStage:
    """Stage that divides events whose terms come as JSON, in Python."""

    def __init__(self, operators: tuple[Operator, ...]) -> None:
        self.operators = operators

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        packer = Packer(Router(self.operators))
        for batch in batches:
            for begin, end, label, qualifier, term in zip(*(part.to_pylist() for part in batch.columns), strict=True):
                packer.take(json_occurrence(begin, end, label, loads(term)[label], qualifier))
            yield packer.flush()
