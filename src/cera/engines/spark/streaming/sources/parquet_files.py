"""Parquet files as events, read row by row with Arrow: a row is a flat record, or has a whole term as JSON text.

Spark writes a timestamp as INT96, a moment in UTC. Arrow reads that as a time without a zone, as it reads the clock
times that Spark writes in another way.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.parquet as pq

from cera.connectors.records.layout import RECORD_ERRORS, Layout, RecordError, Rejected, rejected
from cera.connectors.records.record_times import STATE
from cera.connectors.records.records import event_from_object, flat_event
from cera.engines.spark.reading.column_roles import TableLayout, column_roles
from cera.errors import UsageError
from cera.model.events.event import Event
from cera.model.events.occurrence import Occurrence, occurrence
from cera.model.terms.json_terms import describe, loads
from cera.model.time.clock import from_local, time_zone
from cera.model.time.interval import EPOCH, MICROSECOND, Time

_ROWS = 10_000

#: From the values of a row, without nulls.
_Reader = Callable[[dict[str, Any]], Event]


def read_parquet(path: str, layout: Layout) -> Iterator[Occurrence | Rejected]:
    """Yields the events of a file; a file that is not Parquet is one rejected record."""
    number = 0
    try:
        with pq.ParquetFile(path, coerce_int96_timestamp_unit="us") as file:
            try:
                truths = [each.name for each in file.schema_arrow if pa.types.is_boolean(each.type)]
                reader = _reader(column_roles(file.schema_arrow.names, layout, truths), layout)
            except UsageError as error:
                yield rejected(path, f"{_refusal(file.schema_arrow.names, layout, error)}; no row was read")
                return
            for batch in with_spark_times(file, file.iter_batches(_ROWS)):
                for record in batch.to_pylist(maps_as_pydicts="lossy"):
                    number += 1
                    yield _event(record, reader, layout, f"{path}:{number}")
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:  # also a year that Python does not have
        reason = str(error).split("\n")[0]
        yield rejected(path, f"not readable as Parquet: {reason}; nothing from row {number + 1} on was read")


def _refusal(names: Sequence[str], layout: Layout, error: UsageError) -> str:
    """Returns why no row of a file with these columns can be an event, with the settings that would help."""
    missing = None if "term" in names else layout.missing_column(names)
    return error.message if missing is None else f"the file has {missing}; its columns are {', '.join(names)}"


def _reader(roles: TableLayout, layout: Layout) -> _Reader:
    if roles.term is None:
        return partial(flat_event, layout=replace(layout, id_field=roles.id, state_field=roles.state))
    return partial(_written, roles=roles, layout=Layout(times=layout.times))


def _written(record: dict[str, Any], roles: TableLayout, layout: Layout) -> Event:
    """Returns the event of a row that has a whole term."""
    text = record.get(roles.term or "")
    if text is not None and not isinstance(text, str):
        raise RecordError(f"a term is JSON text, found {describe(text)} in the field `{roles.term}`")
    others = {name: record.get(name) for name in (roles.begin, roles.end)}
    others |= {"id": record.get(roles.id or ""), STATE: record.get(roles.state or "")}
    return event_from_object({**others, "term": loads(text or "null")}, layout)


def _event(record: dict[str, Any], reader: _Reader, layout: Layout, place: str) -> Occurrence | Rejected:
    try:
        return occurrence(reader(_plain(record, time_zone(layout.times.timezone))))
    except (*RECORD_ERRORS, OverflowError) as error:
        return rejected(place, str(error), json.dumps(record, ensure_ascii=False, default=str))


def _plain(value: Any, zone: ZoneInfo) -> Any:
    """Converts a value of Arrow to JSON's types, as `cera run` reads it: None for null, and times in UTC."""
    match value:
        case datetime():
            return _iso(from_local(value, zone) if value.tzinfo is None else (value - EPOCH) // MICROSECOND)
        case date():
            return value.isoformat()
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case dict():
            return {str(name): _plain(part, zone) for name, part in value.items() if part is not None}
        case list():
            return [_plain(part, zone) for part in value]
        case _:
            return value


def _iso(time: Time) -> str:
    return (EPOCH + time * MICROSECOND).isoformat().replace("+00:00", "Z")


_MOMENT = "INT96"
_LISTS = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)


def with_spark_times(file: pq.ParquetFile, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yields batches of a file in which columns written as INT96 have the zone UTC."""
    written = [file.schema.column(number).physical_type for number in range(len(file.schema))]
    if _MOMENT not in written:
        yield from batches
        return
    stored = iter(written)  # the innermost columns, in the order of the types
    schema = pa.schema([field.with_type(_zoned(field.type, stored)) for field in file.schema_arrow])
    for batch in batches:
        yield from pa.Table.from_batches([batch]).cast(schema).to_batches()


def _zoned(kind: pa.DataType, stored: Iterator[str]) -> pa.DataType:
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_zoned(field.type, stored)) for field in kind])
    if pa.types.is_map(kind):
        return pa.map_(_zoned(kind.key_type, stored), _zoned(kind.item_type, stored))
    if any(is_one(kind) for is_one in _LISTS):
        return pa.list_(_zoned(kind.value_type, stored))
    return pa.timestamp(kind.unit, "UTC") if next(stored) == _MOMENT else kind
