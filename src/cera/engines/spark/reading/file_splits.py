"""The input of one task: a file, or a stretch of whole lines of a large file of JSON lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from cera.connectors import fast_jsonl
from cera.connectors.files import EventFile, read_event_file
from cera.connectors.formats import jsonl
from cera.connectors.formats.compression import is_compressed, open_events
from cera.connectors.records.layout import Layout, Rejected, rejected
from cera.model.events.occurrence import Occurrence

#: Files of JSON lines are cut into pieces of about this many bytes.
SPLIT_SIZE = 16 << 20

_CHUNK = 1 << 20


@dataclass(frozen=True)
class Split:
    """The lines of a file from the byte `start` to `stop` (None: its end), and the number of the first of them.

    `source` is the number of the file in the input.
    """

    source: int
    path: str
    format: str
    start: int = 0
    stop: int | None = None
    first: int = 1

    def read(self, layout: Layout) -> Iterator[Occurrence | Rejected]:
        if self.format != "jsonl":
            yield from fast_jsonl.occurrences(read_event_file(EventFile(Path(self.path), self.format), layout))
            return
        try:
            yield from read_lines(self.lines(), self.path, layout, self.first)
        except OSError as error:
            yield rejected(self.path, f"could not be read further: {error.strerror or error}")

    def lines(self) -> Iterator[bytes]:
        """Yields the lines as they are in the file."""
        with open_events(Path(self.path)) as stream:
            if self.start:
                stream.seek(self.start)
            left = None if self.stop is None else self.stop - self.start
            for line in stream:
                yield line
                if left is not None:
                    left -= len(line)
                    if left <= 0:
                        return


def read_lines(lines: Iterator[bytes], name: str, layout: Layout, first: int = 1) -> Iterator[Occurrence | Rejected]:
    """Yields the events of JSON lines, by the fast reader where it applies."""
    if not layout.is_plain:
        return fast_jsonl.occurrences(jsonl.read(lines, name, layout, first))
    return fast_jsonl.read(lines, name, layout, first)


def splits(source: int, file: EventFile, size: int = SPLIT_SIZE) -> Iterator[Split]:
    """Yields the pieces in which a file is read."""
    path = str(file.path)
    if file.format != "jsonl" or is_compressed(file.path) or file.path.stat().st_size <= size:
        yield Split(source, path, file.format)
        return
    start, first = 0, 1
    for stop, lines in _cuts(path, size):
        yield Split(source, path, file.format, start, stop, first)
        start, first = stop, first + lines


def _cuts(path: str, size: int) -> Iterator[tuple[int, int]]:
    """Yields where a file is cut, at ends of lines, with the number of lines before each cut."""
    position = 0
    with open(path, "rb") as stream:
        while True:
            chunks = iter(lambda: stream.read(_CHUNK), b"")
            lines = length = 0
            for chunk in islice(chunks, max(1, size // _CHUNK)):
                lines += chunk.count(b"\n")
                length += len(chunk)
            rest = stream.readline()
            if not length:
                return
            position += length + len(rest)
            yield position, lines + bool(rest)
