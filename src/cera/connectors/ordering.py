"""The events of a recording in the order of their ends, in bounded memory.

A recording is complete, so no event of it is late, however far it lies behind those above it. A first pass over the
files reads times only. It finds how far each file is out of order, D, and how long its longest event is. The second
pass sorts each file in a buffer of length D, and merges the files by time. Where such a buffer would hold too many
events, the rest of the file is sorted on disk. Sources that cannot be read twice, standard input and the changes of a
database, are copied to a temporary file first.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Protocol, Self

from cera.connectors.fast_jsonl import read_file_occurrences
from cera.connectors.files import EventFile
from cera.connectors.read_times import TimeScan, scan, scan_times
from cera.connectors.records.layout import Layout, Rejected
from cera.connectors.sorted_runs import SortedRuns, TemporaryFolder, read_blocks, temporary_storage, write_blocks
from cera.connectors.source import Source
from cera.errors import DataError
from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import Time

#: How many events are sorted in memory; more are sorted on disk.
MOST_IN_MEMORY = 100_000
#: How many files are open at once.
MOST_OPEN = 64

Record = Occurrence | Rejected


class Part(Protocol):
    """A part of a recording that can be read twice."""

    @property
    def scan(self) -> TimeScan: ...
    @property
    def size(self) -> int: ...
    def read(self) -> Iterator[Record]: ...


@dataclass(frozen=True)
class _FilePart:
    file: EventFile
    layout: Layout
    scan: TimeScan

    @property
    def size(self) -> int:
        return self.file.path.stat().st_size

    def read(self) -> Iterator[Record]:
        return read_file_occurrences(self.file, self.layout)


@dataclass(frozen=True)
class _CopiedPart:
    path: Path
    scan: TimeScan

    @property
    def size(self) -> int:
        return self.path.stat().st_size

    def read(self) -> Iterator[Record]:
        return read_blocks(self.path)


def checked_order(records: Iterable[Record], longest: int, last: Time | None = None) -> Iterator[Record]:
    """Yields the records, of which the events are in order after `last`. Raises DataError if the times are not those
    that the first pass has seen."""
    for record in records:
        if record.__class__ is Occurrence:
            end = record.end
            if (last is not None and end < last) or end - record.begin > longest:
                raise changed()
            last = end
        yield record


def changed() -> DataError:
    """Returns the error for a recording whose second pass differs from the first."""
    return DataError("the input was changed while it was read; run again when nothing writes to it")


class OrderedEvents:
    """The records of some sources. Entering it makes the first pass, iterating the second one; leaving it removes the
    temporary files.

    Rejected records are among them, where they were found. `tell` is called with texts about the progress.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        layout: Layout,
        *,
        tell: Callable[[str], object] = lambda text: None,
        most_in_memory: int | None = None,
    ) -> None:
        self._layout = layout
        self._tell = tell
        self._most = MOST_IN_MEMORY if most_in_memory is None else most_in_memory
        self._sources = sources
        # all sources are checked before the first is read, so that a wrong one is reported at once
        self._found = [source.files(layout, parquet=layout.is_flat) for source in sources]
        for source in sources:
            source.check_layout(layout)
        self._rejected: list[Rejected] = []
        self._parts: list[Part] = []

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._folder = stack.enter_context(TemporaryFolder())
            for source, found in zip(self._sources, self._found, strict=True):
                if not source.is_recording:
                    self._parts.append(self._copied(source))
                for file in found:
                    if isinstance(file, EventFile):
                        self._parts.append(self._scanned(file))
                    else:
                        self._rejected.append(file)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def longest(self) -> int:
        """The duration of the longest event, in microseconds."""
        return max((part.scan.longest for part in self._parts), default=0)

    @property
    def size(self) -> int:
        """How many bytes the files have, and the copies."""
        return sum(part.size for part in self._parts)

    def unsorted(self) -> Iterator[Record]:
        """Returns all records as they stand in the files, one file after the other."""
        return chain(self._rejected, chain.from_iterable(part.read() for part in self._parts))

    def __iter__(self) -> Iterator[Record]:
        """Yields all records, the events in the order of their ends."""
        yield from self._rejected
        yield from checked_order(self._in_order(), self.longest)

    @property
    def file_in_order(self) -> EventFile | None:
        """The file that is the whole recording, if it has events, in order; nothing but its records is then read."""
        match self._parts:
            case [_FilePart(file=file, scan=TimeScan(disorder=0, first_end=int()))] if not self._rejected:
                return file
            case _:
                return None

    @property
    def files(self) -> list[tuple[EventFile, TimeScan]] | None:
        """The files of the recording, if it has nothing else and they can be open at once."""
        found = [(part.file, part.scan) for part in self._parts if isinstance(part, _FilePart)]
        return found if len(found) == len(self._parts) and _open_at_once(self._parts) <= MOST_OPEN else None

    @property
    def not_read(self) -> Sequence[Rejected]:
        """The entries of folders that are not read."""
        return self._rejected

    def _in_order(self) -> Iterator[Record]:
        if len(self._parts) == 1:
            return self._sorted(self._parts[0])
        if _open_at_once(self._parts) > MOST_OPEN:
            everything = chain.from_iterable(part.read() for part in self._parts)
            return _sorted_on_disk([], everything, self._most, self._folder)
        return _merged([(part.scan.first_end, self._sorted(part)) for part in self._parts])

    def _sorted(self, part: Part) -> Iterator[Record]:
        if part.scan.disorder == 0:
            return part.read()
        return _sorted_within(part.read(), part.scan.disorder, self._most, self._folder)

    def _scanned(self, file: EventFile) -> Part:
        self._tell(f"reading the times in {file.shown}")
        return _FilePart(file, self._layout, scan_times(file, self._layout))

    def _copied(self, source: Source) -> Part:
        self._tell(f"copying {source.contents}")
        copy = self._folder.new_file()
        with temporary_storage(copy):
            file = source.copy_into(copy, self._layout)
        if file is not None:
            return self._scanned(file)
        write_blocks(copy, source.occurrences(self._layout))
        copied: Iterator[Record] = read_blocks(copy)
        return _CopiedPart(copy, scan((each.begin, each.end) for each in copied if isinstance(each, Occurrence)))


def _open_at_once(parts: Iterable[Part]) -> int:
    """Returns how many parts at most have events around one time."""
    times = [part.scan for part in parts if part.scan.first_end is not None]
    changes = sorted([(scan.first_end, 0) for scan in times] + [(scan.last_end, 1) for scan in times])
    most = now = 0
    for _, is_end in changes:
        now += -1 if is_end else 1
        most = max(most, now)
    return most


def _merged(parts: Sequence[tuple[Time | None, Iterator[Record]]]) -> Iterator[Record]:
    """Yields the records of sorted parts in one order. A part is opened when its first end is reached."""
    heads: list[tuple[Time, int, Occurrence, Iterator[Record]]] = []
    known = [(first, number, stream) for number, (first, stream) in enumerate(parts) if first is not None]
    yield from chain.from_iterable(stream for first, stream in parts if first is None)  # rejected records
    waiting = sorted(known, key=lambda part: part[:2], reverse=True)
    while waiting or heads:
        if waiting and (not heads or waiting[-1][0] <= heads[0][0]):
            _, number, stream = waiting.pop()
        else:
            _, number, event, stream = heapq.heappop(heads)
            yield event
        others = [heads[0][0]] if heads else []
        others += [waiting[-1][0]] if waiting else []
        limit = min(others, default=None)
        for record in stream:
            if isinstance(record, Rejected) or limit is None or record.end < limit:
                yield record
            else:
                heapq.heappush(heads, (record.end, number, record, stream))
                break


def _sorted_within(records: Iterator[Record], disorder: int, most: int, folder: TemporaryFolder) -> Iterator[Record]:
    """Yields records that are out of order by no more than `disorder`, sorted."""
    buffer: list[tuple[Time, int, Occurrence]] = []
    latest: Time | None = None
    for number, record in enumerate(records):
        if isinstance(record, Rejected):
            yield record
            continue
        heapq.heappush(buffer, (record.end, number, record))
        if latest is None or record.end > latest:
            latest = record.end
            while buffer[0][0] <= latest - disorder:
                yield heapq.heappop(buffer)[2]
        if len(buffer) > most:
            yield from _sorted_on_disk([event for *_, event in sorted(buffer)], records, most, folder)
            return
    while buffer:
        yield heapq.heappop(buffer)[2]


def _sorted_on_disk(
    first: list[Occurrence], records: Iterable[Record], most: int, folder: TemporaryFolder
) -> Iterator[Record]:
    """Yields some events and those among the records, sorted; rejected records come before all of them."""
    runs, events = SortedRuns(folder), first
    for record in records:
        if isinstance(record, Rejected):
            yield record
            continue
        events.append(record)
        if len(events) >= most:
            runs.add(events)
            events = []
    runs.add(events)
    yield from runs.merged()
