"""The times of flat JSON records that have numbers as times, many lines at a time.

Where fields stand once in each line, and no string has anything that may be mistaken for one, their digits are read
where they stand, and nothing else of a line is looked at: it is only read to know the order of the records, and a line
that is not an event is rejected later. Other lines are read by Arrow.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from cera.connectors.formats.byte_columns import BlockBytes, Places

Times = npt.NDArray[np.int64]
_BACKSLASH = b"\\"
_SPACE = ord(" ")


def line_times(data: bytes, names: Sequence[str]) -> Mapping[str, Times] | None:
    """Returns the integers of some fields, which each of the whole lines has; None if they may be something else."""
    found = _written_times(data, names)
    return _parsed_times(data, names) if found is None else found


def _written_times(data: bytes, names: Sequence[str]) -> Mapping[str, Times] | None:
    block = BlockBytes(data)
    ends = block.line_ends
    # records are objects without others inside, so that none is an event object; names are written without escapes
    starts = np.concatenate([[block.first], ends[:-1] + 1])
    if _BACKSLASH in data or not _opens_each(block, starts):
        return None
    found: dict[str, Times] = {}
    for name in names:
        times = _field(block, ends, json.dumps(name, ensure_ascii=False).encode("utf-8", "surrogatepass") + b":")
        if times is None:
            return None
        found[name] = times
    return found


def _opens_each(block: BlockBytes, starts: Places) -> bool:
    """Returns whether there is an opening brace at the start of each line, and nowhere else."""
    braces = block.array == ord("{")
    return int(np.count_nonzero(braces)) == len(starts) and bool(braces[starts].all())


def _field(block: BlockBytes, ends: Places, key: bytes) -> Times | None:
    """Returns the integers behind a key that is in each line once."""
    places = block.occurrences(key)
    if len(places) != len(ends) or bool((places >= ends).any()) or bool((places[1:] <= ends[:-1]).any()):
        return None
    starts = places + len(key)
    starts = starts + (block.array[starts] == _SPACE)
    stops = block.digits_end(starts + (block.array[starts] == ord("-")))
    behind = block.array[stops]
    if not bool(((behind == ord(",")) | (behind == ord("}"))).all()):
        return None
    return block.integers(starts, stops)


def _parsed_times(data: bytes, names: Sequence[str]) -> Mapping[str, Times] | None:
    from cera.connectors.formats.json_columns import json_columns
    from cera.model.columns.arrow_buffers import numbers_in, whole

    if b'"term"' in data:  # there may be event objects
        return None
    table = json_columns(data, dict.fromkeys(names, "time"), others=True)
    if table is None or any(table[name].null_count for name in names):
        return None
    return {name: numbers_in(whole(table[name])) for name in names}
