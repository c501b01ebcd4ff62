"""Recorded events on Spark are those of the other engines: the same events, the same rejected records."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from cera.connectors.files import EventFile, Layout, Rejected
from cera.connectors.source import source_of
from cera.engines.spark.engine import answers
from cera.engines.spark.reading import recordings as module
from cera.engines.spark.reading.file_splits import splits
from cera.engines.spark.reading.recordings import read_sources
from cera.errors import UsageError
from cera.model.events.event import Event
from cera.model.time.time_text import TimeFormat
from cera.program import load
from spark_rows import events_in

pytestmark = pytest.mark.xdist_group("spark")

LINES = [
    '{"at": 1, "term": {"temp": {"area": "a", "value": 40}}}',
    '{"begin": 1, "end": 3, "term": {"temp": {"area": "b", "value": 40.5, "ok": true}}, "id": 7}',
    "not json",
    '{"at": 5, "term": {"deep": {"x": {"y": [1, 2]}, "z": 1}}}',
    '{"at": 6, "term": {"empty": {}}}',
    '{"at": 6, "term": {"odd`name": {"a`b": 1, "A`B": 2, "c:integer": "x", "": 2, "{}": 3}}}',
    '{"begin": 3, "end": 2, "term": {"temp": {}}}',
]


def files(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "a.jsonl").write_text("\n".join(LINES))
    (folder / "b.json").write_text('[{"at": 1, "term": {"x": [1]}}, {"at": "never", "term": {"x": [1]}}]')
    (folder / "sub" / "c.csv").write_text("label,at,area,value\ntemp,7,c,12\ntemp,,d,13\nsmoke,8,c,true\n")
    (folder / "sub" / "d.xml").write_text('<es><event at="9"><temp><area>x</area></temp></event><e/></es>')
    (folder / "notes.txt").write_text("hi")


@pytest.mark.parametrize("where", ["this process", "workers"])
def test_a_folder_of_files_is_read_as_on_every_other_engine(
    spark: SparkSession, tmp_path: Path, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if where == "workers":
        monkeypatch.setattr(module, "_SMALL", -1)
    files(tmp_path)
    expected = list(source_of(str(tmp_path)).events(Layout()))
    reading = read_sources(spark, [source_of(str(tmp_path))], Layout())
    assert sorted(map(repr, events_in(reading.tables))) == sorted(repr(e) for e in expected if isinstance(e, Event))
    rejected = reading.rejects()
    assert [(r.place, r.text) for r in rejected] == [(r.place, r.text) for r in expected if isinstance(r, Rejected)]
    assert len(rejected) == 6


def test_a_large_file_is_read_in_pieces_with_the_right_line_numbers(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    path.write_text("".join(f"{'x' * (i % 50)}\n" for i in range(100_000)))
    pieces = list(splits(0, EventFile(path, "jsonl"), size=1 << 20))
    assert len(pieces) == 3
    found = [item for piece in pieces for item in piece.read(Layout())]
    assert found == list(source_of(str(path)).events(Layout()))


def test_standard_input_is_read(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join(LINES).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    reading = read_sources(spark, [source_of("-")], Layout())
    assert len(events_in(reading.tables)) == 5
    assert [r.place for r in reading.rejects()] == ["<stdin>:3", "<stdin>:7"]


def test_parquet_is_read_natively_with_the_place_of_rejected_rows(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "log.parquet")
    frame = spark.createDataFrame([("temp", 1, 40), ("temp", None, 41), (None, 2, 42)], "kind string, ts long, v int")
    frame.coalesce(1).write.parquet(path)
    layout = Layout(label_field="kind", time_field="ts", times=TimeFormat("ms"))
    reading = read_sources(spark, [source_of(path)], layout)
    [found] = events_in(reading.tables)
    assert str(found) == "temp{v{40}}[1000,1000]"
    rejected = reading.rejects()
    assert [r.place.rpartition("/")[2].partition(".parquet")[2] for r in rejected] == [": row 2", ": row 3"]
    assert json.loads(rejected[0].text) == {"kind": "temp", "v": 41}
    plan = reading.tables[0].frame._jdf.queryExecution().toString()  # type: ignore[operator]
    assert "Python" not in plan
    assert "MapInArrow" not in plan


def test_events_that_last_too_long_are_rejected(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("\n".join(LINES[:2]))
    reading = read_sources(spark, [source_of(str(tmp_path))], Layout()).reject_longer(1_000_000)
    assert [e.begin for e in events_in(reading.tables)] == [1_000_000]
    [rejected] = reading.rejects()
    assert rejected.reason == "the event lasts longer than ⟦max_duration⟧"
    [left_out] = reading.left_out().collect()
    assert left_out["left_out"] == "the event lasts longer than `max_duration`"


@pytest.mark.parametrize(("lines", "longest"), [((0, 1), None), ((0, 0), 0)], ids=["lasting", "points"])
def test_what_is_read_is_known_to_be_points_of_time(
    spark: SparkSession, tmp_path: Path, lines: tuple[int, int], longest: int | None
) -> None:
    (tmp_path / "a.jsonl").write_text("".join(f"{json.dumps({'at': 1, 'term': {'e': {'n': n}}})}\n" for n in range(3)))
    begin, end = lines
    lasting = {"begin": begin, "end": end, "term": {"e": {"deep": {"n": 1}}}}
    (tmp_path / "b.jsonl").write_text(f"no event\n{json.dumps(lasting)}\n")
    reading = read_sources(spark, [source_of(str(tmp_path))], Layout())
    program = load("DETECT f{ var N } ON e{{ n{ var N } }} END")
    assert answers(program.layers, reading.tables, spark).batches[0].max_duration == longest


def test_files_without_events_are_no_events(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "nothing.jsonl").touch()
    (tmp_path / "blank.csv").write_text("label,at\n")
    reading = read_sources(spark, [source_of(str(tmp_path))], Layout())
    assert (events_in(reading.tables), reading.rejects()) == ([], [])


def test_a_folder_of_parquet_files_is_read_as_far_as_it_can_be(spark: SparkSession, tmp_path: Path) -> None:
    columns = {"label": ["temp"], "at": [1], "v": [40]}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    pq.write_table(pa.table({**columns, "v": ["forty"]}), tmp_path / "b.parquet")
    pq.write_table(pa.table({"label": ["temp"], "v": [[40]]}), tmp_path / "c.parquet")
    (tmp_path / "d.parquet").write_text("nothing of the kind")
    reading = read_sources(spark, [source_of(str(tmp_path))], Layout())
    found = sorted(str(event.term) for event in events_in(reading.tables))
    assert found == ['temp{v{"forty"}}', "temp{v{40}}"]
    rejected = {Path(one.place).name: one.reason for one in reading.rejects()}
    assert rejected.keys() == {"c.parquet", "d.parquet"}
    assert rejected["c.parquet"].startswith("there is no column `at` for the time")
    assert rejected["d.parquet"].startswith("it cannot be read as Parquet")


@pytest.mark.parametrize(
    ("name", "message"), [("nowhere", "there is no file or folder"), ("bad.parquet", "cannot be read as Parquet")]
)
def test_what_cannot_be_read_is_an_error(spark: SparkSession, tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "bad.parquet").write_text("nothing of the kind")
    with pytest.raises(UsageError, match=message):
        read_sources(spark, [source_of(str(tmp_path / name))], Layout())
