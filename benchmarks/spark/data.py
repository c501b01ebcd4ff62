"""The readings of `benchmarks.local.generate`, drawn with numpy and written as Parquet with typed columns.

1,000 sensors in 100 areas report every 11 to 12 seconds. 2% of the readings are above 40; 1% of those are followed by
15 to 60 seconds of silence of the sensor. 0.5% of the readings are followed by smoke in their area. All events are
points of time, in the order of time, and no sensor reports twice at once. What was written once is used again.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

START = 1_700_000_000_000_000
SECOND = 1_000_000
SENSORS_OF_AN_AREA = 10
CACHE = Path(tempfile.gettempdir()) / "cera-benchmarks"

SCHEMA = pa.schema(
    [
        ("label", pa.string()),
        ("at", pa.timestamp("us", tz="UTC")),
        ("area", pa.string()),
        ("sensor", pa.string()),
        ("value", pa.float64()),
    ]
)


@dataclass(frozen=True)
class Readings:
    """Events of so many sensors, in files of the same number of events; a tenth as many areas."""

    events: int
    sensors: int = 1_000
    files: int = 8
    seed: int = 3

    @property
    def path(self) -> Path:
        return CACHE / f"readings-{self.events}-{self.sensors}-{self.files}-{self.seed}"

    def written(self) -> Path:
        """The folder of the Parquet files; they are written if they are not there."""
        if not self.path.exists():
            unfinished = self.path.with_name(f"{self.path.name}.{os.getpid()}")
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(parents=True)
            table = self.table()
            for number in range(self.files):
                first, last = (self.events * place // self.files for place in (number, number + 1))
                pq.write_table(table.slice(first, last - first), unfinished / f"part-{number:05}.parquet")
            unfinished.rename(self.path)
        return self.path

    def table(self) -> pa.Table:
        draw = np.random.default_rng(self.seed)
        areas = max(self.sensors // SENSORS_OF_AN_AREA, 1)
        each = self.events // self.sensors + 20
        shape = (self.sensors, each)
        high = draw.random(shape) < 0.02
        value = np.round(np.where(high, 40.1 + draw.random(shape) * 50, 15 + draw.random(shape) * 20), 1)
        silent = high & (draw.random(shape) < 0.01)
        pause = np.where(
            silent, draw.integers(15 * SECOND, 60 * SECOND, shape), draw.integers(11 * SECOND, 12 * SECOND, shape)
        )
        first = draw.integers(0, 12 * SECOND, (self.sensors, 1))
        at = START + first + np.cumsum(pause, axis=1) - pause
        sensor = np.broadcast_to(np.arange(self.sensors)[:, None], shape)
        smokes = draw.random(shape) < 0.005
        smoke_at = at[smokes] + 1 + draw.integers(0, SECOND, int(smokes.sum()))
        times = np.concatenate([at.ravel(), smoke_at])
        order = np.argsort(times, kind="stable")[: self.events]
        if times[order[-1]] > at[:, -1].min():
            raise ValueError("too few readings were drawn")
        is_smoke = order >= at.size
        reading = np.where(is_smoke, 0, order)
        of_sensor = np.concatenate([sensor.ravel(), sensor[smokes]])[order]
        return pa.table(
            [
                _named(is_smoke.astype(np.int32), ["temp", "smoke"]),
                pa.array(times[order], pa.timestamp("us", tz="UTC")),
                _named(of_sensor % areas, [f"a{number}" for number in range(areas)]),
                _named(of_sensor, [f"s{number}" for number in range(self.sensors)], is_smoke),
                pa.array(value.ravel()[reading], mask=is_smoke),
            ],
            schema=SCHEMA,
        )


def _named(numbers: np.ndarray, names: list[str], absent: np.ndarray | None = None) -> pa.Array:
    indices = pa.array(numbers.astype(np.int32), mask=absent)
    return pa.DictionaryArray.from_arrays(indices, pa.array(names)).cast(pa.string())
