"""Timestamps as Spark writes them to Parquet, read with Arrow.

Spark writes a timestamp as INT96, a moment in UTC. Arrow reads that as a time without a zone, as it reads the clock
times that Spark writes in another way.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

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
