"""Events of files of Parquet, some thousand rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cera.connectors.records.layout import Layout, Rejected
from cera.connectors.records.rows import read_rows
from cera.errors import UsageError
from cera.model.events.event import Event

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS_AT_A_TIME = 10_000
#: A column of texts that takes fewer bytes a row has few different ones.
_FEW_BYTES = 3


def read(path: Path, layout: Layout) -> Iterator[Event | Rejected]:
    """Returns the events of a file."""
    first = 0
    for batch in batches_of(path, _ROWS_AT_A_TIME):
        yield from rows_of(path, batch, layout, first)
        first += batch.num_rows


def rows_of(path: Path, batch: pa.RecordBatch, layout: Layout, first: int = 0) -> Iterator[Event | Rejected]:
    """Returns the events of some rows, before which so many others stand."""
    for number, one in enumerate(read_rows(batch, layout), first + 1):
        yield replace(one, place=f"{path}, row {number}") if isinstance(one, Rejected) else one


def _groups(metadata: Any, rows: int) -> Iterator[list[int]]:
    """Yields the groups of a file in their order, as many at a time as have so many rows."""
    found, count = list[int](), 0
    for group in range(metadata.num_row_groups):
        found.append(group)
        count += metadata.row_group(group).num_rows
        if count >= rows:
            yield found
            found, count = [], 0
    if found:
        yield found


def _columns_of_few_texts(path: Path) -> list[str]:
    """Returns the columns of texts that take few bytes a row, as those with a dictionary do."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pq.ParquetFile(path, pre_buffer=False) as file:
        schema, metadata = file.schema_arrow, file.metadata
        sizes = dict.fromkeys(range(metadata.num_columns), 0)
        for group in range(metadata.num_row_groups):
            for column in sizes:
                sizes[column] += metadata.row_group(group).column(column).total_uncompressed_size
        texts = {
            field.name for field in schema if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
        }
        names = {column: metadata.schema.column(column).path for column in sizes}
        few = _FEW_BYTES * max(metadata.num_rows, 1)
        return [name for column, name in names.items() if name in texts and sizes[column] < few]


def batches_of(
    path: Path, rows: int, columns: Sequence[str] | None = None, *, encoded: bool = False
) -> Iterator[pa.RecordBatch]:
    """Yields so many rows of a file at a time, or some of its columns.

    `encoded`: columns of few different texts stay the dictionaries and numbers that they are in the file.
    """
    import pyarrow.parquet as pq  # takes a while to import

    try:
        # a few groups after the other, and no bytes before they are needed: else all of the file is in memory
        dictionaries = _columns_of_few_texts(path) if encoded else None
        with pq.ParquetFile(path, pre_buffer=False, read_dictionary=dictionaries) as file:
            chosen = None if columns is None else [name for name in columns if name in file.schema_arrow.names]
            for groups in _groups(file.metadata, rows):
                yield from file.iter_batches(rows, groups, columns=chosen, use_threads=False)
    except (OSError, ValueError) as error:  # as pyarrow's errors are
        raise UsageError(f"{path} cannot be read: {error}") from None
