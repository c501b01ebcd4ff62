"""Lines of flat JSON records as Arrow columns, many at a time.

Arrow's reader is quick, and lets more pass than ours: two records in a line, one in two lines, numbers that no double
holds. Whatever may be read in another way than by the ordinary reader makes a block fail as a whole; it is then read by
that one, line by line.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

Kind = Literal["string", "number", "boolean", "time"]

_TYPES: Mapping[Kind, Any] = {
    "string": pa.string(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "time": pa.int64(),
}
#: Bytes that JSON has in no string, and that end no line of ours.
_CONTROL = bytes(byte for byte in range(32) if byte != ord("\n"))
#: Below this every whole double is the integer that was written.
_EXACT = 2.0**53


def json_columns(data: bytes, kinds: Mapping[str, Kind], *, others: bool = False) -> pa.Table | None:
    """Returns whole lines as a table with these fields; None if they must be read one by one.

    With `others` the records may have other fields, which are left out, and are not looked at.
    """
    lines = data.count(b"\n")
    if not data.endswith(b"}\n") or not data.startswith(b"{") or data.count(b"}\n{") != lines - 1:
        return None
    if b"\\u" in data or b"null" in data or len(data.translate(None, _CONTROL)) < len(data):
        return None
    try:
        if not data.isascii():
            data.decode()
        table = pj.read_json(
            pa.BufferReader(data),
            read_options=pj.ReadOptions(use_threads=False, block_size=max(len(data) + 1, 1 << 16)),
            parse_options=pj.ParseOptions(
                explicit_schema=pa.schema([(name, _TYPES[kind]) for name, kind in kinds.items()]),
                unexpected_field_behavior="ignore" if others else "error",
            ),
        )
    except (pa.ArrowException, UnicodeDecodeError):
        return None
    if table.num_rows != lines:
        return None
    return table if all(_is_exact(table[name]) for name, kind in kinds.items() if kind == "number") else None


def _is_exact(numbers: pa.ChunkedArray) -> bool:
    """Returns whether each number is one double, and finite."""
    if numbers.null_count == len(numbers):
        return True
    if pc.any(pc.is_nan(numbers)).as_py():
        return False
    bounds = pc.min_max(numbers)
    return bool(bounds["min"].as_py() > -_EXACT and bounds["max"].as_py() < _EXACT)
