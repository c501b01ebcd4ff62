"""Programs over DataFrames: `program.detect`, what Spark runs, and the command line on Spark."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import cera.spark
from cera.cli.main import main
from cera.connectors.records.layout import Layout
from cera.engines.spark.engine import answers
from cera.engines.spark.reading.frames import from_frame
from cera.engines.spark.streaming.sources.file_source import read_file
from cera.model.events.occurrence import Occurrence
from cera.model.terms.term import Term
from cera.model.time.interval import point
from cera.model.time.time_text import TimeFormat
from cera.program import load
from cera.testing import SECOND, event

pytestmark = pytest.mark.xdist_group("spark")

ROOT = Path(__file__).parents[5]
FIRE = ROOT / "examples" / "sensors" / "fire.xceq"
READINGS = [
    ("temp", 0, "a", "s", 40.0),
    ("smoke", 5, "a", None, None),
    ("temp", 10, "a", "s", 41.5),
    ("temp", 30, "b", "u", 41.0),
    ("temp", 35, "b", "u", 20.0),
]


@pytest.fixture
def readings(spark: SparkSession) -> DataFrame:
    rows = [(kind, datetime.fromtimestamp(at, UTC), area, sensor, value) for kind, at, area, sensor, value in READINGS]
    table = spark.createDataFrame(rows, "kind string, at timestamp, area string, sensor string, value double")
    return cera.spark.events(table, label="kind", time="at")


def as_event(kind: str, at: int, area: str, sensor: str | None, value: float | None) -> cera.Event:
    children = [("area", area), ("sensor", sensor), ("value", value)]
    term = Term(kind, [Term(name, [child]) for name, child in children if child is not None])
    return cera.Event(term, point(at * SECOND))


def test_a_frame_of_events_becomes_a_frame_of_derived_events(readings: DataFrame) -> None:
    program = load(FIRE)
    broken = readings.limit(2).withColumns({"label": F.lit(None), "area": F.lit("x")}).distinct()
    found = readings.unionByName(broken).transform(program.detect, left_out=True).collect()
    rows = [row for row in found if row["left_out"] is None]
    left_out = [(row["left_out"], json.loads(row["record"])["area"]) for row in found if row["left_out"] is not None]
    assert set(left_out) == {("the label is missing: there is no field `label`", "x")}
    expected = program.run([as_event(*reading) for reading in READINGS], engine="reference").derived
    assert {row["id"] for row in rows} == {derived.event.id for derived in expected}
    [fire] = [row for row in rows if row["label"] == "fire"]
    assert json.loads(fire["term"]) == {"fire": {"area": "a"}}
    assert fire["rule"] == "fire"
    assert set(fire["causes"]) == {"s", "t"}
    assert fire["begin"].timestamp() == 5
    assert fire["end"].timestamp() == 10


def test_a_program_over_typed_columns_runs_without_python(
    spark: SparkSession, readings: DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CERA_COLUMNS", "0")  # else windows that end with their event go through Arrow
    found = answers(load(FIRE).layers, from_frame(readings).tables, spark)
    plan = found.events()._jdf.queryExecution().executedPlan().toString()
    assert "Python" not in plan
    assert "Arrow" not in plan
    assert not found.batch.environment.fallbacks


def test_joins_with_a_time_bound_are_made_in_buckets_and_windows_of_one_length_move(
    spark: SparkSession, readings: DataFrame
) -> None:
    found = answers(load(FIRE).layers, from_frame(readings).tables, spark)
    assert sorted(way for _, way in found.batch.joins) == ["bucket", "bucket", "moving"]
    assert "MapInArrow MovingWindows" in found.events()._jdf.queryExecution().executedPlan().toString()


@pytest.mark.usefixtures("spark")
def test_without_a_bound_a_join_is_plain_or_broadcast() -> None:
    program = load(
        "DETECT c{var X} ON and { event a: a{var X}, event b: b{var X} } END "
        "DETECT d{var X, var Y} ON and { event a: a{var X}, event b: b{var Y} } END"
    )
    stream = [event("a{1}", 1), event("b{1}", 2), event("b{2}", 3)]
    derived = program.run(stream, engine="spark").derived
    assert sorted(str(one.event.term) for one in derived) == ["c{1}", "d{1, 1}", "d{1, 2}"]


def test_the_rules_of_a_small_recording_are_answered_in_one_task(spark: SparkSession) -> None:
    """Each task reads the plan of its whole stage, so a task for each rule would be quadratic in the rules."""
    body = "and { event a: a{var X}, event b: b{var X} }"
    program = load(f"DETECT first{{var X}} ON {body} END DETECT second{{var X}} ON {body} END")
    stream = [event("a{1}", 1), event("a{2}", 1), event("b{1}", 2), event("b{2}", 3)]
    context = spark.sparkContext
    context.setJobGroup("small", "a small recording")
    try:
        assert len(program.run(stream, engine="spark").derived) == 4
    finally:
        context._jsc.clearJobGroup()  # type: ignore[union-attr]
    tracker = context.statusTracker()
    last = max(tracker.getJobIdsForGroup("small"))
    job = tracker.getJobInfo(last)
    assert job is not None
    stage = tracker.getStageInfo(max(job.stageIds))
    assert stage is not None
    assert stage.numTasks == 1


@pytest.mark.usefixtures("spark")
def test_the_command_line_writes_parquet_and_reads_it_back(tmp_path: Path) -> None:
    events = FIRE.parent / "events.jsonl"
    out = tmp_path / "alarms.parquet"
    shared = ["--time-unit", "s", "--engine", "spark"]
    program = tmp_path / "nothing.xceq"
    program.write_text("DETECT nothing{1 / (var V - var V)} ON avg_temp{{value{{var V}}}} END")
    files = ["run", str(FIRE), str(program), "--events", str(events)]
    first = CliRunner().invoke(main, [*files, *shared, "--out", str(out)])
    assert first.exit_code == 0, first.stderr
    assert "1 row had an expression without a value" in first.stderr
    again = tmp_path / "again.xceq"
    again.write_text("DETECT again{var A} ON fire{{area{{var A}}}} END")
    second = CliRunner().invoke(main, ["run", str(again), str(program), "--events", str(out), *shared])
    assert second.exit_code == 0, second.stderr
    assert "1 row had an expression without a value" in second.stderr
    assert [json.loads(line)["term"] for line in second.stdout.splitlines()] == [{"again": "a"}]
    berlin = Layout(times=TimeFormat(timezone="Europe/Berlin"))  # which does not concern timestamps
    as_a_stream = [one for file in out.glob("*.parquet") for one in read_file(str(file), berlin)]
    ids = sorted(one.event.id for one in as_a_stream if isinstance(one, Occurrence))
    assert ids == sorted(pq.read_table(out, columns=["id"]).column("id").to_pylist())
    assert len(as_a_stream) == len(ids)


@pytest.mark.usefixtures("spark")
def test_malformed_records_are_rejected_on_spark_as_everywhere(tmp_path: Path) -> None:
    events = tmp_path / "events.jsonl"
    events.write_text('{"at": 1, "term": {"a": 1}}\nnonsense\n{"at": 2, "term": {"a": 2}}\n')
    program = tmp_path / "p.xceq"
    program.write_text("DETECT b{var X} ON a{var X} END")
    results = [
        CliRunner().invoke(main, ["run", str(program), "--events", str(events), "--engine", engine])
        for engine in ("spark", "local")
    ]
    assert results[0].stdout == results[1].stdout
    assert results[0].stderr == results[1].stderr
    assert "events.jsonl:2" in results[0].stderr


@pytest.mark.usefixtures("spark")
def test_explain_shows_what_a_program_is_on_spark() -> None:
    shown = CliRunner().invoke(main, ["explain", str(FIRE), "--spark"])
    assert shown.exit_code == 0, shown.stderr
    assert "in buckets of 59 sec 999 ms 999 us by var A" in shown.stdout
    assert "in Python, on flat events: nothing" in shown.stdout
