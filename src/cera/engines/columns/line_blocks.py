"""A file of JSON lines as tables of events, block by block: flat records, or event objects with flat terms.

A block is either read into columns as a whole, or left to the ordinary reader.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from cera.connectors.fast_jsonl import chunks, line_reader, read, unreadable
from cera.connectors.files import EventFile
from cera.connectors.formats.byte_columns import BlockBytes
from cera.connectors.formats.compression import open_events
from cera.connectors.formats.json_columns import Kind, json_columns
from cera.connectors.formats.line_columns import Field, LineColumn, LineColumns, RecordFields
from cera.connectors.formats.string_columns import StringColumn
from cera.connectors.formats.time_columns import TimeColumns
from cera.connectors.records.layout import TIME_FIELDS, Layout, Rejected, own_times
from cera.engines.columns.event_blocks import EventBlock, Fields, tables_in_block
from cera.engines.columns.event_tables import Attribute
from cera.engines.columns.rows import Array, Places
from cera.engines.columns.strings import Strings
from cera.model.columns.arrow_buffers import filled, numbers_in, present_in, truths_in, whole
from cera.model.events.occurrence import Occurrence

#: About how many bytes are read at a time.
BLOCK = 1 << 22
#: How many lines are looked at to learn the fields of records.
_SAMPLE = 1_000
#: After so many blocks in a row that have more than a few shapes, no others are tried.
_MOST_FAILED = 3


class LineBlocks:
    """The blocks of a file; reading raises OSError where it cannot go on."""

    def __init__(self, file: EventFile, layout: Layout, strings: Strings) -> None:
        self._file = file
        self._layout = layout
        self._reader = BlockReader(file.shown, layout, strings)
        self._data = self._chunks()
        self._next = 1

    def __iter__(self) -> Iterator[EventBlock]:
        for data in self._data:
            lines, block = self._reader.block(data, self._next)
            self._next += lines
            yield block

    def rest(self, block: EventBlock | None = None) -> Iterator[Occurrence | Rejected]:
        """Returns the records behind the last block, or from this one on, as the ordinary reader reads them."""
        if block is not None:
            yield from block.records()
        try:
            yield from read(self._data, self._file.shown, self._layout, self._next)
        except OSError as error:
            yield unreadable(self._file, error)

    def _chunks(self) -> Iterator[bytes]:
        with open_events(self._file.path) as stream:
            yield from chunks(stream, BLOCK)


class BlockReader:
    """A reader of blocks of lines, which knows the shapes of those before."""

    def __init__(self, name: str, layout: Layout, strings: Strings) -> None:
        self._name = name
        self._layout = layout
        self.strings = strings
        self._read = line_reader(name, layout)
        self._kinds: dict[str, Kind] = {}
        self._label = layout.label_source if layout.is_flat else ""
        self._times = TimeColumns(layout.times)
        self._time_names = layout.time_source or TIME_FIELDS
        known = RecordFields(frozenset(self._time_names), self._label, has_term=not layout.is_flat)
        self._shaped = LineColumns(known, self._times)
        self._codes: Places = np.empty(0, np.int64)
        self._failed = 0

    def block(self, data: bytes, first: int) -> tuple[int, EventBlock]:
        """Returns how many lines there are, of which the first has a number, and what is in them."""
        text = data if data.endswith(b"\n") else data + b"\n"
        block = BlockBytes(text)
        ends = block.line_ends
        fields = self._shaped_fields(block) or self._arrow_fields(text)

        def example(row: int) -> Occurrence | Rejected | None:
            line = block.bytes_at(int(ends[row - 1]) + 1 if row else block.first, int(ends[row]) + 1)
            records = self._read(line)
            return records[0] if len(records) == 1 else None

        found = None if fields is None else tables_in_block(fields, self.strings, lambda rows: map(example, rows))

        def records() -> Iterator[Occurrence | Rejected]:
            return read((data,), self._name, self._layout, first)

        return len(ends), EventBlock(records, None) if found is None else EventBlock(records, *found)

    def _shaped_fields(self, block: BlockBytes) -> Fields | None:
        """Reads lines of a few shapes, as long as not too many blocks have others."""
        if self._failed >= _MOST_FAILED:
            return None
        columns = self._shaped.read(block)
        fields = None if columns is None else self._in_roles(columns)
        self._failed = self._failed + 1 if fields is None else 0
        return fields

    def _in_roles(self, columns: Mapping[Field, LineColumn]) -> Fields | None:
        """Returns the label, the times and the children, if each record has the first two."""
        written = [field.name for field in columns if field.role == "time"]
        own = own_times(written, self._layout)
        if own is None:
            return None
        begin, end = (columns[Field(name, "time")] for name in own)
        children = {field.name: self._attribute(each) for field, each in columns.items() if field.role == "child"}
        if begin.present is not None or end.present is not None:
            return None
        assert not isinstance(begin.values, StringColumn)
        assert not isinstance(end.values, StringColumn)
        if self._label is None:
            assert self._layout.label is not None
            every = np.zeros(len(begin.values), np.int64)
            return Fields([self._layout.label], every, begin.values, end.values, children)
        labels = columns.get(Field(self._label, "label"))
        if labels is None or labels.present is not None or not isinstance(labels.values, StringColumn):
            return None
        used = np.flatnonzero(np.bincount(labels.values.places, minlength=1))
        numbers = np.zeros(int(used[-1]) + 1, np.int64)
        numbers[used] = np.arange(len(used))
        names = [labels.values.texts[place] for place in used.tolist()]
        return Fields(names, numbers[labels.values.places], begin.values, end.values, children)

    def _attribute(self, column: LineColumn) -> Attribute:
        if not isinstance(column.values, StringColumn):
            return Attribute("boolean" if column.kind == "truth" else "number", column.values, column.present)
        texts = column.values.texts
        if len(self._codes) < len(texts):
            self._codes = np.concatenate([self._codes, self.strings.codes(texts[len(self._codes) :])])
        return Attribute("string", self._codes[column.values.places], column.present)

    def _arrow_fields(self, data: bytes) -> Fields | None:
        """Reads lines of flat records with Arrow, by the kinds of fields that were learnt."""
        if not self._layout.is_flat:
            return None
        table = json_columns(data, self._kinds) if self._kinds else None
        if table is None and self._learn(data):
            table = json_columns(data, self._kinds)
        own = None if table is None else own_times(table.column_names, self._layout)
        if table is None or own is None or any(table[name].null_count for name in (*own, *self._labels)):
            return None
        begin = self._times.array(whole(table[own[0]]))
        end = begin if own[0] == own[1] else self._times.array(whole(table[own[1]]))
        if begin is None or end is None:
            return None
        special = {*own, *self._labels}
        children = {name: self._child(table[name], kind) for name, kind in self._kinds.items() if name not in special}
        if self._label is None:
            assert self._layout.label is not None
            return Fields([self._layout.label], np.zeros(len(begin), np.int64), begin, end, children)
        labels = whole(table[self._label]).dictionary_encode()
        return Fields(labels.dictionary.to_pylist(), numbers_in(labels.indices).astype(np.int64), begin, end, children)

    @property
    def _labels(self) -> tuple[str, ...]:
        return () if self._label is None else (self._label,)

    def _learn(self, data: bytes) -> bool:
        """Looks at the first lines for fields that are not known yet. Returns whether there are some."""
        known = dict(self._kinds)
        for line in data.split(b"\n", _SAMPLE)[:_SAMPLE]:
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict):
                for name, value in record.items():
                    kind = self._kind(name, value)
                    if kind is not None:
                        known.setdefault(name, kind)
        needed = {*self._labels, *(self._layout.time_source or ())}
        learnt = known != self._kinds and needed <= known.keys()
        if learnt:
            self._kinds = known
        return learnt

    def _kind(self, name: str, value: Any) -> Kind | None:
        if name in self._time_names:
            return "string" if isinstance(value, str) else "time"
        return "string" if name == self._label else _kind(value)

    def _child(self, column: pa.ChunkedArray, kind: Kind) -> Attribute:
        array = whole(column)
        present = present_in(array)
        match kind:
            case "string":
                encoded = array.dictionary_encode()
                known = self.strings.codes(encoded.dictionary.to_pylist() or [""])
                codes: Array = known[filled(numbers_in(encoded.indices), present)]
                return Attribute("string", codes, present)
            case "boolean":
                return Attribute("boolean", truths_in(array), present)
            case _:
                return Attribute("number", filled(numbers_in(array), present), present)


def _kind(value: Any) -> Kind | None:
    match value:
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case _:
            return None
