"""A file of Parquet as tables of events, some thousand rows at a time.

Columns of strings, numbers and truth values are taken as they are; a cell without a value is a child that is not there.
Rows with anything else are read one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cera.connectors.fast_jsonl import occurrences
from cera.connectors.files import EventFile
from cera.connectors.formats.parquet_files import batches_of, rows_of
from cera.connectors.formats.time_columns import TimeColumns
from cera.connectors.records.layout import Layout, Rejected
from cera.engines.columns.coverage import EXACT
from cera.engines.columns.event_blocks import EventBlock, Fields, tables_in_block
from cera.engines.columns.event_tables import Attribute
from cera.engines.columns.rows import Array, Places
from cera.engines.columns.strings import Strings
from cera.model.columns.arrow_buffers import array_of, filled, numbers_in, present_in, truths_in
from cera.model.events.occurrence import Occurrence

#: How many rows are read at a time.
BLOCK = 1 << 17


class ParquetBlocks:
    """The blocks of a file of Parquet."""

    def __init__(self, file: EventFile, layout: Layout, strings: Strings) -> None:
        self._file = file
        self._layout = layout
        self._strings = strings
        self._batches = batches_of(file.path, BLOCK, encoded=True)
        self._known: dict[str, tuple[pa.Array, Array]] = {}
        self._next = 0
        assert layout.time_source is not None
        self._labels = () if layout.label_source is None else (layout.label_source,)
        self._begin, self._end = layout.time_source
        self._times = TimeColumns(layout.times)

    def __iter__(self) -> Iterator[EventBlock]:
        for batch in self._batches:
            yield self._block(batch)

    def rest(self, block: EventBlock | None = None) -> Iterator[Occurrence | Rejected]:
        """Returns the records behind the last block, or from this one on, as the ordinary reader reads them."""
        if block is not None:
            yield from block.records()
        for batch in self._batches:
            yield from self._records(batch)()

    def _records(self, batch: pa.RecordBatch) -> Callable[[], Iterator[Occurrence | Rejected]]:
        first, self._next = self._next, self._next + batch.num_rows
        return lambda: occurrences(rows_of(self._file.path, _decoded(batch), self._layout, first))

    def _block(self, batch: pa.RecordBatch) -> EventBlock:
        records = self._records(batch)
        fields = self._fields(batch)

        def read(rows: list[int]) -> Iterator[Occurrence | Rejected]:
            return occurrences(rows_of(self._file.path, _decoded(batch.take(array_of(np.array(rows)))), self._layout))

        found = None if fields is None else tables_in_block(fields, self._strings, read)
        return EventBlock(records, None) if found is None else EventBlock(records, *found)

    def _fields(self, batch: pa.RecordBatch) -> Fields | None:
        names = batch.schema.names
        own = (*self._labels, self._begin, self._end)
        if not batch.num_rows or len(set(names)) < len(names) or not set(own) <= set(names):
            return None
        columns = {name: batch.column(name) for name in names}
        if any(columns[name].null_count for name in own):
            return None
        begin = self._times.array(_plain(columns[self._begin]))
        end = begin if self._begin == self._end else self._times.array(_plain(columns[self._end]))
        labels = self._label_of(columns, batch.num_rows)
        if begin is None or end is None or labels is None:
            return None
        children: dict[str, Attribute] = {}
        for name in names:
            if name not in own:
                found = self._child(name, columns[name])
                if found is None:
                    return None
                children[name] = found
        return Fields(*labels, begin, end, children)

    def _label_of(self, columns: Mapping[str, pa.Array], rows: int) -> tuple[list[str], Places] | None:
        """Returns the labels, and which of them each row has."""
        if not self._labels:
            assert self._layout.label is not None
            return [self._layout.label], np.zeros(rows, np.int64)
        label = columns[self._labels[0]]
        if not _is_text(label.type):
            return None
        labels = _encoded(label)
        label_of = numbers_in(labels.indices).astype(np.int64)
        used = np.flatnonzero(np.bincount(label_of, minlength=1))
        names = labels.dictionary.to_pylist()
        if len(used) < len(names):  # the dictionary is that of more rows than these
            names, label_of = [names[code] for code in used.tolist()], np.searchsorted(used, label_of)
        return names, label_of

    def _child(self, name: str, column: pa.Array) -> Attribute | None:
        present = present_in(column)
        kind = column.type
        if _is_text(kind):
            encoded = _encoded(column)
            codes = self._codes(name, encoded.dictionary)
            return Attribute("string", codes[filled(numbers_in(encoded.indices), present)], present)
        if pa.types.is_boolean(kind):
            return Attribute("boolean", truths_in(column), present)
        if pa.types.is_integer(kind) or pa.types.is_floating(kind):
            if pa.types.is_integer(kind) and not _is_below(column, EXACT):
                return None
            numbers = filled(numbers_in(pc.cast(column, pa.float64())), present)
            if len(numbers) and not np.abs(numbers).max() < EXACT:  # nor is it if one is not a number
                return None
            return Attribute("number", numbers, present)
        return None

    def _codes(self, name: str, texts: pa.Array) -> Array:
        """Returns the codes of the texts of a dictionary, which is mostly that of the block before."""
        known = self._known.get(name)
        if known is None or not known[0].equals(texts):
            known = self._known[name] = texts, self._strings.codes(texts.to_pylist() or [""])
        return known[1]


def _is_text(kind: Any) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _encoded(column: pa.Array) -> pa.DictionaryArray:
    return column if pa.types.is_dictionary(column.type) else column.dictionary_encode()


def _decoded(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Returns a batch with texts where it has dictionaries of texts."""
    return pa.RecordBatch.from_arrays(list(map(_plain, batch.columns)), names=batch.schema.names)


def _plain(column: pa.Array) -> pa.Array:
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _is_below(column: pa.Array, limit: int) -> bool:
    bounds = pc.min_max(column)
    least, most = bounds["min"].as_py(), bounds["max"].as_py()
    return least is None or max(-least, most) < limit
