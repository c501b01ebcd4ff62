"""The times of a file's records, found in a pass of their own before the events are read.

It tells how far records are out of order, so that a run can sort them in a buffer of that length and not as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cera.connectors.files import Source, read_source
from cera.connectors.layout import Layout
from cera.model.events import Event
from cera.model.interval import Time


@dataclass(frozen=True)
class TimeScan:
    """What a pass over the times of a file found.

    `disorder` is the greatest distance by which a record's end lies before the latest end of the records above it, and
    `longest` the greatest duration of a record. Records that the reader rejects may be among them, so that these are
    upper bounds; those that it accepts are never left out.
    """

    records: int = 0
    disorder: int = 0
    longest: int = 0
    first_end: Time | None = None
    last_end: Time | None = None


def scan_times(source: Source, layout: Layout) -> TimeScan:
    """Returns what the times of a file say about the order and the length of its events."""
    return scan((event.begin, event.end) for event in read_source(source, layout) if isinstance(event, Event))


def scan(times: Iterable[tuple[Time, Time]]) -> TimeScan:
    """Returns the scan of records with these begins and ends, in the order of the file."""
    records = disorder = longest = 0
    first: Time | None = None
    last: Time | None = None
    for begin, end in times:
        records += 1
        longest = max(longest, end - begin)
        if first is None or last is None:
            first = last = end
        elif end >= last:
            last = end
        else:
            disorder = max(disorder, last - end)
            first = min(first, end)
    return TimeScan(records, disorder, longest, first, last)
