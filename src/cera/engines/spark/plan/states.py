"""States in tables of events: each state once as an opening that knows how long it holds, and as an ending.

An opening has a column `until` besides those of its table: the end of the state, later than every time if it has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from pyspark.sql import Column, DataFrame

from cera.engines.spark.tables.event_tables import EventTable, Flat
from cera.engines.spark.tables.relations import UNTIL, attribute, column, component, until_name
from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.cells import Cell
from cera.model.events.event import STATE_ID, STATES
from cera.model.events.states import ENDING, OPEN, OPENING
from cera.model.time.interval import Time

_STATE, _END = "state of the row", "end of the state"
_ANNOUNCED = r"^until (-?\d+)$"
_WRITTEN_ID = rf'"{STATE_ID}": ?"([0-9a-f]{{32}})"'


def with_states(tables: Sequence[EventTable], until: Time | None) -> tuple[EventTable, ...]:
    """Returns tables of events, of openings and of endings; states that end after `until` are open."""
    mixed = [table for table in tables if table.label is None or table.label.startswith(STATES)]
    if not mixed:
        return tuple(tables)
    states = [_identified(table) for table in mixed]
    ends = _ends([table.frame for table in states], until)
    events = [_plain(table) if table in mixed else table for table in tables if not _has_only_states(table)]
    openings = [_openings(table, ends) for table in states]
    return (*events, *openings, *(_endings(table) for table in openings))


def with_ends_of_states(matched: DataFrame, identifier: str, openings: EventTable) -> DataFrame:
    """Returns the rows of a query for openings, with the ends of the states as a variable."""
    halves = {name: attribute(identifier, name) for name in ("h1", "h2")}
    until = component(until_name(identifier), "integer")
    if until in matched.columns:
        return matched
    names = [column(name).alias(new) for name, new in {**halves, UNTIL: until}.items()]
    return matched.join(openings.frame.select(*names), list(halves.values()))


def _has_only_states(table: EventTable) -> bool:
    return table.prefix == STATES or (table.label or "").startswith(STATES)


def _plain(table: EventTable) -> EventTable:
    return replace(table, frame=table.frame.where(~column("label").startswith(STATES)), prefix="")


def _identified(table: EventTable) -> EventTable:
    """Returns the openings and endings of a table, with the ids of their states as text and as halves."""
    frame = table.frame.where(column("label").startswith(STATES)).withColumn(_STATE, _state_id(table))
    halves = {name: F.conv(F.substring(_STATE, at, 16), 16, -10).cast("bigint") for name, at in (("h1", 1), ("h2", 17))}
    return replace(table, frame=frame.withColumns(halves), identity=None)


def _state_id(table: EventTable) -> Column:
    if isinstance(table.content, Flat):
        cell = table.content.children.get(STATE_ID)
        text = cell.string if isinstance(cell, Cell) else None
        return F.lit(None).cast("string") if text is None else text
    from_fields = F.try_element_at(column("fields"), F.lit(STATE_ID))["string"]
    return F.coalesce(from_fields, F.regexp_extract(column("term")["json"], _WRITTEN_ID, 1))


def _ends(frames: Sequence[DataFrame], until: Time | None) -> DataFrame:
    """Returns the first end of each state that has one."""
    found: list[DataFrame] = []
    for frame in frames:
        is_ending = column("label").startswith(ENDING)
        announced = F.lit(None).cast("bigint")
        if "qualifier" in frame.columns:
            announced = F.try_to_number(F.regexp_extract(column("qualifier"), _ANNOUNCED, 1), F.lit("S" + "9" * 19))
            announced = announced.cast("bigint")
        end = F.when(is_ending, column("end")).otherwise(announced)
        found.append(frame.select(column(_STATE), end.alias(_END)).where(column(_END).isNotNull()))
    ends = reduce(DataFrame.union, found)
    if until is not None:
        ends = ends.where(column(_END) <= until)
    return ends.groupBy(_STATE).agg(F.min(_END).alias(_END))


def _openings(table: EventTable, ends: DataFrame) -> EventTable:
    once = table.frame.where(column("label").startswith(OPENING)).dropDuplicates([_STATE])
    if "qualifier" in once.columns:  # it only announced the end
        once = once.withColumn("qualifier", F.lit(None).cast("string"))
    frame = once.join(ends, _STATE, "left").withColumn(UNTIL, F.coalesce(column(_END), F.lit(OPEN)))
    return replace(table, frame=frame, prefix=OPENING, points=True, once=False)


def _endings(openings: EventTable) -> EventTable:
    """Returns the endings of the states that have ended, from their begins to their ends."""
    frame = openings.frame.where(column(_END).isNotNull()).drop(UNTIL)
    changed = {"end": column(_END), "label": _relabelled(column("label"), "^")}
    if not isinstance(openings.content, Flat):
        term = column("term")
        halves = (term[half].alias(half) for half in ("h1", "h2"))
        changed["term"] = F.struct(_relabelled(term["json"], '^\\{"').alias("json"), *halves)
    label = None if openings.label is None else ENDING + openings.label.removeprefix(OPENING)
    return replace(openings, frame=frame.withColumns(changed), prefix=ENDING, points=False, label=label)


def _relabelled(text: Column, before: str) -> Column:
    begin = '{"' if before.endswith('"') else ""
    return F.regexp_replace(text, before + OPENING, begin + ENDING)
