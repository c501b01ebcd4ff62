"""DataFrames of a user as event tables, natively; no action is run, so that they may be streams."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import VariantType

from cera.connectors.records.layout import Layout
from cera.engines.spark.reading.column_roles import TableLayout
from cera.engines.spark.reading.json_terms import read_written_terms
from cera.engines.spark.reading.record_rows import events_of, rejected_of
from cera.engines.spark.reading.source_tables import SourceTables
from cera.engines.spark.reading.table_layout import Demand, label_demand, met, rejected_rows, table_layout, time_demands
from cera.engines.spark.reading.typed_children import NoChildError, in_columns, typed_children
from cera.engines.spark.reading.variants import variant_fields
from cera.engines.spark.tables.event_tables import EventTable, Flat, Terms
from cera.engines.spark.tables.relations import column
from cera.engines.spark.tables.term_columns import fields_term, flat_hashes
from cera.engines.spark.values.hashing import event_hashes, hex_id
from cera.engines.spark.values.json_text import string_json
from cera.errors import UsageError

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
    others, or a single VARIANT; or `term` (JSON text) in the place of label and children. What a layout names is taken
    from there. Where the children are columns, all rows pass through `watch`. Raises UsageError if a column is missing,
    or is of a type that cannot be used.
    """
    layout = layout or Layout()
    origin = origin or Origin(F.lit("the DataFrame"))
    roles = table_layout(frame.schema, layout)
    begin, end, demands = time_demands(frame.schema, roles, layout)
    qualifier = F.lit(None) if roles.id is None else column(roles.id)
    head = [begin.alias("begin"), end.alias("end"), qualifier.cast("string").alias("qualifier")]
    if roles.term is not None:
        return _written(frame, roles.term, head, demands, origin)
    if roles.label is not None:
        demands = [label_demand(roles.label), *demands]
    label = F.lit(layout.label) if roles.label is None else column(roles.label)
    head.append(label.alias("label"))
    if [frame.schema[name].dataType for name in roles.children] == [VariantType()]:
        return _variants(frame, roles.children[0], head, demands, origin)
    return _typed(frame, roles, head, demands, layout, origin, watch)


def _typed(
    frame: DataFrame,
    roles: TableLayout,
    head: list[Column],
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
    content, children = in_columns(Flat(found.children))
    watched = frame if watch is None else watch(frame, met(demands))
    events = watched.where(met(demands)).select(*head, *children)
    table = _identified(events, content, layout.label, with_ids=roles.id is not None)
    unique = frame.schema[roles.begin].metadata.get(UNIQUE)
    table = replace(table, points=roles.begin == roles.end, unique=None if unique is None else frozenset(unique))
    return SourceTables((table,), lambda: _rejected(frame, demands, origin))


def _itself(reason: Column) -> Column:
    return reason


def _written(frame: DataFrame, term: str, head: list[Column], demands: list[Demand], origin: Origin) -> SourceTables:
    """Reads whole terms as JSON text."""
    events = frame.where(met(demands)).select(*head, column(term).alias("text"), *origin.columns)
    return _read(events, column("text"), [], _rejected(frame, demands, origin), origin)


def _variants(frame: DataFrame, name: str, head: list[Column], demands: list[Demand], origin: Origin) -> SourceTables:
    """Reads the children in one VARIANT column: flat events natively, others in Python."""
    events = frame.where(met(demands)).select(*head, column(name).alias("variant"), *origin.columns)
    fields = variant_fields(column("variant"))
    flat = events.where(fields.isNotNull()).withColumn("fields", fields)
    flat = flat.withColumn("term", fields_term(column("label"), column("fields")))
    table = EventTable(_with_ids(flat, (column("term")["h1"], column("term")["h2"])), Terms(flat=True))
    text = F.concat(F.lit("{"), string_json(column("label")), F.lit(":"), F.to_json(column("variant")), F.lit("}"))
    rejected = _rejected(frame, demands, origin)
    return _read(events.where(fields.isNull()), text, [table], rejected, origin, column("variant"))


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
