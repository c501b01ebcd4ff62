"""DataFrames of a user as event tables, natively; no action is run, so that they may be streams."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from pyspark.sql import Column, DataFrame
from pyspark.sql.types import VariantType

from cera.connectors.records.layout import Layout
from cera.engines.spark.reading.column_roles import TableLayout
from cera.engines.spark.reading.json_terms import MARKED, read_written_terms
from cera.engines.spark.reading.record_rows import events_of, rejected_of
from cera.engines.spark.reading.source_tables import SourceTables
from cera.engines.spark.reading.state_marks import is_state, opening_head
from cera.engines.spark.reading.table_layout import (
    Demand,
    id_demand,
    label_demand,
    mark_demand,
    met,
    rejected_rows,
    table_layout,
    time_demands,
)
from cera.engines.spark.reading.typed_children import NoChildError, in_columns, typed_children
from cera.engines.spark.reading.variants import variant_fields
from cera.engines.spark.tables.event_tables import EventTable, Flat, Terms
from cera.engines.spark.tables.queries import query
from cera.engines.spark.tables.relations import column, component
from cera.engines.spark.tables.term_columns import fields_term, flat_hashes
from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.cells import Cell
from cera.engines.spark.values.hashing import event_hashes, hex_id
from cera.engines.spark.values.json_text import string_json
from cera.errors import UsageError
from cera.model.events.event import STATE_ID
from cera.model.events.states import OPENING

#: Metadata of a column of times: the children by which events of the same label and time are one.
UNIQUE = "cera.unique"

_HASH_DIGITS = 32
_PLACE, _POSITION = "place", "position"


@dataclass(frozen=True)
class Origin:
    """Where the rows of a table come from, for messages about rejected ones."""

    place: Column
    source: int = 0
    position: Column = field(default_factory=lambda: F.lit(0))

    @property
    def columns(self) -> tuple[Column, Column]:
        return self.place.alias(_PLACE), self.position.cast("bigint").alias(_POSITION)


#: Returns a frame of which some rows are events: those for which the column is true.
Watch = Callable[[DataFrame, Column], DataFrame]


def from_frame(
    frame: DataFrame, layout: Layout | None = None, origin: Origin | None = None, watch: Watch | None = None
) -> SourceTables:
    """Returns the events of a DataFrame with a label, times, and children as columns (`cera.spark.events` makes one).

    Without a layout the columns are `label`, `begin` and `end` (or `at`), `id` if there is one, and the children: all
    others, or a single VARIANT; or `term` (JSON text) in the place of label and children. Beside `begin` and `end` a
    `state` of truth values says which rows are states, whose ends may be null. What a layout names is taken
    from there. Where the children are columns, all rows pass through `watch`. Raises UsageError if a column is missing,
    or is of a type that cannot be used.
    """
    layout = layout or Layout()
    origin = origin or Origin(F.lit("the DataFrame"))
    roles = table_layout(frame.schema, layout)
    begin, end, demands = time_demands(frame.schema, roles, layout)
    qualifier = F.lit(None) if roles.id is None else column(roles.id)
    head = {"begin": begin, "end": end, "qualifier": qualifier.cast("string")}
    if roles.state is not None:
        demands = [mark_demand(frame.schema, roles.state), *demands]
    if roles.term is not None:
        return _written(frame, roles, head, demands, origin)
    if roles.label is not None:
        demands = [label_demand(roles.label), *demands]
    head["label"] = F.lit(layout.label) if roles.label is None else column(roles.label)
    if [frame.schema[name].dataType for name in roles.children] == [VariantType()]:
        return _variants(frame, roles, head, demands, origin)
    return _typed(frame, roles, head, demands, layout, origin, watch)


def _typed(
    frame: DataFrame,
    roles: TableLayout,
    head: dict[str, Column],
    demands: list[Demand],
    layout: Layout,
    origin: Origin,
    watch: Watch | None,
) -> SourceTables:
    """Reads children in columns of their own."""
    zone = layout.times.timezone
    types = {name: frame.schema[name].dataType for name in roles.children}
    try:
        found = typed_children([(name, column(name), kind) for name, kind in types.items()], zone)
    except NoChildError as error:
        raise UsageError(f"{error}; leave it out, or cast it to a text or a number") from None
    demands += [Demand(problem.isNull(), partial(_itself, problem)) for problem in found.problems]
    label = layout.label
    if roles.state is not None:
        label, marked = None, is_state(frame.schema, roles.state)
        head = opening_head(marked, **head)
        if roles.id is not None:
            own = event_hashes(*flat_hashes(head["label"], Flat(found.children)), head["begin"], head["end"])
            demands.append(id_demand(marked, roles.id, hex_id(*own)))
    content, children = in_columns(Flat(found.children))
    watched = frame if watch is None else watch(frame, met(demands))
    watched = watched if frame.isStreaming else query(watched)
    events = watched.where(met(demands)).select(*_named(head), *children)
    if roles.state is not None:
        events, content = _with_state_ids(events, content)
    table = _identified(events, content, label, with_ids=roles.id is not None or roles.state is not None)
    unique = frame.schema[roles.begin].metadata.get(UNIQUE)
    table = replace(table, points=roles.begin == roles.end, unique=None if unique is None else frozenset(unique))
    return SourceTables((table,), lambda: _rejected(frame, demands, origin))


def _itself(reason: Column) -> Column:
    return reason


def _named(head: Mapping[str, Column]) -> list[Column]:
    return [each.alias(name) for name, each in head.items()]


def _with_state_ids(events: DataFrame, content: Flat) -> tuple[DataFrame, Flat]:
    """Returns the rows and their content, where the openings of states have the ids of the states as children."""
    name = component(STATE_ID, "string")
    own = hex_id(*event_hashes(*flat_hashes(column("label"), content), column("begin"), column("end")))
    opened = F.when(column("label").startswith(OPENING), own)
    return events.withColumn(name, opened), Flat({**content.children, STATE_ID: Cell(string=column(name))})


def _marked(frame: DataFrame, roles: TableLayout) -> Column:
    return F.lit(False) if roles.state is None else is_state(frame.schema, roles.state)


def _written(
    frame: DataFrame, roles: TableLayout, head: Mapping[str, Column], demands: list[Demand], origin: Origin
) -> SourceTables:
    """Reads whole terms as JSON text."""
    parts = {**head, MARKED: _marked(frame, roles), "text": column(roles.term or "")}
    events = frame.where(met(demands)).select(*_named(parts), *origin.columns)
    return _read(events, column("text"), [], _rejected(frame, demands, origin), origin)


def _variants(
    frame: DataFrame, roles: TableLayout, head: Mapping[str, Column], demands: list[Demand], origin: Origin
) -> SourceTables:
    """Reads the children in one VARIANT column: flat events natively, others and states in Python."""
    parts = {**head, MARKED: _marked(frame, roles), "variant": column(roles.children[0])}
    events = frame.where(met(demands)).select(*_named(parts), *origin.columns)
    fields = variant_fields(column("variant"))
    native = fields.isNotNull() if roles.state is None else fields.isNotNull() & ~column(MARKED)
    flat = events.where(native).drop(MARKED).withColumn("fields", fields)
    flat = flat.withColumn("term", fields_term(column("label"), column("fields")))
    table = EventTable(_with_ids(flat, (column("term")["h1"], column("term")["h2"])), Terms(flat=True))
    text = F.concat(F.lit("{"), string_json(column("label")), F.lit(":"), F.to_json(column("variant")), F.lit("}"))
    rejected = _rejected(frame, demands, origin)
    read = _read(events.where(~native), text, [table], rejected, origin, column("variant"))
    if roles.state is None:
        return read
    *others, deep = read.tables
    return replace(read, tables=(*others, replace(deep, content=Terms())))  # its states may be flat


def _read(
    events: DataFrame,
    text: Column,
    tables: list[EventTable],
    rejected: DataFrame,
    origin: Origin,
    variant: Column | None = None,
) -> SourceTables:
    """Returns the tables, and one with the terms that Python reads from a text."""
    read = read_written_terms(events, text, column(_PLACE), origin.source, column(_POSITION), variant)
    deep = EventTable(events_of(read), Terms(flat=False if tables else None))
    return SourceTables((*tables, deep), lambda: rejected.unionByName(rejected_of(read)))


def _identified(frame: DataFrame, content: Flat, label: str | None = None, *, with_ids: bool = True) -> EventTable:
    """Computes the ids of the flat events of a table with begin, end, label and qualifier.

    An id that is the event's own hash adds nothing to its identity: events that cera wrote out keep theirs.
    """
    halves = flat_hashes(column("label") if label is None else label, content)
    identity = None if with_ids else event_hashes(*halves, column("begin"), column("end"))
    return EventTable(_with_ids(frame, halves, with_ids=with_ids), content, label, identity=identity)


def _with_ids(frame: DataFrame, halves: tuple[Column, Column], *, with_ids: bool = True) -> DataFrame:
    times = column("begin"), column("end")
    if not with_ids:
        h1, h2 = event_hashes(*halves, *times)
        return frame.withColumns({"h1": h1, "h2": h2})
    qualifier = column("qualifier")
    is_own = (F.length(qualifier) == _HASH_DIGITS) & (qualifier == hex_id(*event_hashes(*halves, *times)))
    named = frame.withColumn("qualifier", F.when(~F.coalesce(is_own, F.lit(False)), qualifier))
    h1, h2 = event_hashes(*halves, *times, qualifier)
    return named.withColumns({"h1": h1, "h2": h2})


def _rejected(frame: DataFrame, demands: list[Demand], origin: Origin) -> DataFrame:
    return rejected_rows(frame, demands, *origin.columns, origin.source)
