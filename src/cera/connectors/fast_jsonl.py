"""JSON lines as occurrences, without a term for each.

Most lines of a large file are plain (see `plain_lines`): event objects or flat records with scalars, or objects of
such, as children. Such a line is read by its shape, if a line before it had the same one (see `line_shapes`), else by
Python's own JSON reader. All other lines are read by the ordinary reader, so that exactly the same lines are accepted
and rejected, for the same reasons.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import BinaryIO

from cera.connectors.files import EventFile, read_event_file
from cera.connectors.formats import json_files, parquet_files
from cera.connectors.formats.compression import open_events
from cera.connectors.formats.jsonl import event_in
from cera.connectors.formats.line_shapes import Shapes
from cera.connectors.formats.plain_lines import PlainReader
from cera.connectors.records.layout import Layout, Rejected, decode, is_unicode, rejected
from cera.model.events.event import Event
from cera.model.events.occurrence import Occurrence, occurrence

#: About how many bytes of a file are read at a time.
_CHUNK = 1 << 16

_Record = Occurrence | Rejected
_Records = Iterator[_Record]


def read_event_files(found: Iterable[EventFile | Rejected], layout: Layout) -> _Records:
    """Returns the records of `files.read_event_files` as occurrences; JSON lines the fast way."""
    return chain.from_iterable(
        (file,) if isinstance(file, Rejected) else read_file_occurrences(file, layout) for file in found
    )


def read_file_occurrences(file: EventFile, layout: Layout) -> _Records:
    """Returns the records of `read_event_file` as occurrences; JSON lines the fast way."""
    if file.format == "parquet":
        return occurrences(parquet_files.read(file.path, layout))
    if not layout.is_plain or file.format not in ("jsonl", "json"):
        return occurrences(read_event_file(file, layout))
    return _read_array(file, layout) if file.format == "json" else _read_file(file, layout)


def occurrences(events: Iterable[Event | Rejected]) -> _Records:
    """Returns events as occurrences, with the rejected records in their places."""
    return (occurrence(event) if isinstance(event, Event) else event for event in events)


def _read_file(file: EventFile, layout: Layout) -> _Records:
    try:
        with open_events(file.path) as stream:
            yield from read_chunks(stream, file.shown, layout)
    except OSError as error:
        yield unreadable(file, error)


def _read_array(file: EventFile, layout: Layout) -> _Records:
    """Returns the records of a file of JSON, of which plain ones need no term."""
    plain = PlainReader(layout)

    def read_one(text: str, place: str) -> _Record:
        found = plain.read_any(text) if is_unicode(text) else None
        if found is not None:
            return found.event
        event = event_in(text, place, layout)
        return event if isinstance(event, Rejected) else occurrence(event)

    try:
        with open_events(file.path) as stream:
            yield from json_files.read_by(read_one, stream, file.shown, layout)
    except OSError as error:
        yield unreadable(file, error)


def unreadable(file: EventFile, error: OSError) -> Rejected:
    """Returns the rejection of the rest of a file."""
    return rejected(file.shown, f"could not be read further: {error.strerror or error}")


def read(lines: Iterable[bytes], name: str, layout: Layout, first: int = 1) -> _Records:
    """Returns the events of a stream of lines, or of a part of it that begins with the line `first`."""
    return chain.from_iterable(_batches(lines, name, layout, first))


def read_chunks(stream: BinaryIO, name: str, layout: Layout, size: int = _CHUNK) -> _Records:
    """Returns the events of a stream that need not be waited for, several lines at a time."""
    return chain.from_iterable(_batches(chunks(stream, size), name, layout, 1))


def chunks(stream: BinaryIO, size: int = _CHUNK) -> Iterator[bytes]:
    """Yields the bytes of a stream in pieces of whole lines.

    Larger pieces are read as smaller ones are, so that as many lines stand before a place that cannot be read.
    """
    parts: list[bytes] = []
    length, once = 0, min(size, _CHUNK)
    failed: OSError | None = None
    try:
        while part := stream.read(once) + stream.readline():
            parts.append(part)
            length += len(part)
            if length >= size:
                yield b"".join(parts)
                parts, length = [], 0
    except OSError as error:
        failed = error
    if parts:
        yield b"".join(parts)
    if failed is not None:
        raise failed


def line_reader(name: str, layout: Layout) -> Callable[[bytes], Sequence[_Record]]:
    """Returns a function that reads single lines, and knows the shapes of those before; it does not number them."""
    return _Reader(name, layout, 1).read


def _batches(parts: Iterable[bytes], name: str, layout: Layout, first: int) -> Iterator[Sequence[_Record]]:
    reader = _Reader(name, layout, first)
    for lines in parts:
        yield reader.read(lines)


class _Reader:
    """A reader of the lines of one source."""

    def __init__(self, name: str, layout: Layout, first: int) -> None:
        self._name = name
        self._layout = layout
        #: The number of the next line.
        self._number = first
        self._shapes = Shapes(layout.times)
        self._plain = PlainReader(layout)

    def read(self, data: bytes) -> Sequence[_Record]:
        """Returns the records in some whole lines."""
        found: list[_Record] = []
        try:
            text = data.decode()
        except UnicodeDecodeError:
            for line in io.BytesIO(data):
                self._read_ordinary(line, found)
            return found
        if not text.endswith("\n"):
            text += "\n"
        while text:
            events = self._shapes.read(text)
            if None not in events:
                self._number += len(events)
                return [*found, *events] if found else events  # type: ignore[list-item,return-value]  # all known
            text = self._read_others(text, events, found)
        return found

    def _read_others(self, text: str, events: list[Occurrence | None], found: list[_Record]) -> str:
        """Adds the events of lines, some without a known shape. Returns the lines behind one with a new shape."""
        lines = text.split("\n")
        for i, event in enumerate(events):
            if event is not None:
                found.append(event)
                self._number += 1
            elif (plain := self._plain.read_any(lines[i])) is None:
                self._read_ordinary(lines[i].encode(), found)
            else:
                found.append(plain.event)
                self._number += 1
                if self._shapes.learn(f"{lines[i]}\n", plain):
                    return "\n".join(lines[i + 1 :])
        return ""

    def _read_ordinary(self, line: bytes, found: list[_Record]) -> None:
        """Adds the record that the ordinary reader reads in a line; nothing if the line is empty."""
        text = decode(line).rstrip(" \t\r\n")
        if text:
            event = event_in(text, f"{self._name}:{self._number}", self._layout)
            found.append(event if isinstance(event, Rejected) else occurrence(event))
        self._number += 1
