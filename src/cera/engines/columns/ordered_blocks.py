"""Several files, or files out of order, as blocks in the order of time.

Files are read in turn, always the one that may have the earliest events next. What no file can have anything before any
more goes on, sorted. How far a file is out of order was found by the first pass.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

import numpy as np

from cera.connectors.fast_jsonl import read_file_occurrences, unreadable
from cera.connectors.files import EventFile
from cera.connectors.ordering import OrderedEvents, changed
from cera.connectors.read_times import TimeScan
from cera.connectors.records.layout import Layout, Rejected
from cera.engines.columns.block_readers import blocks_of, has_blocks
from cera.engines.columns.event_blocks import EventBlock, EventBlocks
from cera.engines.columns.event_tables import EventTable, one_table, tables_of
from cera.engines.columns.rows import OutsideColumnsError
from cera.engines.columns.strings import Strings
from cera.model.events.occurrence import Occurrence
from cera.model.time.interval import Time

#: So many events go on together, if there are more.
_PIECE = 100_000
#: Fewer events wait until there are more.
_FEW = 20_000
#: How many events of several files wait for others; where it would be more, they are sorted on disk.
_MOST_WAITING = 2_000_000
#: Smaller files are read record by record, so many at a time: blocks would take longer.
_SMALL = 50_000
_RECORDS = 20_000
#: After so many blocks in a row of a file that are not columns, the rest of it is read record by record.
_MOST_OTHERS = 8

#: Times before and behind all others.
_FIRST, _LAST = -(1 << 63), 1 << 63

_Record = Occurrence | Rejected
#: The place of a rejected record: the time of the event before it, its file, and how many of the file are before it.
_Key = tuple[Time, int, int]


def ordered_blocks(recording: OrderedEvents, layout: Layout, strings: Strings) -> OrderedBlocks | None:
    """Returns the blocks of a recording; None if its records are read one by one."""
    found = recording.files
    if found is None or not has_blocks(layout):
        return None
    parts = [_Part(number, file, scan, layout) for number, (file, scan) in enumerate(found)]
    return OrderedBlocks(recording, parts, strings)


@dataclass
class _Part:
    """A file, and how far it was read: `latest` is the latest end so far, None before the first event."""

    number: int
    file: EventFile
    scan: TimeScan
    layout: Layout
    latest: Time | None = None
    is_read: bool = False
    #: How many blocks in a row were not columns, and how many records were rejected.
    others: int = 0
    rejected: int = 0
    _blocks: EventBlocks | None = None
    _next: Iterator[EventBlock] | None = None

    @property
    def bound(self) -> Time:
        """A time before which nothing that is still to be read ends."""
        assert self.scan.first_end is not None
        return self.scan.first_end if self.latest is None else self.latest - self.scan.disorder

    def next(self, strings: Strings) -> EventBlock | None:
        """Returns the next block; None at the end. Raises OSError where a file cannot be read further."""
        if self._next is None:
            large = self.file.path.stat().st_size >= _SMALL
            self._blocks = blocks_of(self.file, self.layout, strings) if large else None
            if self._blocks is None:
                self._next = _in_pieces(read_file_occurrences(self.file, self.layout))
            else:
                self._next = iter(self._blocks)
        found = next(self._next, None)
        if found is not None and found.is_last and self._blocks is not None:
            self._next = _in_pieces(self._blocks.rest(found))
            self._blocks = None
            return self.next(strings)
        if found is None:
            self.is_read, self._blocks, self._next = True, None, iter(())
        return found

    def records(self, block: EventBlock) -> list[_Record]:
        """Returns the records of a block that is not columns. Where these are many in a row, no others are tried."""
        records = list(block.records())
        if self._blocks is not None:
            self.others += 1
            if self.others > _MOST_OTHERS:
                self._next = _in_pieces(self._blocks.rest())
                self._blocks = None
        return records

    def place(self) -> _Key:
        """Returns the place of a rejected record that is read now."""
        assert self.scan.first_end is not None
        self.rejected += 1
        # what stands before the first event is seen when the file is opened, before events of this time
        return (self.scan.first_end, -1, self.number) if self.latest is None else (self.latest, self.number, 0)


def _in_pieces(records: Iterator[_Record]) -> Iterator[EventBlock]:
    while piece := list(islice(records, _RECORDS)):
        yield EventBlock(partial(iter, piece), None)


@dataclass
class _Progress:
    """What has gone on: all events that end before a time, and so many rejected records."""

    until: Time = _FIRST
    rejected: int = 0


@dataclass
class OrderedBlocks:
    """The blocks of files in the order of time: no event of a block ends before those of an earlier one.

    Where they cannot go on, the last one says so, and the rest of the recording is read event by event.
    """

    _recording: OrderedEvents
    _parts: Sequence[_Part]
    _strings: Strings
    _waiting: list[EventTable] = field(default_factory=list)
    _rejected: list[tuple[_Key, int, Rejected]] = field(default_factory=list)
    _examples: list[Occurrence] = field(default_factory=list)
    _before: _Progress = field(default_factory=_Progress)
    _after: _Progress = field(default_factory=_Progress)

    def __iter__(self) -> Iterator[EventBlock]:
        unfinished = [part for part in self._parts if part.scan.first_end is not None]
        yield from self._emit([], [*self._recording.not_read, *self._without_events()], _FIRST)
        # a rejected record stands among those of other files where the merged files have it, if none has to be sorted
        keeps_places = len(self._parts) == 1 or all(part.scan.disorder == 0 for part in self._parts)
        while unfinished:
            part = min(unfinished, key=lambda each: (each.bound, each.number))
            try:
                in_columns = self._read(part)
            except OSError as error:
                in_columns = part.is_read = True
                self._reject(part, unreadable(part.file, error))
            if not in_columns or (self._rejected and not keeps_places):
                yield self._no_more()
                return
            if part.is_read:
                unfinished.remove(part)
            until = min((each.bound for each in unfinished), default=None)
            if until is None or _count_before(self._waiting, until) >= _FEW:
                yield from self._release(until)

    def rest(self, block: EventBlock | None = None) -> Iterator[_Record]:
        """Returns the records behind the last block, or from this one on, in the order of time."""
        done = self._after if block is None else self._before
        rejected = done.rejected
        for record in self._recording:
            if isinstance(record, Rejected):
                rejected -= 1
                if rejected < 0:
                    yield record
            elif record.end >= done.until:
                yield record

    def _no_more(self) -> EventBlock:
        """Returns the block that says that the rest is read event by event."""
        self._before = self._after
        return EventBlock(partial(iter, ()), None, is_last=True)

    def _without_events(self) -> Iterator[Rejected]:
        """Yields the records of files in which the first pass found no times."""
        for part in self._parts:
            if part.scan.first_end is None:
                for record in read_file_occurrences(part.file, part.layout):
                    if not isinstance(record, Rejected):
                        raise changed()
                    yield record

    def _read(self, part: _Part) -> bool:
        """Reads a block of a file. Returns whether it is columns, and so is what waits."""
        block = part.next(self._strings)
        if block is None:
            return True
        if block.tables is None:
            try:
                tables = tables_of(self._events(part, part.records(block)), self._strings)
            except OutsideColumnsError:
                return False
        else:
            part.others = 0
            tables = block.tables
            part.latest = block.last_end if part.latest is None else max(part.latest, block.last_end)
            self._examples += block.examples
        self._waiting += tables.values()
        return sum(map(len, self._waiting)) <= _MOST_WAITING

    def _events(self, part: _Part, records: Iterable[_Record]) -> list[Occurrence]:
        """Returns the events among the records of a file, sorted."""
        events: list[Occurrence] = []
        for record in records:
            if isinstance(record, Rejected):
                self._reject(part, record)
            else:
                events.append(record)
                part.latest = record.end if part.latest is None else max(part.latest, record.end)
        events.sort(key=lambda event: event.end)
        self._examples += events
        return events

    def _reject(self, part: _Part, record: Rejected) -> None:
        heapq.heappush(self._rejected, (part.place(), part.rejected, record))

    def _release(self, until: Time | None) -> Iterator[EventBlock]:
        """Yields what ends before a time, None for all."""
        if until is None:
            ready, self._waiting = self._waiting, []
        else:
            parts = [_cut(table, until) for table in self._waiting]
            ready = [table for table, _ in parts if len(table)]
            self._waiting = [table for _, table in parts if len(table)]
        rejected: list[Rejected] = []
        while self._rejected and (until is None or self._rejected[0][0][0] < until):
            rejected.append(heapq.heappop(self._rejected)[-1])
        yield from self._emit(ready, rejected, until)

    def _emit(
        self, ready: Sequence[EventTable], rejected: Sequence[Rejected], until: Time | None
    ) -> Iterator[EventBlock]:
        """Yields events as blocks, sorted; the first has the rejected records."""
        by_label: dict[str, list[EventTable]] = {}
        for table in ready:
            by_label.setdefault(table.label, []).append(table)
        try:
            tables = {label: _in_order(one_table(several)) for label, several in by_label.items()}
        except OutsideColumnsError:
            yield self._no_more()
            return
        largest = max(tables.values(), key=len, default=None)
        times = [] if largest is None else sorted(set(largest.end[_PIECE:-_PIECE:_PIECE].tolist()))
        for time in (*times, None):
            now = tables
            if time is not None:
                parts = {label: _cut(table, time + 1) for label, table in tables.items()}
                now = {label: before for label, (before, _) in parts.items()}
                tables = {label: behind for label, (_, behind) in parts.items()}
            now = {label: table for label, table in now.items() if len(table)}
            if not now and not rejected:
                continue
            bound = (_LAST if until is None else until) if time is None else time + 1
            self._before, self._after = self._after, _Progress(bound, self._after.rejected + len(rejected))
            examples, self._examples = tuple(self._examples), []
            yield EventBlock(partial(iter, ()), now, examples, rejected=tuple(rejected))
            rejected = ()


def _cut(table: EventTable, until: Time) -> tuple[EventTable, EventTable]:
    """Returns the events that end before a time, and the others; they share the memory of all."""
    first = int(np.searchsorted(table.end, until))
    return table.take(slice(0, first)), table.take(slice(first, None))


def _count_before(tables: Iterable[EventTable], until: Time) -> int:
    return sum(int(np.searchsorted(table.end, until)) for table in tables)


def _in_order(table: EventTable) -> EventTable:
    """Returns a table with its events in the order of their ends."""
    if bool((table.end[1:] >= table.end[:-1]).all()):
        return table
    return table.take(np.argsort(table.end, kind="stable"))
