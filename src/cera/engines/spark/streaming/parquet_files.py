"""Parquet files as events, read row by row with Arrow: a column is a field of a flat record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.parquet as pq

from cera.connectors.layout import RECORD_ERRORS, Layout, Rejected, rejected
from cera.connectors.records import event_from_object, flat_event
from cera.model.clock import from_local, time_zone
from cera.model.interval import EPOCH, MICROSECOND, Time
from cera.model.json_terms import loads
from cera.model.occurrence import Occurrence, occurrence

_ROWS = 10_000


def read_parquet(path: str, layout: Layout) -> Iterator[Occurrence | Rejected]:
    """The events of a file; a file that is no Parquet is one rejected record."""
    number = 0
    try:
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            if "term" not in names and (missing := layout.missing_column(names)):
                yield rejected(path, f"the file has {missing}; its columns are {', '.join(names)}; no row was read")
                return
            for batch in file.iter_batches(_ROWS):
                for record in batch.to_pylist(maps_as_pydicts="lossy"):
                    number += 1
                    yield _event(record, layout, f"{path}:{number}")
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:  # also a year that Python does not have
        reason = str(error).split("\n")[0]
        yield rejected(path, f"not readable as Parquet: {reason}; nothing from row {number + 1} on was read")


def _event(record: dict[str, Any], layout: Layout, place: str) -> Occurrence | Rejected:
    try:
        present = _plain(record, time_zone(layout.times.timezone))
        if isinstance(present.get("term"), str) and not layout.is_flat:
            present["term"] = loads(present["term"])
            return occurrence(event_from_object(present, layout))
        return occurrence(flat_event(present, layout))
    except (*RECORD_ERRORS, OverflowError) as error:
        return rejected(place, str(error), json.dumps(record, ensure_ascii=False, default=str))


def _plain(value: Any, zone: ZoneInfo) -> Any:
    """A value of Arrow as JSON has it, and as `cera run` reads it: nothing for null, and times in UTC."""
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
