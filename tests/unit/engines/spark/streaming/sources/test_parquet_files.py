"""Parquet files on a stream: the events that Spark reads from the same files in a recording."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from cera.connectors.records.layout import Layout, Rejected
from cera.engines.spark.streaming.messages.stage_results import DerivedResult
from cera.engines.spark.streaming.results.batch_files import derived_table
from cera.engines.spark.streaming.sources.parquet_files import read_parquet
from cera.model.events.event import Event
from cera.model.events.occurrence import Occurrence
from cera.model.terms.json_terms import term_from_json
from cera.model.time.interval import Interval
from cera.model.time.time_text import TimeFormat

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


NINE, TEN = (datetime(2026, 3, 2, hour, tzinfo=UTC) for hour in (9, 10))
DERIVED = Event(
    term_from_json({"alarm": {"area": "a", "rows": [{"x": 1, "y": 2}]}}),
    Interval(*(int(time.timestamp()) * 1_000_000 for time in (NINE, TEN))),
)
TERM = '{"alarm": {"area": "a", "rows": [{"x": 1, "y": 2}]}}'


def write_and_read(folder: Path, table: pa.Table, layout: Layout = BERLIN, **options: Any) -> list[Any]:
    """The events of a table and the reasons for what is rejected of it."""
    pq.write_table(table, folder / "events.parquet", **options)
    found = read_parquet(str(folder / "events.parquet"), layout)
    return [one.reason if isinstance(one, Rejected) else one.event for one in found]


def test_what_a_stream_wrote_is_read_again_with_the_same_ids(tmp_path: Path) -> None:
    times = DERIVED.begin, DERIVED.end
    row = DerivedResult(DERIVED.id, *times, "alarm", TERM, "rules.alarm", '{"e": "0"}', None, None, ())
    table = derived_table([row, row._replace(recipient="http://desk", transport="http")])
    assert write_and_read(tmp_path, table) == [DERIVED, DERIVED]


def test_what_spark_wrote_is_read_again_with_its_times_in_utc(tmp_path: Path) -> None:
    time = pa.timestamp("us", "UTC")
    own = {
        "id": [DERIVED.id, DERIVED.id, DERIVED.id],
        "begin": pa.array([NINE, None, TEN], time),
        "end": pa.array([TEN, TEN, NINE], time),
        "label": ["alarm"] * 3,
        "term": [TERM] * 3,
        "rule": ["rules.alarm"] * 3,
        "causes": pa.array([[("e", "0")]] * 3, pa.map_(pa.string(), pa.string())),
        "recipient": pa.array([None] * 3, pa.string()),
        "transport": pa.array([None] * 3, pa.string()),
    }
    assert write_and_read(tmp_path, pa.table(own), use_deprecated_int96_timestamps=True) == [
        DERIVED,
        "the time is missing: there is no field `begin`",
        'the end lies before the begin: "2026-03-02T09:00:00Z" before "2026-03-02T10:00:00Z"',
    ]


def test_times_that_spark_wrote_are_in_utc_wherever_they_stand(tmp_path: Path) -> None:
    time = pa.timestamp("us", "UTC")
    columns = {
        "label": ["t"],
        "first": [1],
        "at": pa.array([NINE], time),
        "far": pa.array([datetime(9999, 1, 1, tzinfo=UTC)], time),
        "list": pa.array([[NINE]], pa.list_(time)),
        "large": pa.array([[NINE]], pa.large_list(time)),
        "map": pa.array([[("k", NINE)]], pa.map_(pa.string(), time)),
        "inside": pa.array([{"n": 1, "time": TEN}], pa.struct([("n", pa.int64()), ("time", time)])),
    }
    [found] = write_and_read(tmp_path, pa.table(columns), use_deprecated_int96_timestamps=True)
    nine, ten = '"2026-03-02T09:00:00Z"', '"2026-03-02T10:00:00Z"'
    assert str(found.term) == (
        f't{{far{{"9999-01-01T00:00:00Z"}}, first{{1}}, inside{{n{{1}}, time{{{ten}}}}}, large[{nine}], list[{nine}], '
        f"map{{k{{{nine}}}}}}}"
    )
    assert found.begin == DERIVED.begin


def test_the_columns_mean_what_they_mean_in_a_recording(tmp_path: Path) -> None:
    flat = {"label": ["t"], "at": [1], "term": ["x"], "id": [7]}
    [named] = write_and_read(tmp_path, pa.table(flat))
    assert (str(named.term), named.qualifier) == ('t{term{"x"}}', "7")
    terms = {"at": [1, 2, 3], "term": ['{"t": 1}', None, "{"], "id": ["a", "b", "c"]}
    whole, nothing, no_json = write_and_read(tmp_path, pa.table(terms))
    assert (str(whole.term), whole.begin, whole.qualifier) == ("t{1}", 1_000_000, "a")
    assert "null" in nothing
    assert no_json.startswith("not JSON")
    [beside] = write_and_read(tmp_path, pa.table({**terms, "area": ["a", "b", "c"]}))
    assert beside == "beside `term` the table has the columns area; a term has all of an event; no row was read"
    [struct] = write_and_read(tmp_path, pa.table({"at": [1], "term": [{"t": 1}]}))
    assert struct.startswith("a term is JSON text, found")
    [timeless] = write_and_read(tmp_path, pa.table({"label": ["t"], "area": ["a"]}))
    assert "give ⟦time_field⟧; its columns are label, area; no row was read" in timeless
