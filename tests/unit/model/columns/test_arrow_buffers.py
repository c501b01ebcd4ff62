"""Arrays go from NumPy to Arrow and back by their buffers, with the values that Arrow's own conversions have."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from cera.model.columns.arrow_buffers import (
    array_of,
    binaries,
    binary,
    filled,
    numbers_in,
    present_in,
    truths_in,
    whole,
)


@pytest.mark.parametrize(
    "kind", [pa.int8(), pa.uint16(), pa.int32(), pa.int64(), pa.uint64(), pa.float32(), pa.float64()]
)
def test_numbers_of_a_part_of_an_array(kind: pa.DataType) -> None:
    array = pa.array([1, None, 3, 4], kind)[1:]
    present = present_in(array)
    assert present is not None
    assert present.tolist() == [False, True, True]
    assert filled(numbers_in(array), present).tolist() == [0, 3, 4]
    assert present_in(array[1:]) is None


def test_truth_values_of_a_part_of_an_array() -> None:
    array = pa.array([True, False] * 9)[3:]
    assert truths_in(array).tolist() == array.to_pylist()
    assert truths_in(array[:0]).tolist() == []


@pytest.mark.parametrize(
    "values", [np.arange(5), np.arange(9)[::2], np.array([0.5, -1.0]), np.array([True, False, True])]
)
def test_arrays_become_those_of_arrow(values: np.ndarray) -> None:
    assert array_of(values).to_pylist() == values.tolist()


def test_texts_become_binary_values() -> None:
    assert binaries([b"", b"ab", b"c"]).to_pylist() == [b"", b"ab", b"c"]
    assert binaries([]).to_pylist() == []
    assert binary(b"x").as_py() == b"x"
    assert whole(pa.chunked_array([[1], [2, 3]])).to_pylist() == [1, 2, 3]
