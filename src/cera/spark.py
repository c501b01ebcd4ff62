"""Spark tables of a user as events, and a session to begin with.

    events = cera.spark.events(readings, label_value="temp", time="measured_at", id="reading")
    alarms = events.transform(program.detect)

`program.detect` takes a DataFrame, batch or streaming, with these columns:

    label        the label of the event's term, a text
    begin, end   when it happened: timestamps, dates, numbers of seconds or ISO 8601 texts; `at` for a point of time
    id           optional: tells equal events apart
    state        optional, beside `begin` and `end`: true for a row that is a state; its `end` is null while it is open
    the others   the children of the term, by their types; or one VARIANT column with all of them

`events` makes one of a table with other names.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import BooleanType, TimestampType

from cera.connectors.records.layout import TIME_FIELDS, Layout
from cera.connectors.records.record_times import STATE
from cera.engines.spark.reading.frames import UNIQUE
from cera.engines.spark.reading.schema_check import CHECK, LABEL
from cera.engines.spark.reading.table_layout import table_layout, time_demands
from cera.engines.spark.session.session import session
from cera.engines.spark.streaming.messages.left_out import Counts, counts
from cera.engines.spark.tables.relations import column
from cera.errors import UsageError
from cera.model.message_text import did_you_mean
from cera.model.time.time_text import TimeError, TimeFormat, TimeUnit

__all__ = ["Counts", "counts", "events", "session"]


def events(
    table: DataFrame,
    *,
    time: str,
    end: str | None = None,
    label: str | None = None,
    label_value: str | None = None,
    id: str | None = None,
    state: str | None = None,
    unique: Sequence[str] = (),
    time_unit: TimeUnit = "s",
    timezone: str = "UTC",
    check: bool = True,
) -> DataFrame:
    """Returns the rows of a table as events: a DataFrame with `label`, `at`, perhaps `id`, and the other columns.

    With an `end` it has `begin` and `end` in the place of `at`.

    time         the column that says when; with `end`, when it began
    end          the column that says when it ended; without it, events are points of time
    label        the column that holds the label of each event
    label_value  the label of all of them; give one of the two
    id           the column that tells equal events apart: a text or a whole number
    state        the column of truth values that says which rows are states; a state without an `end` is open
    unique       columns that together with label and time tell events apart, as a key of the table would: with it,
                 averages and the like over a window before each event cost a third. Not together with
                 `end`. It is checked: a query that relies on it fails if two events are the same in all of these
    time_unit    what a number as a time counts: s, ms or us
    timezone     the zone of times without an offset
    check        whether `detect` checks the program against the columns: what every match needs and no event can have
                 is an error then, and what some matches need a warning

    Nothing is read here, so the table may be a stream. A row without a time keeps null there, and `detect`
    leaves it out.
    Raises UsageError, which names the columns there are, if one is missing or of a type that cannot be used.
    """
    if (label is None) == (label_value is None):
        raise UsageError("give `label`, the column of the labels, or `label_value`, the label of all events")
    if not isinstance(table, DataFrame):
        raise UsageError(f"`events` takes a DataFrame of Spark, and {type(table).__name__} is none")
    try:
        layout = Layout(label, time, end, id, label_value, TimeFormat(time_unit, timezone), state_field=state)
    except TimeError as error:
        raise UsageError(str(error)) from error
    roles = table_layout(table.schema, layout)
    begin, stop, _ = time_demands(table.schema, roles, layout)
    if state is not None and end is None:
        raise UsageError("a state has an end, which is null while it is open; name its column with `end`")
    if state is not None and not _is_boolean(table, state):
        raise UsageError(f"the column `{state}` says which rows are states, and holds no truth values; cast it before")
    own = ("label", "id", *TIME_FIELDS, *([STATE] if end is not None and _is_boolean(table, STATE) else []))
    taken = [name for name in roles.children if name in own]
    if taken:
        raise UsageError(
            f"the column `{taken[0]}` would be a child, but events have a column of that name for something else; "
            "rename it before, or name it as what it is"
        )
    if unique and end is not None:
        raise UsageError("`unique` is for events that are points of time; leave out `end`, or `unique`")
    for name in unique:
        if name not in roles.children:
            raise UsageError(
                f"`unique` names `{name}`, which is no child of the events{did_you_mean(name, roles.children)}"
            )
    about = {UNIQUE: list(unique)} if unique else {}
    times = (
        {"at": _timestamp(table, time, begin)}
        if end is None
        else {"begin": _timestamp(table, time, begin), "end": _timestamp(table, end, stop)}
    )
    head: list[Column] = [
        (F.lit(label_value) if label is None else column(label)).alias("label", metadata=_about(label_value, check)),
        *(when.alias(name, metadata=about) for name, when in times.items()),
    ]
    if id is not None:
        head.append(column(id).alias("id"))
    if state is not None:
        head.append(column(state).alias(STATE))
    return table.select(*head, *(column(name) for name in roles.children))


def _is_boolean(table: DataFrame, name: str) -> bool:
    return name in table.columns and isinstance(table.schema[name].dataType, BooleanType)


def _about(label_value: str | None, check: bool) -> dict[str, str | bool]:
    """Returns the metadata of the column of labels for `detect`."""
    return ({} if label_value is None else {LABEL: label_value}) | ({} if check else {CHECK: False})


def _timestamp(table: DataFrame, name: str, microseconds: Column) -> Column:
    """Returns a column of times as timestamps; one of timestamps unchanged, so that Spark can use its statistics."""
    return column(name) if isinstance(table.schema[name].dataType, TimestampType) else F.timestamp_micros(microseconds)
