"""Parquet files on a stream: the events that Spark reads from the same files in a recording."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from cera.connectors.layout import Layout, Rejected
from cera.engines.spark.streaming.parquet_files import read_parquet
from cera.model.occurrence import Occurrence
from cera.model.time_text import TimeFormat

BERLIN = Layout(times=TimeFormat(timezone="Europe/Berlin"))


def read(folder: Path, columns: dict[str, Any], layout: Layout = BERLIN) -> list[Occurrence | Rejected]:
    rows = len(next(iter(columns.values())))
    path = folder / "events.parquet"
    pq.write_table(pa.table({"label": ["t"] * rows, **columns}), path)
    return list(read_parquet(str(path), layout))


def test_values_are_what_they_are_in_a_recording(tmp_path: Path) -> None:
    clock = datetime(2026, 3, 2, 10, 0, 0, 500_000)
    columns = {
        "at": pa.array([clock], pa.timestamp("us")),
        "zoned": pa.array([clock.replace(tzinfo=UTC)], pa.timestamp("us", "America/Lima")),
        "clock": pa.array([clock], pa.timestamp("us")),
        "day": [date(2026, 1, 1)],
        "number": [Decimal("42.00")],
        "map": pa.array([[("k", 1), ("none", None)]], pa.map_(pa.string(), pa.int64())),
        "rows": [[{"q": 1, "none": None}, None]],
        "none": pa.array([None], pa.string()),
    }
    [found] = read(tmp_path, columns)
    assert isinstance(found, Occurrence)
    assert str(found.event.term) == (
        't{clock{"2026-03-02T09:00:00.500000Z"}, day{"2026-01-01"}, map{k{1}}, number{42}, rows[q{1}], '
        'zoned{"2026-03-02T10:00:00.500000Z"}}'
    )
    assert found.event.begin == datetime(2026, 3, 2, 9, 0, 0, 500_000, UTC).timestamp() * 1_000_000


def test_a_rejected_row_is_shown_as_json(tmp_path: Path) -> None:
    _, rejected = read(tmp_path, {"at": [1, 2], "big": pa.array([1, 2**64 - 1], pa.uint64())})
    assert isinstance(rejected, Rejected)
    assert json.loads(rejected.text) == {"label": "t", "at": 2, "big": 2**64 - 1}


def test_a_year_without_a_name_costs_its_file_only(tmp_path: Path) -> None:
    [rejected] = read(tmp_path, {"at": pa.array([2**61], pa.timestamp("us"))})
    assert isinstance(rejected, Rejected)
    assert "nothing from row 1 on was read" in rejected.reason
