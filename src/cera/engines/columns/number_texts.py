"""Numbers as Python writes them, many at a time."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cera.engines.columns.rows import Array
from cera.model.columns.arrow_buffers import array_of, binaries

#: From the one to before the other, Arrow writes the digits that Python writes, whole numbers without a fraction;
#: others have exponents in one of them.
_FROM, _BEFORE = 1e-4, 1e9


def number_texts(values: Array) -> pa.Array:
    """Returns doubles below 2^53 as JSON, in UTF-8; whole ones as integers."""
    whole = np.floor(values) == values
    if whole.all():
        return _written(values.astype(np.int64))
    size = np.abs(values)
    usual = (size < _BEFORE) & ((size >= _FROM) | (size == 0.0))
    if usual.all():
        return _written(values + 0.0)  # -0.0 is 0
    texts = pc.if_else(array_of(whole), _written(np.where(whole, values, 0.0).astype(np.int64)), _written(values))
    unusual = np.flatnonzero(~(usual | whole))
    if len(unusual):
        mask = np.zeros(len(values), np.bool_)
        mask[unusual] = True
        python = binaries([repr(value).encode() for value in values[unusual].tolist()])
        texts = pc.replace_with_mask(texts, array_of(mask), python)
    return texts


def _written(values: Array) -> pa.Array:
    return pc.cast(array_of(values), pa.string()).cast(pa.binary())
