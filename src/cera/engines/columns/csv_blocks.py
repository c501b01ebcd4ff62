"""A file of CSV as tables of events, block by block.

Cells have the values that the ordinary reader gives them. Columns of short numbers are read as such; of others each
different text is looked at once.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np

from cera.connectors.fast_jsonl import chunks, occurrences, unreadable
from cera.connectors.files import EventFile
from cera.connectors.formats.compression import open_events
from cera.connectors.formats.csv_columns import CsvCells, CsvTimes, can_split, cells_of
from cera.connectors.formats.csv_files import CsvHead, cell_value, head_of
from cera.connectors.formats.string_columns import StringReader
from cera.connectors.records.layout import RECORD_ERRORS, Layout, Rejected, own_times
from cera.engines.columns.coverage import EXACT
from cera.engines.columns.event_blocks import EventBlock, Fields, tables_in_block
from cera.engines.columns.event_tables import Attribute
from cera.engines.columns.rows import Array, Kind, Places, Truths
from cera.engines.columns.strings import Strings
from cera.model.events.occurrence import Occurrence
from cera.model.terms.values import Scalar

#: About how many bytes are read at a time.
BLOCK = 1 << 22
_STARTS = frozenset(b"-0123456789")

_Records = Iterator[Occurrence | Rejected]


def csv_head(file: EventFile, layout: Layout) -> CsvHead | None:
    """Returns how a file is written, if it can be read in blocks."""
    try:
        with open_events(file.path) as stream:
            head = head_of(stream, layout)
    except OSError:
        return None
    return head if head is not None and can_split(head.dialect) else None


class CsvBlocks:
    """The blocks of a file of CSV. One with quotes that is not columns is the last: a cell may go on behind it."""

    def __init__(self, file: EventFile, layout: Layout, head: CsvHead, strings: Strings) -> None:
        self._file = file
        self._layout = layout
        self._head = head
        self._strings = strings
        self._data = self._chunks()
        self._next = head.first
        self._times = CsvTimes(layout)
        self._texts = StringReader()
        self._codes: Places = np.empty(0, np.int64)

    def __iter__(self) -> Iterator[EventBlock]:
        for data in self._data:
            yield self._block(data)

    def rest(self, block: EventBlock | None = None) -> _Records:
        """Returns the records behind the last block, or from this one on, as the ordinary reader reads them."""
        before = () if block is None else block.data
        first = self._next if block is None else block.first
        lines = chain.from_iterable(map(io.BytesIO, chain(before, self._data)))
        try:
            yield from occurrences(self._head.read(lines, self._file.shown, self._layout, first))
        except OSError as error:
            yield unreadable(self._file, error)

    def _chunks(self) -> Iterator[bytes]:
        with open_events(self._file.path) as stream:
            for _ in range(self._head.first - 1):
                stream.readline()
            yield from chunks(stream, BLOCK)

    def _block(self, data: bytes) -> EventBlock:
        first = self._next
        self._next += data.count(b"\n")
        cells = cells_of(data if data.endswith(b"\n") else data + b"\n", self._head)
        fields = None if cells is None else self._fields(cells)

        def example(row: int) -> Occurrence | Rejected | None:
            assert cells is not None
            begin, end = int(cells.starts[row, 0]), int(cells.ends[row, -1])
            line = cells.block.line_at(begin, end)
            return next(self._read(line, first + row)(), None)

        found = None if fields is None else tables_in_block(fields, self._strings, lambda rows: map(example, rows))
        records = self._read(data, first)
        if found is not None:
            return EventBlock(records, *found, data=(data,), first=first)
        quote = self._head.dialect.quote.encode()
        return EventBlock(records, None, data=(data,), first=first, is_last=bool(quote) and quote in data)

    def _read(self, data: bytes, first: int) -> Callable[[], _Records]:
        return lambda: occurrences(self._head.read(io.BytesIO(data), self._file.shown, self._layout, first))

    def _fields(self, cells: CsvCells) -> Fields | None:
        layout, header = self._layout, self._head.header
        own = own_times(header, layout)
        label = layout.label_source
        if own is None or not len(cells.ends):
            return None
        columns = {name: (cells.starts[:, place], cells.ends[:, place]) for place, name in enumerate(header)}
        begin = self._times.read(cells.block, *columns[own[0]])
        end = begin if own[0] == own[1] else self._times.read(cells.block, *columns[own[1]])
        if begin is None or end is None:
            return None
        children: dict[str, Attribute] = {}
        for name in header:
            if name not in (*own, label):
                found = self._child(name, cells, *columns[name])
                if found is None:
                    return None
                if found.present is None or found.present.any():
                    children[name] = found
        if label is None:
            assert layout.label is not None
            return Fields([layout.label], np.zeros(len(begin), np.int64), begin, end, children)
        labels = self._texts.read(cells.block, *columns[label])
        if labels is None or bool((cells.ends == cells.starts)[:, header.index(label)].any()):
            return None
        used, places = np.unique(labels.places, return_inverse=True)
        return Fields([labels.texts[place] for place in used.tolist()], places, begin, end, children)

    def _child(self, name: str, cells: CsvCells, starts: Places, ends: Places) -> Attribute | None:
        """Returns the values of a column, of which an empty cell has none; None if they are of several kinds."""
        there: Truths = ends > starts
        present = None if there.all() else there
        if present is not None:
            starts, ends = starts[there], ends[there]
        if not len(starts):
            return Attribute("number", np.zeros(len(there)), there)
        is_text = name in self._layout.string_fields
        numbers = None
        if not is_text and int(cells.block.array[starts[0]]) in _STARTS:
            numbers = cells.block.doubles(starts, ends)
        if numbers is not None:
            return _spread("number", numbers, present)
        texts = self._texts.read(cells.block, starts, ends)
        if texts is None:
            return None
        used, places = np.unique(texts.places, return_inverse=True)
        values = self._values(name, [texts.texts[place] for place in used.tolist()])
        if values is None:
            return None
        kinds = {float if type(value) is int else type(value) for value in values}
        if kinds == {str}:
            return _spread("string", self._strings.codes([str(value) for value in values])[places], present)
        if kinds == {bool}:
            return _spread("boolean", np.array(values, np.bool_)[places], present)
        if kinds == {float} and all(abs(value) < EXACT for value in values if not isinstance(value, str)):
            return _spread("number", np.array(values, np.float64)[places], present)
        return None

    def _values(self, name: str, texts: list[str]) -> list[Scalar] | None:
        try:
            return [cell_value(name, text, self._layout, self._head.dialect) for text in texts]
        except RECORD_ERRORS:
            return None


def _spread(kind: Kind, values: Array, present: Truths | None) -> Attribute:
    """Returns values at the places where there are some."""
    if present is None:
        return Attribute(kind, values, None)
    found = np.zeros(len(present), values.dtype)
    found[present] = values
    return Attribute(kind, found, present)
