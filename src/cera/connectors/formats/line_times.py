"""The times of JSON records, many lines at a time.

Where fields stand once in each line, and no string has anything that may be mistaken for one, their values are read
where they stand, and nothing else of a line is looked at: it is only read to know the order of the records, and a line
that is not an event is rejected later. Other lines are read by Arrow.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from cera.connectors.formats.byte_columns import BlockBytes, Places
from cera.connectors.formats.json_columns import Kind, json_columns
from cera.connectors.formats.time_columns import TimeColumns, Times
from cera.connectors.records.layout import Layout
from cera.connectors.records.record_times import STATE
from cera.model.columns.arrow_buffers import whole

_BACKSLASH = b"\\"
_QUOTE, _SPACE = ord('"'), ord(" ")
_TERM = b'"term":'


class LineTimes:
    """A reader of the times of records in a layout that is plain and names no field of states."""

    def __init__(self, layout: Layout) -> None:
        self._names = layout.time_source
        self._has_term = not layout.is_flat
        self._times = TimeColumns(layout.times)

    def read(self, data: bytes) -> tuple[Times, Times] | None:
        """Returns the begins and ends of the records in whole lines; None if they may be something else."""
        line = data[: data.find(b"\n")]
        begin, end = self._names or (("at", "at") if _key("at") in line else ("begin", "end"))
        names = tuple(dict.fromkeys((begin, end)))
        found = self._written(data, names)
        if found is None and not self._has_term:
            found = self._parsed(data, names, line)
        return None if found is None else (found[0], found[-1])

    def _written(self, data: bytes, names: Sequence[str]) -> list[Times] | None:
        """Returns the times behind the names of their fields, if these are written without escapes."""
        if _BACKSLASH in data:
            return None
        block = BlockBytes(data)
        ends = block.line_ends
        before: Places | None = None
        if self._has_term:
            # what stands before the term is not a part of it, and a state has other times
            before = None if f'"{STATE}"'.encode() in data else _one_in_each(block, ends, _TERM)
            if before is None:
                return None
        elif not _opens_each(block, np.concatenate([[block.first], ends[:-1] + 1])):
            return None  # records are objects without others inside, so that none is an event object
        found: list[Times] = []
        for name in names:
            times = self._field(block, ends, _key(name), before)
            if times is None:
                return None
            found.append(times)
        return found

    def _field(self, block: BlockBytes, ends: Places, key: bytes, before: Places | None) -> Times | None:
        """Returns the times behind a key that is in each line once, before some places; a record with it twice is
        rejected, so that it may be in other lines more than once where it is always as far from the end."""
        places = _far_from_end(block, ends, key) if before is None else None
        if places is None:
            places = _one_in_each(block, ends, key)
        if places is None or (before is not None and bool((places > before).any())):
            return None
        starts = places + len(key)
        starts = starts + (block.array[starts] == _SPACE)
        if bool((block.array[starts] == _QUOTE).all()):
            return self._times.texts(block, starts + 1, block.next(_QUOTE, starts + 1))
        stops = block.digits_end(starts + (block.array[starts] == ord("-")))
        behind = block.array[stops]
        if not bool(((behind == ord(",")) | (behind == ord("}"))).all()):
            return None
        return self._times.digits(block, starts, stops)

    def _parsed(self, data: bytes, names: Sequence[str], line: bytes) -> list[Times] | None:
        if b'"term"' in data:  # there may be event objects
            return None
        try:
            record = json.loads(line)
        except ValueError:
            return None
        kind: Kind = "string" if isinstance(record, dict) and isinstance(record.get(names[0]), str) else "time"
        table = json_columns(data, dict.fromkeys(names, kind), others=True)
        if table is None or any(table[name].null_count for name in names):
            return None
        found = [times for name in names if (times := self._times.array(whole(table[name]))) is not None]
        return found if len(found) == len(names) else None


def _key(name: str) -> bytes:
    return json.dumps(name, ensure_ascii=False).encode("utf-8", "surrogatepass") + b":"


def _opens_each(block: BlockBytes, starts: Places) -> bool:
    """Returns whether there is an opening brace at the start of each line, and nowhere else."""
    braces = block.array == ord("{")
    return int(np.count_nonzero(braces)) == len(starts) and bool(braces[starts].all())


def _far_from_end(block: BlockBytes, ends: Places, key: bytes) -> Places | None:
    """Returns where a key stands, if it is in each line as far from the end as in the first one."""
    at = block.bytes_at(block.first, int(ends[0])).find(key)
    if at < 0:
        return None
    places = ends - (int(ends[0]) - block.first - at)
    inside = bool((places[1:] > ends[:-1]).all())
    return places if inside and bool(block.has(key, places).all()) else None


def _one_in_each(block: BlockBytes, ends: Places, text: bytes) -> Places | None:
    """Returns where a text stands, if it is in each line once."""
    places = block.occurrences(text)
    if len(places) != len(ends) or bool((places >= ends).any()) or bool((places[1:] <= ends[:-1]).any()):
        return None
    return places
