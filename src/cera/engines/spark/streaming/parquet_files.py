"""Parquet files as events, read row by row with Arrow: a column is a field of a flat record."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from cera.connectors.layout import RECORD_ERRORS, Layout, Rejected, rejected
from cera.connectors.records import event_from_object, flat_event
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
                for record in batch.to_pylist():
                    number += 1
                    yield _event({name: _plain(v) for name, v in record.items()}, layout, f"{path}:{number}")
    except (pa.ArrowException, OSError) as error:
        reason = str(error).split("\n")[0]
        yield rejected(path, f"not readable as Parquet: {reason}; nothing from row {number + 1} on was read")


def _event(record: dict[str, Any], layout: Layout, place: str) -> Occurrence | Rejected:
    present = {name: value for name, value in record.items() if value is not None}
    try:
        if isinstance(present.get("term"), str) and not layout.is_flat:
            present["term"] = loads(present["term"])
            return occurrence(event_from_object(present, layout))
        return occurrence(flat_event(present, layout))
    except RECORD_ERRORS as error:
        return rejected(place, str(error), str(record))


def _plain(value: Any) -> Any:
    """A value of Arrow as JSON has it."""
    match value:
        case datetime():
            zoned = value if value.tzinfo is None else value.astimezone(UTC)
            return zoned.isoformat().replace("+00:00", "Z")
        case date():
            return value.isoformat()
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case dict():
            return {name: _plain(part) for name, part in value.items()}
        case list():
            return [_plain(part) for part in value]
        case _:
            return value
