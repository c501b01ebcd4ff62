"""The times of a file's records, read in a pass of their own before the events.

The pass finds how far records are out of order, so that a run can sort them in a buffer of that length.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any

from cera.connectors.fast_jsonl import chunks, read_file_occurrences
from cera.connectors.files import EventFile
from cera.connectors.formats import csv_files, parquet_files
from cera.connectors.formats.compression import open_events
from cera.connectors.formats.json_arrays import array_lines
from cera.connectors.formats.jsonl import event_in
from cera.connectors.formats.plain_lines import PlainReader
from cera.connectors.formats.time_shapes import TimeShapes
from cera.connectors.records.layout import Layout, decode
from cera.connectors.records.record_times import STATE
from cera.model.events.event import Event
from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import Time

#: Files of so many bytes are scanned in columns, so many bytes at a time.
_LARGE = 2_000_000
_BLOCK = 1 << 22
#: How many rows of Parquet are scanned at a time.
_ROWS = 1 << 17


@dataclass(frozen=True)
class TimeScan:
    """The result of a pass over the times of a file.

    `disorder` is the greatest distance by which a record's end lies before the latest end of the records above it, and
    `longest` the greatest duration of a record. Records that the reader rejects may be among them, so that these are
    upper bounds; those that it accepts are always included.
    """

    records: int = 0
    disorder: int = 0
    longest: int = 0
    first_end: Time | None = None
    last_end: Time | None = None


def scan_times(file: EventFile, layout: Layout) -> TimeScan:
    """Returns how far a file's events are out of order, and how long they last."""
    if file.format == "parquet":
        return _scan_of_parquet(file, layout)
    if file.format == "csv":
        return _scan_of_csv(file, layout)
    if file.format == "json" and (in_columns := _scan_of_array(file, layout)) is not None:
        return in_columns
    if file.format != "jsonl" or not layout.is_plain:
        records = read_file_occurrences(file, layout)
        return scan((record.begin, record.end) for record in records if isinstance(record, Occurrence))
    reader = _LineScanner(layout)
    try:
        large = file.path.stat().st_size >= _LARGE and layout.state_field is None
        with open_events(file.path) as stream:
            if large:
                _take_blocks(chunks(stream, _BLOCK), layout, reader)
            else:
                for data in chunks(stream):
                    reader.take(data)
    except OSError:
        pass  # reported when the events are read
    return reader.found.scan


def _take_blocks(blocks: Iterable[bytes], layout: Layout, reader: _LineScanner) -> None:
    """Adds the times of blocks of lines, those of a block at once where they can be found so."""
    from cera.connectors.formats.line_times import LineTimes  # takes a while to import

    times = LineTimes(layout)
    for data in blocks:
        found = times.read(data if data.endswith(b"\n") else data + b"\n")
        if found is None:
            reader.take(data)
        else:
            reader.found.add_all(*found)


def _scan_of_array(file: EventFile, layout: Layout) -> TimeScan | None:
    """Returns the scan of a large array of JSON; None if its elements have to be read one by one."""
    with suppress(OSError), open_events(file.path) as stream:
        if layout.is_plain and layout.state_field is None and file.path.stat().st_size >= _LARGE:
            from cera.connectors.formats.line_times import LineTimes  # takes a while to import

            found, times = _TimeBounds(), LineTimes(layout)
            for lines in array_lines(stream, _BLOCK):
                read = None if lines is None else times.read(lines)
                if read is None:
                    return None
                found.add_all(*read)
            return found.scan
    return None


def _scan_of_parquet(file: EventFile, layout: Layout) -> TimeScan:
    """Returns the scan of the columns of times, if these are columns of times; else that of all events."""
    from cera.connectors.formats.time_columns import TimeColumns  # takes a while to import

    if not layout.is_plain or layout.state_field is not None or layout.time_source is None:
        return _scan_of_rows(file, layout)
    begin, end = layout.time_source
    found, times = _TimeBounds(), TimeColumns(layout.times)
    names = tuple(dict.fromkeys((begin, end)))
    for batch in parquet_files.batches_of(file.path, _ROWS, names):
        columns = [batch.column(name) for name in names if name in batch.schema.names]
        read = [array for each in columns if not each.null_count and (array := times.array(each)) is not None]
        if len(read) < len(names):
            return _scan_of_rows(file, layout)
        found.add_all(read[0], read[-1])
    return found.scan


def _scan_of_rows(file: EventFile, layout: Layout) -> TimeScan:
    events = parquet_files.read(file.path, layout)
    return scan((event.begin, event.end) for event in events if isinstance(event, Event))


def _scan_of_csv(file: EventFile, layout: Layout) -> TimeScan:
    """Returns the scan of a file of CSV, as far as possible in columns."""
    found = _TimeBounds()
    with suppress(OSError, UnicodeError), open_events(file.path) as stream:
        if layout.is_plain and layout.state_field is None and file.path.stat().st_size >= _LARGE:
            with open_events(file.path) as again:
                head = csv_files.head_of(again, layout)
            if head is not None:
                for _ in range(head.first - 1):
                    stream.readline()
                _take_csv(chunks(stream, _BLOCK), head, layout, found)
                return found.scan
        for begin, end in csv_files.read_times(stream, layout):
            found.add(begin, end)
    return found.scan


def _take_csv(blocks: Iterator[bytes], head: csv_files.CsvHead, layout: Layout, found: _TimeBounds) -> None:
    """Adds the times of blocks of rows; those from the first block on that is not columns, row by row."""
    from cera.connectors.formats.csv_columns import CsvTimes, can_split  # takes a while to import

    times = CsvTimes(layout)
    for data in blocks:
        read = times.rows(data if data.endswith(b"\n") else data + b"\n", head) if can_split(head.dialect) else None
        if read is None:
            lines = chain.from_iterable(map(io.BytesIO, chain((data,), blocks)))
            for begin, end in head.times(lines, layout):
                found.add(begin, end)
            return
        found.add_all(*read)


def scan(times: Iterable[tuple[Time, Time]]) -> TimeScan:
    """Returns the scan of records with these begins and ends, in the order of the file."""
    found = _TimeBounds()
    for begin, end in times:
        found.add(begin, end)
    return found.scan


class _TimeBounds:
    """The bounds of the records so far."""

    def __init__(self) -> None:
        self._records = self._disorder = self._longest = 0
        self._first: Time | None = None
        self._last: Time | None = None

    @property
    def scan(self) -> TimeScan:
        return TimeScan(self._records, self._disorder, self._longest, self._first, self._last)

    def add(self, begin: Time, end: Time) -> None:
        if end - begin > self._longest:
            self._longest = end - begin
        self.add_points(end, end, 1)

    def add_all(self, begins: Any, ends: Any) -> None:
        """Adds records in the order of the file, of which the times are arrays."""
        if not len(ends):
            return
        longest = int((ends - begins).max())
        if bool((ends[1:] >= ends[:-1]).all()):
            self.add_points(int(ends[0]), int(ends[-1]), len(ends), longest)
            return
        import numpy as np  # takes a while to import

        latest = np.maximum.accumulate(ends)
        first, last = int(ends.min()), int(latest[-1])
        if self._last is not None:
            latest = np.maximum(latest, self._last)
        self._disorder = max(self._disorder, int((latest - ends).max()))
        self.add_points(first, last, len(ends), longest)

    def add_points(self, first: Time, last: Time, records: int, longest: int = 0) -> None:
        """Adds records in order, of which only the first and the last time are known, and which of them is longest."""
        self._longest = max(self._longest, longest)
        self._records += records
        if self._first is None or self._last is None:
            self._first, self._last = first, last
            return
        if first < self._last:  # of records in order, the first is the farthest from those above
            self._disorder = max(self._disorder, self._last - first)
            self._first = min(self._first, first)
        self._last = max(self._last, last)


def _state_marks(layout: Layout) -> str:
    """Returns a pattern for what a line has that may be a state; empty if none can be."""
    names = [] if layout.state_field is None else [layout.state_field]
    if layout.time_source is None:  # there may be event objects
        names.append(STATE)
    if not names:
        return ""
    # a name may be written with escapes
    escape = r"\\u00[2-7]" if all(name.isascii() for name in names) else r"\\u"
    return "|".join([*(re.escape(json.dumps(name, ensure_ascii=False)) for name in names), escape])


class _LineScanner:
    """A scanner of the times of JSON lines."""

    def __init__(self, layout: Layout) -> None:
        self.found = _TimeBounds()
        self._layout = layout
        self._shapes = TimeShapes(layout.times)
        self._plain = PlainReader(layout)
        marks = _state_marks(layout)
        self._mark = re.compile(marks) if marks else None
        self._unmarked = TimeShapes(layout.times, marks)

    def take(self, data: bytes) -> None:
        """Adds the times of some whole lines. A line that is not UTF-8 may be added, as it is rejected later."""
        text = data.decode("utf-8", "surrogateescape")
        if not text.endswith("\n"):
            text += "\n"
        shapes = self._shapes if self._mark is None or self._mark.search(text) is None else self._unmarked
        while text:
            rows = shapes.rows(text)
            try:
                ends = shapes.ends_in_order(rows)
            except ValueError:
                ends = None
            if ends is not None:
                self.found.add_points(*ends, len(rows))
                return
            text = self._take_rows(shapes, rows, text.split("\n"))

    def _take_rows(self, shapes: TimeShapes, rows: Sequence[Sequence[str]], lines: Sequence[str]) -> str:
        """Adds the times of rows one by one. Returns the lines behind one with a new shape."""
        for i, row in enumerate(rows):
            try:
                times = shapes.times(row)
            except ValueError:  # not a time, or one of a minute in which a clock is changed
                times = None
            if times is not None:
                self.found.add(*times)
            elif (plain := self._plain.read_any(lines[i])) is None:
                self._take_line(lines[i])
            else:
                self.found.add(plain.event.begin, plain.event.end)
                if shapes.learn(f"{lines[i]}\n", plain):
                    return "\n".join(lines[i + 1 :])
        return ""

    def _take_line(self, line: str) -> None:
        text = decode(line.encode("utf-8", "surrogateescape")).rstrip(" \t\r\n")
        event = event_in(text, "", self._layout) if text else None
        if isinstance(event, Event):
            self.found.add(event.begin, event.end)
