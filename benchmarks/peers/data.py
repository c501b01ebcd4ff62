"""The readings of sensors: each about every 12 seconds, a few high ones, some the last for a while, and smoke.

`python -m benchmarks.peers.data EVENTS FOLDER [SENSORS]` writes them as JSON lines and as Parquet, in a process of its
own. For streams the same events are cut: in two by their areas, as the partitions of a topic are (`parts`), and in
files of 100,000 one after another (`chunks`). A tenth of the sensors are areas.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

SENSORS = 1_000
SENSORS_OF_AN_AREA = 10
_FIRST = 1_700_000_000_000
#: How many rows are written at a time.
_PIECE = 200_000


#: How many events are in a file of a stream, and how long after the last event a stream ends.
_CHUNK = 100_000
_AFTER = 30 * 86_400_000
#: The number of an area or of a case in a line.
_KEY = re.compile(r'"(?:area":"a|case":")(\d+)"')


def generate(events: int, folder: Path, sensors: int = SENSORS, seed: int = 42) -> None:
    """Writes flat records in the order of their times, as Parquet and as JSON lines."""
    write(_table(events, sensors, seed), folder / name(events, sensors))


def name(events: int, sensors: int = SENSORS) -> str:
    """Returns the name of a recording, without an ending."""
    return f"sensors-{events}" if sensors == SENSORS else f"sensors-{events}-of-{sensors}"


def write(table: pa.Table, path: Path) -> None:
    """Writes a table in both formats; a file has its name when it is whole."""
    unfinished = path.with_suffix(f".{os.getpid()}")
    pq.write_table(table, unfinished)
    unfinished.rename(path.with_suffix(".parquet"))
    with unfinished.open("w") as out:
        for first in range(0, len(table), _PIECE):
            out.writelines(map(_line, table.slice(first, _PIECE).to_pylist()))
    unfinished.rename(path.with_suffix(".jsonl"))


def _line(record: dict[str, object]) -> str:
    return json.dumps({key: value for key, value in record.items() if value is not None}, separators=(",", ":")) + "\n"


def parts(file: Path) -> Path:
    """Returns a folder with the lines of a file in two, by their areas or cases; it is made if it is not there."""

    def cut(folder: Path) -> None:
        with file.open() as lines, (folder / "0.jsonl").open("w") as even, (folder / "1.jsonl").open("w") as odd:
            for line in lines:
                found = _KEY.search(line)
                (odd if found and int(found[1]) % 2 else even).write(line)

    return _made(file.with_suffix(".parts"), cut)


def chunks(file: Path) -> Path:
    """Returns a folder with the events of a file in files of 100,000, in the order of their times as that in which they
    were changed, and one more record long after them, so that all is decided; it is made if it is not there."""

    def cut(folder: Path) -> None:
        table = pq.read_table(file.with_suffix(".parquet"))
        tables = [table.slice(first, _CHUNK) for first in range(0, len(table), _CHUNK)]
        last = {"type": "end", "ts": tables[-1]["ts"][-1].as_py() + _AFTER}
        tables.append(pa.Table.from_pylist([last], schema=table.schema))
        for number, piece in enumerate(tables):
            path = folder / f"{number:05}{file.suffix}"
            if file.suffix == ".parquet":
                pq.write_table(piece, path)
            else:
                path.write_text("".join(map(_line, piece.to_pylist())))
            os.utime(path, (1_700_000_000 + number,) * 2)

    return _made(file.with_name(f"{file.stem}.chunks{file.suffix}"), cut)


def _made(folder: Path, make: Callable[[Path], None]) -> Path:
    if not folder.exists():
        unfinished = folder.with_name(f"{folder.name}.{os.getpid()}")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        make(unfinished)
        unfinished.rename(folder)
    return folder


def _table(events: int, sensors: int, seed: int) -> pa.Table:
    chance = np.random.default_rng(seed)
    area_count = sensors // SENSORS_OF_AN_AREA
    smoke = events // 200
    readings = events - smoke
    each = -(-readings // sensors) + 1
    gaps = chance.integers(11_000, 12_001, (sensors, each))
    values = np.round(chance.normal(22, 5, (sensors, each)).clip(-10, 39.9), 1)
    high = chance.random((sensors, each)) < 0.02
    values[high] = np.round(chance.uniform(40.1, 90, int(high.sum())), 1)
    silent = high & (chance.random((sensors, each)) < 0.01)
    gaps[silent] = chance.integers(15_000, 60_001, int(silent.sum()))
    times = (_FIRST + chance.integers(0, 12_000, (sensors, 1)) + np.cumsum(gaps, axis=1) - gaps).ravel()
    of_sensor = np.repeat(np.arange(sensors), each)
    first = np.argsort(times, kind="stable")[:readings]
    times, of_sensor, values = times[first], of_sensor[first], values.ravel()[first]
    smoke_times = chance.integers(_FIRST, int(times[-1]) + 1, smoke)
    at = np.concatenate([times, smoke_times])
    is_smoke = np.arange(events) >= readings
    order = np.lexsort((is_smoke, at))
    names = np.array([f"s{number}" for number in range(sensors)], object)
    areas = np.array([f"a{number}" for number in range(area_count)], object)
    area = np.concatenate([of_sensor % area_count, chance.integers(0, area_count, smoke)])
    columns = {
        "type": np.where(is_smoke, "smoke", "temp").astype(object)[order],
        "sensor": np.concatenate([names[of_sensor], np.full(smoke, None)])[order],
        "area": areas[area][order],
        "value": np.concatenate([values.astype(object), np.full(smoke, None)])[order],
        "ts": at[order],
    }
    return pa.table({name: pa.array(column.tolist()) for name, column in columns.items()})


if __name__ == "__main__":
    generate(int(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:]))
