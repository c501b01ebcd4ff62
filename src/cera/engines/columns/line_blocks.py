"""A file of flat JSON records as tables of events, block by block.

A block is either read into columns as a whole, or given back as bytes for the ordinary reader. Of each shape of record
in a block (its label and its children) one is read by the ordinary reader too, and must be the same event.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from cera.connectors.fast_jsonl import chunks, read, unreadable
from cera.connectors.files import EventFile
from cera.connectors.formats.compression import open_events
from cera.connectors.formats.json_columns import Kind, json_columns
from cera.connectors.formats.line_columns import LineColumn, LineColumns, StringColumn
from cera.connectors.records.layout import Layout, Rejected
from cera.engines.columns.event_tables import Attribute, EventTable
from cera.engines.columns.rows import Array, Places, Times, Truths
from cera.engines.columns.strings import Strings
from cera.model.columns.column_hashes import hexadecimal
from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import MAX_TIME, Time

#: About how many bytes are read at a time.
BLOCK = 1 << 22
#: How many lines are looked at to learn the fields of records.
_SAMPLE = 1_000
#: More shapes of records than that in a block are read line by line.
_MOST_SHAPES = 200
#: Numbers of shapes beyond that are made smaller.
_MANY_SHAPES = 1 << 16
#: After so many blocks in a row that have more than a few shapes, no others are tried.
_MOST_FAILED = 3
_MICROSECONDS = {None: 1_000_000, "s": 1_000_000, "ms": 1_000, "us": 1}


@dataclass(frozen=True)
class LineBlock:
    """Whole lines of a file, the first of which has a number; with their events by label, if they are columns.

    `examples` has an event of each shape. The events of a table are in the order of their ends.
    """

    data: bytes
    first: int
    lines: int
    tables: dict[str, EventTable] | None
    examples: tuple[Occurrence, ...] = ()

    @property
    def last_end(self) -> Time:
        assert self.tables is not None
        return max(int(table.end[-1]) for table in self.tables.values())

    @property
    def longest(self) -> int:
        assert self.tables is not None
        return max(int((table.end - table.begin).max()) for table in self.tables.values())

    @property
    def first_end(self) -> Time:
        assert self.tables is not None
        return min(int(table.end[0]) for table in self.tables.values())


def can_read(file: EventFile, layout: Layout) -> bool:
    """Returns whether a file may have flat records with numbers as times."""
    named = layout.is_plain and layout.label_source is not None and layout.time_source is not None
    return file.format == "jsonl" and named and layout.id_field is None and layout.state_field is None


class LineBlocks:
    """The blocks of a file; reading raises OSError where it cannot go on."""

    def __init__(self, file: EventFile, layout: Layout, strings: Strings) -> None:
        self._file = file
        self._layout = layout
        self._reader = _BlockReader(file.shown, layout, strings)
        self._data = self._chunks()
        self._next = 1

    def __iter__(self) -> Iterator[LineBlock]:
        for data in self._data:
            block = self._reader.block(data, self._next)
            self._next += block.lines
            yield block

    def lines(self, block: LineBlock) -> Iterator[Occurrence | Rejected]:
        """Returns the records of one block as the ordinary reader reads them."""
        return read((block.data,), self._file.shown, self._layout, block.first)

    def rest(self, block: LineBlock | None = None) -> Iterator[Occurrence | Rejected]:
        """Returns the records behind the last block, or from this one on, as the ordinary reader reads them."""
        data, first = ((), self._next) if block is None else ((block.data,), block.first)
        try:
            yield from read(chain(data, self._data), self._file.shown, self._layout, first)
        except OSError as error:
            yield unreadable(self._file, error)

    def _chunks(self) -> Iterator[bytes]:
        with open_events(self._file.path) as stream:
            yield from chunks(stream, BLOCK)


@dataclass(frozen=True)
class _Fields:
    """The fields of a block: which of some labels each record has, its times as they are written, its children."""

    names: Sequence[str]
    label_of: Places
    begin: Times
    end: Times
    children: Mapping[str, Attribute]


class _BlockReader:
    def __init__(self, name: str, layout: Layout, strings: Strings) -> None:
        self._name = name
        self._layout = layout
        self.strings = strings
        self._kinds: dict[str, Kind] = {}
        assert layout.time_source is not None
        assert layout.label_source is not None
        self._label = layout.label_source
        self._begin, self._end = layout.time_source
        self._unit = _MICROSECONDS[layout.times.unit]  # no plain layout has nanoseconds
        self._shaped = LineColumns(frozenset((self._begin, self._end)))
        self._codes: Places = np.empty(0, np.int64)
        self._failed = 0

    def block(self, data: bytes, first: int) -> LineBlock:
        whole = data if data.endswith(b"\n") else data + b"\n"
        ends = np.flatnonzero(np.frombuffer(whole, np.uint8) == ord("\n"))
        fields = self._shaped_fields(whole) or self._arrow_fields(whole)
        found = None if fields is None else self._tables(fields, whole, ends)
        if found is None:
            return LineBlock(data, first, len(ends), None)
        return LineBlock(data, first, len(ends), *found)

    def _shaped_fields(self, data: bytes) -> _Fields | None:
        """Reads lines of a few shapes, as long as not too many blocks have others."""
        if self._failed >= _MOST_FAILED:
            return None
        columns = self._shaped.read(data)
        own = (self._label, self._begin, self._end)
        if columns is None or not all(name in columns and columns[name].present is None for name in own):
            self._failed += 1
            return None
        labels, begin, end = (columns[name].values for name in own)
        if not isinstance(labels, StringColumn) or isinstance(begin, StringColumn) or isinstance(end, StringColumn):
            self._failed += 1
            return None
        used = np.flatnonzero(np.bincount(labels.places, minlength=1))
        numbers = np.zeros(int(used[-1]) + 1, np.int64)
        numbers[used] = np.arange(len(used))
        names = [labels.texts[place] for place in used.tolist()]
        children = {name: self._attribute(column) for name, column in columns.items() if name not in own}
        self._failed = 0
        return _Fields(names, numbers[labels.places], begin, end, children)

    def _attribute(self, column: LineColumn) -> Attribute:
        if not isinstance(column.values, StringColumn):
            return Attribute("number", column.values, column.present)
        texts = column.values.texts
        if len(self._codes) < len(texts):
            self._codes = np.concatenate([self._codes, self.strings.codes(texts[len(self._codes) :])])
        return Attribute("string", self._codes[column.values.places], column.present)

    def _arrow_fields(self, data: bytes) -> _Fields | None:
        """Reads lines with Arrow, by the kinds of fields that were learnt."""
        table = json_columns(data, self._kinds) if self._kinds else None
        if table is None and self._learn(data):
            table = json_columns(data, self._kinds)
        own = (self._label, self._begin, self._end)
        if table is None or any(table[name].null_count for name in own):
            return None
        labels = table[self._label].combine_chunks().dictionary_encode()
        children = {name: self._child(table[name], kind) for name, kind in self._kinds.items() if name not in own}
        return _Fields(
            labels.dictionary.to_pylist(),
            labels.indices.to_numpy().astype(np.int64),
            table[self._begin].to_numpy(),
            table[self._end].to_numpy(),
            children,
        )

    def _learn(self, data: bytes) -> bool:
        """Looks at the first lines for fields that are not known yet. Returns whether there are some."""
        known = dict(self._kinds)
        fixed: dict[str, Kind] = {self._label: "string", self._begin: "time", self._end: "time"}
        for line in data.split(b"\n", _SAMPLE)[:_SAMPLE]:
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict):
                for name, value in record.items():
                    kind = fixed.get(name) or _kind(value)
                    if kind is not None:
                        known.setdefault(name, kind)
        learnt = known != self._kinds and fixed.keys() <= known.keys()
        if learnt:
            self._kinds = known
        return learnt

    def _tables(
        self, fields: _Fields, data: bytes, ends: Places
    ) -> tuple[dict[str, EventTable], tuple[Occurrence, ...]] | None:
        """Returns the events by label, and an example of each shape; None if they must be read line by line."""
        begin, end = self._times(fields.begin), self._times(fields.end)
        if begin is None or end is None or bool((begin > end).any()) or bool((end[1:] < end[:-1]).any()):
            return None
        names, label_of = fields.names, fields.label_of
        firsts = _first_of_each_shape(fields)
        examples = None if firsts is None else self._examples(data, ends, firsts)
        if firsts is None or examples is None:
            return None
        tables: dict[str, EventTable] = {}
        for code, name in enumerate(names):
            rows = np.flatnonzero(label_of == code) if len(names) > 1 else np.arange(len(label_of))
            present = {
                each: part for each, child in fields.children.items() if (part := _part(child, rows)) is not None
            }
            tables[name] = EventTable(name, begin[rows], end[rows], present, self.strings)
        if not _agree(examples, firsts, label_of, names, tables):
            return None
        return tables, tuple(examples)

    def _times(self, times: Times) -> Times | None:
        if len(times) and max(abs(int(times.min())), abs(int(times.max()))) > MAX_TIME // self._unit:
            return None
        return times * self._unit

    def _child(self, column: pa.ChunkedArray, kind: Kind) -> Attribute:
        present: Truths | None = column.is_valid().to_numpy() if column.null_count else None
        array = column.combine_chunks()
        if isinstance(array, pa.ChunkedArray):
            array = pa.concat_arrays(array.chunks)
        match kind:
            case "string":
                encoded = array.dictionary_encode()
                known = self.strings.codes(encoded.dictionary.to_pylist() or [""])
                codes: Array = known[encoded.indices.fill_null(0).to_numpy(zero_copy_only=False)]
                return Attribute("string", codes, present)
            case "boolean":
                return Attribute("boolean", array.fill_null(False).to_numpy(zero_copy_only=False), present)
            case _:
                return Attribute("number", array.fill_null(0.0).to_numpy(zero_copy_only=False), present)

    def _examples(self, data: bytes, ends: Places, rows: Places) -> list[Occurrence] | None:
        """Returns the events of some lines as the ordinary reader reads them; None if one is not an event."""
        found: list[Occurrence] = []
        for row in rows.tolist():
            line = data[int(ends[row - 1]) + 1 if row else 0 : int(ends[row]) + 1]
            records = list(read([line], self._name, self._layout))
            if len(records) != 1 or not isinstance(records[0], Occurrence):
                return None
            found.append(records[0])
        return found


def _first_of_each_shape(fields: _Fields) -> Places | None:
    """Returns the first record of each shape, its label and its children; None if there are too many shapes."""
    shapes, limit = fields.label_of, len(fields.names)
    for child in fields.children.values():
        if child.present is not None:
            shapes, limit = shapes * 2 + child.present, limit * 2
            if limit > _MANY_SHAPES:
                shapes = np.unique(shapes, return_inverse=True)[1]
                limit = int(shapes.max(initial=0)) + 1
    found = np.flatnonzero(np.bincount(shapes, minlength=1))
    if len(found) > _MOST_SHAPES:
        return None
    return np.array([int(np.argmax(shapes == shape)) for shape in found.tolist()], np.int64)


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


def _part(child: Attribute, rows: Places) -> Attribute | None:
    """Returns the values of a child in some rows; None if there are none."""
    part = child.take(rows)
    if part.present is None or part.present.all():
        return Attribute(part.kind, part.values, None)
    return part if part.present.any() else None


def _agree(
    examples: list[Occurrence], rows: Places, label_of: Places, names: Sequence[str], tables: dict[str, EventTable]
) -> bool:
    """Returns whether events that were read one by one are those of the tables."""
    for event, row in zip(examples, rows.tolist(), strict=True):
        code = int(label_of[row])
        table = tables[names[code]]
        place = np.array([np.count_nonzero(label_of[:row] == code)])
        same_times = event.begin == table.begin[place[0]] and event.end == table.end[place[0]]
        if event.label != table.label or event.qualifier is not None or not same_times:
            return False
        if event.id != hexadecimal(table.ids(place)).decode():
            return False
    return True
