"""Numbers are written as Python writes them."""

from __future__ import annotations

import json

import numpy as np

from cera.engines.columns.number_texts import number_texts


def expected(value: float) -> bytes:
    return json.dumps(int(value) if value.is_integer() else value).encode()


def test_doubles_of_all_sizes_are_written_as_python_writes_them() -> None:
    chance = np.random.default_rng(5)
    sizes = 10.0 ** chance.integers(-320, 16, 20_000) * chance.random(20_000)
    near = np.concatenate([10.0 ** np.arange(-6, 12), np.nextafter(10.0 ** np.arange(-6, 12), 0)])
    usual = chance.normal(20, 1_000, 40_000)
    short = np.round(chance.normal(20, 1_000, 20_000), 2)
    for values in (sizes, near, usual, short, np.round(usual), np.array([0.0, -0.0, 0.5]), np.array([5e-324, 0.1])):
        for signed in (values, -values):
            kept = signed[np.abs(signed) < 2**53]
            assert number_texts(kept).to_pylist() == [expected(value) for value in kept.tolist()]
