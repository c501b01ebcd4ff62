"""Arrays of NumPy and Arrow made of one another by their buffers.

Arrow's own conversions import pandas where it is installed, which takes longer than most runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Values = npt.NDArray[Any]
Truths = npt.NDArray[np.bool_]

_TYPES = {
    np.dtype(np.int64): pa.int64(),
    np.dtype(np.float64): pa.float64(),
    np.dtype(np.uint64): pa.uint64(),
    np.dtype(np.int32): pa.int32(),
}


def numbers_in(array: pa.Array) -> Values:
    """Returns the numbers of an array; arbitrary ones where it has none."""
    kind = array.type
    letter = "f" if pa.types.is_floating(kind) else "i" if pa.types.is_signed_integer(kind) else "u"
    found: Values = np.frombuffer(array.buffers()[1] or b"", f"{letter}{kind.bit_width // 8}")
    return found[array.offset : array.offset + len(array)]


def truths_in(array: pa.Array) -> Truths:
    """Returns the truth values of an array; arbitrary ones where it has none."""
    return _bits(array.buffers()[1], array)


def present_in(array: pa.Array) -> Truths | None:
    """Returns where an array has values; None: everywhere."""
    return _bits(array.buffers()[0], array) if array.null_count else None


def _bits(buffer: Any, array: pa.Array) -> Truths:
    bits = np.unpackbits(np.frombuffer(buffer or b"", np.uint8), count=array.offset + len(array), bitorder="little")
    found: Truths = bits[array.offset :].view(np.bool_)
    return found


def filled(values: Values, present: Truths | None) -> Values:
    """Returns values with zeros where none is present."""
    return values if present is None else np.where(present, values, values.dtype.type(0))


def array_of(values: Values) -> pa.Array:
    """Returns an array of 64-bit numbers, or of truth values."""
    if values.dtype == np.bool_:
        data = np.packbits(values, bitorder="little")
        return pa.Array.from_buffers(pa.bool_(), len(values), [None, pa.py_buffer(data)])
    data = np.ascontiguousarray(values)
    return pa.Array.from_buffers(_TYPES[values.dtype], len(values), [None, pa.py_buffer(data)])


def binaries(texts: Sequence[bytes]) -> pa.Array:
    """Returns an array of binary values."""
    offsets = np.zeros(len(texts) + 1, np.int32)
    np.cumsum(np.fromiter(map(len, texts), np.int32, len(texts)), out=offsets[1:])
    data = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(texts))]
    return pa.Array.from_buffers(pa.binary(), len(texts), data)


def binary(text: bytes) -> pa.Scalar:
    """Returns a binary value."""
    return binaries([text])[0]


def whole(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Returns a column as one array."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)
