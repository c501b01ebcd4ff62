"""The readings of sensors: each about every 12 seconds, a few high ones, some the last for a while, and smoke.

`python -m benchmarks.peers.data EVENTS FOLDER` writes them, in a process of its own: what a process had in memory
counts as that of those which it starts.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

SENSORS, AREAS = 1_000, 100
_FIRST = 1_700_000_000_000
#: How many rows are written at a time.
_PIECE = 200_000


def generate(events: int, folder: Path, seed: int = 42) -> None:
    """Writes flat records in the order of their times, as Parquet and as JSON lines."""
    table = _table(events, seed)
    pq.write_table(table, folder / f"sensors-{events}.parquet")
    with (folder / f"sensors-{events}.jsonl").open("w") as out:
        for first in range(0, events, _PIECE):
            rows = table.slice(first, _PIECE).to_pydict()
            out.writelines(map(_line, *rows.values()))


def _line(label: str, sensor: str | None, area: str, value: float | None, time: int) -> str:
    reading = "" if sensor is None else f'"sensor":"{sensor}",'
    measured = "" if value is None else f'"value":{value},'
    return f'{{"type":"{label}",{reading}"area":"{area}",{measured}"ts":{time}}}\n'


def _table(events: int, seed: int) -> pa.Table:
    chance = np.random.default_rng(seed)
    smoke = events // 200
    readings = events - smoke
    each = -(-readings // SENSORS) + 1
    gaps = chance.integers(11_000, 12_001, (SENSORS, each))
    values = np.round(chance.normal(22, 5, (SENSORS, each)).clip(-10, 39.9), 1)
    high = chance.random((SENSORS, each)) < 0.02
    values[high] = np.round(chance.uniform(40.1, 90, int(high.sum())), 1)
    silent = high & (chance.random((SENSORS, each)) < 0.01)
    gaps[silent] = chance.integers(15_000, 60_001, int(silent.sum()))
    times = (_FIRST + chance.integers(0, 12_000, (SENSORS, 1)) + np.cumsum(gaps, axis=1) - gaps).ravel()
    sensors = np.repeat(np.arange(SENSORS), each)
    first = np.argsort(times, kind="stable")[:readings]
    times, sensors, values = times[first], sensors[first], values.ravel()[first]
    smoke_times = chance.integers(_FIRST, int(times[-1]) + 1, smoke)
    at = np.concatenate([times, smoke_times])
    is_smoke = np.arange(events) >= readings
    order = np.lexsort((is_smoke, at))
    names = np.array([f"s{number}" for number in range(SENSORS)], object)
    areas = np.array([f"a{number}" for number in range(AREAS)], object)
    area = np.concatenate([sensors % AREAS, chance.integers(0, AREAS, smoke)])
    columns = {
        "type": np.where(is_smoke, "smoke", "temp").astype(object)[order],
        "sensor": np.concatenate([names[sensors], np.full(smoke, None)])[order],
        "area": areas[area][order],
        "value": np.concatenate([values.astype(object), np.full(smoke, None)])[order],
        "ts": at[order],
    }
    return pa.table({name: pa.array(column.tolist()) for name, column in columns.items()})


if __name__ == "__main__":
    generate(int(sys.argv[1]), Path(sys.argv[2]))
