"""JSON lines of event objects as occurrences, without a term for each.

Most lines of a large file are plain: `{"at": T, "term": {"label": {…}}}` with a string or a number in each child, or an
object of such children. Such a line is read by its shape, if a line before it had the same one, else by Python's own
JSON reader, and then it is checked afterwards. Wherever a check leaves a doubt, the ordinary reader reads the line
again and decides, so that exactly the same lines are accepted and rejected, for the same reasons.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from json import JSONDecoder
from pathlib import Path
from typing import Any, BinaryIO

from cera.connectors.files import ENDINGS, Source, names_files, read_events, read_source
from cera.connectors.jsonl import event_in
from cera.connectors.layout import Layout, Rejected, decode, rejected
from cera.connectors.line_shapes import LONGEST, Shapes, time_reader
from cera.model.events import Event
from cera.model.occurrence import Occurrence, occurrence
from cera.model.time_text import TimeFormat
from cera.model.values import MAX_INTEGER, MIN_INTEGER, number

#: About how many bytes of a file are read at a time.
_CHUNK = 1 << 13


def read_occurrences(path: str, layout: Layout) -> Iterator[Occurrence | Rejected]:
    """What `read_events` reads, as occurrences; the fast way if it is JSON lines of event objects."""
    events = read_events(path, layout)  # checks the path and the format at once, and reads nothing yet
    if not layout.is_plain or not _is_jsonl(path, layout):
        return (occurrence(event) if isinstance(event, Event) else event for event in events)
    return read(sys.stdin.buffer, "<stdin>", layout) if path == "-" else _read_file(Source(Path(path), "jsonl"), layout)


def read_source_occurrences(source: Source, layout: Layout) -> Iterator[Occurrence | Rejected]:
    """What `read_source` reads, as occurrences."""
    if layout.is_plain and source.format == "jsonl":
        return _read_file(source, layout)
    return (occurrence(event) if isinstance(event, Event) else event for event in read_source(source, layout))


def _is_jsonl(path: str, layout: Layout) -> bool:
    if path != "-" and not names_files(path):
        return False
    if layout.format is not None:
        return layout.format == "jsonl" and not Path(path).is_dir()
    return path == "-" or (ENDINGS.get(Path(path).suffix.lower()) == "jsonl" and not Path(path).is_dir())


def _read_file(source: Source, layout: Layout) -> Iterator[Occurrence | Rejected]:
    try:
        with source.path.open("rb") as stream:
            yield from read_chunks(stream, source.shown, layout)
    except OSError as error:
        yield rejected(source.shown, f"could not be read further: {error.strerror or error}")


def read(lines: Iterable[bytes], name: str, layout: Layout, first: int = 1) -> Iterator[Occurrence | Rejected]:
    """The events of a stream of event objects, a line each, or of a part of it that begins with the line `first`."""
    return _read(lines, name, layout, first)


def read_chunks(stream: BinaryIO, name: str, layout: Layout, size: int = _CHUNK) -> Iterator[Occurrence | Rejected]:
    """The same for a stream that need not be waited for, several lines at a time."""
    return _read(iter(lambda: stream.read(size) + stream.readline(), b""), name, layout, 1)


def _read(parts: Iterable[bytes], name: str, layout: Layout, first: int) -> Iterator[Occurrence | Rejected]:
    """The events in some whole lines after the other."""
    reader = _Reader(layout.times, first)
    for lines in parts:
        for found in reader.read(lines):
            if found.__class__ is Occurrence:
                yield found
            else:  # (number of the line, its text)
                event = event_in(found[1], f"{name}:{found[0]}", layout)
                yield event if isinstance(event, Rejected) else occurrence(event)


class _Reader:
    """Reads the lines of one source."""

    def __init__(self, times: TimeFormat, first: int) -> None:
        #: The number of the next line.
        self._number = first
        self._shapes = Shapes(times)
        self._plain = _plain_line_reader(times)

    def read(self, lines: bytes) -> list[Any]:
        """The events of the next lines; of a line that is not plain, its number and text."""
        found: list[Any] = []
        try:
            text = lines.decode()
        except UnicodeDecodeError:
            for line in io.BytesIO(lines):
                found += self._read_line(line)
            return found
        match, makers, position, number_ = self._shapes.match, self._shapes.makers, 0, self._number
        while position < len(text):
            known = match(text, position)
            event = None if known is None else makers[known.lastindex](known)  # type: ignore[index]  # all have groups
            if event is not None:
                position = known.end()  # type: ignore[union-attr]  # there is no event without
                found.append(event)
                number_ += 1
            else:
                end = text.find("\n", position) + 1 or len(text)
                self._number = number_
                found += self._read_line(text[position:end].encode())
                position, number_, match = end, self._number, self._shapes.match
        self._number = number_
        return found

    def _read_line(self, line: bytes) -> Sequence[Any]:
        """The same for a line of no known shape; nothing if it is empty."""
        number_ = self._number
        self._number += 1
        event = self._plain(line)
        if event is not None:
            self._shapes.learn(line.decode(), event)
            return (event,)
        text = decode(line).rstrip(" \t\r\n")
        return ((number_, text),) if text else ()


def _plain_line_reader(times: TimeFormat) -> Callable[[bytes], Occurrence | None]:
    """A function that gives the event of a plain line, and None for any other line."""
    raw_decode = JSONDecoder().raw_decode
    time_of = time_reader(times)

    def read_line(line: bytes) -> Occurrence | None:
        try:
            text = line.decode()
            record, length = raw_decode(text)
            rest = text[length:]
            if "\\" in text or (rest != "\n" and rest.strip(" \t\r\n")):
                return None
            if len(record) == 2:
                begin = end = time_of(record["at"])
            else:
                begin, end = time_of(record["begin"]), time_of(record["end"])
                if begin > end or len(record) != 3:
                    return None
            ((label, content),) = record["term"].items()
            inner = _inner(content)
            if inner is None:
                return None
            # Every key has a colon, and Python keeps one of equal keys: more colons than keys may mean a key twice.
            fields = len(record) + 1 + len(content) + sum(map(len, inner))
            if text.count(":") != fields and text.count(":") != fields + _colons(label, (record, content, *inner)):
                return None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):  # no record of the plain shape
            return None
        if inner:  # which need no term to be made to know that one can be
            return Occurrence(begin, end, label, nested=content) if len(text) < LONGEST else None
        return Occurrence(begin, end, label, content)

    return read_line


def _inner(content: Any) -> list[dict[str, Any]] | None:
    """The children that are objects; None unless all others are strings and numbers, and so are all in these.

    Numbers are brought to their one representation.
    """
    if content.__class__ is not dict:
        return None
    inner: list[dict[str, Any]] = []
    for key, value in content.items():
        kind = value.__class__
        if kind is float:
            if value.is_integer():
                content[key] = number(value)
            elif value - value != 0:  # NaN and the infinities
                return None
        elif kind is int:
            if not MIN_INTEGER <= value <= MAX_INTEGER:
                return None
        elif kind is dict:
            if _inner(value) != []:
                return None
            inner.append(value)
        elif kind is not str:
            return None
    return inner


def _colons(label: str, objects: Iterable[dict[str, Any]]) -> int:
    """The colons inside of strings."""
    strings = [label, *(string for each in objects for pair in each.items() for string in pair)]
    return sum(string.count(":") for string in strings if isinstance(string, str))
