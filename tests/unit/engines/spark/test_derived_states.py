"""States that rules derive on Spark: in recordings, Parquet, DataFrames and streams, as on the other engines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from pyspark.sql import DataFrame, SparkSession

import cera
from cera.cli.main import main
from cera.spark import events
from module_runs import run_layers
from properties.test_derived_states import case, with_ways

pytestmark = pytest.mark.xdist_group("spark")

LONG = pytest.mark.long

PROGRAM = """\
state: onFire(area(A)) until allClear(area(A)) <- fire(area(A)).
alarm(area(A)) <- temp(area(A)) and state: onFire(area(A)).
state: pair(A, B) until allClear(area(A)) <- fire(area(A)) and fire(area(B)) and A != B.
state: quiet() <- fire().
"""
#: The same without what takes Spark long to plan.
SHORT = "".join(PROGRAM.splitlines(keepends=True)[:2])
ROWS = [("fire", "a", 1), ("temp", "a", 2), ("allClear", "a", 5), ("temp", "a", 6), ("fire", "b", 7), ("temp", "b", 8)]


def lines(folder: Path) -> Path:
    path = folder / "s.jsonl"
    path.write_text("".join(json.dumps({"at": t, "term": {label: {"area": a}}}) + "\n" for label, a, t in ROWS))
    return path


def command(folder: Path, *arguments: str) -> Any:
    (folder / "p.slog").write_text(PROGRAM)
    given = ("run", str(folder / "p.slog"), "--events", str(lines(folder)), "--time-unit", "s", *arguments)
    return CliRunner().invoke(main, list(given))


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(
    "more",
    [(), ("--changes",), *(pytest.param(each, marks=LONG) for each in (("--select", "onFire"), ("--until", "4")))],
)
def test_a_recording_gives_the_lines_of_the_local_engine(tmp_path: Path, more: tuple[str, ...]) -> None:
    spark, local = (command(tmp_path, "--engine", engine, *more) for engine in ("spark", "local"))
    assert spark.stdout == local.stdout
    assert spark.stderr == local.stderr
    assert '"state": true' in spark.stdout


@pytest.mark.usefixtures("spark")
def test_parquet_has_a_column_for_states_and_ends_that_are_null(tmp_path: Path) -> None:
    out = tmp_path / "answers.parquet"
    result = command(tmp_path, "--engine", "spark", "--out", str(out))
    assert result.exit_code == 0, result.output
    rows = pq.read_table(out).to_pylist()
    states = sorted((r["term"].replace(" ", ""), r["end"] is None) for r in rows if r["state"])
    assert states == [
        ('{"onFire":{"area":"a"}}', False),
        ('{"onFire":{"area":"b"}}', True),
        ('{"pair":["a","b"]}', True),
        ('{"pair":["b","a"]}', True),
        ('{"quiet":{}}', True),
    ]
    assert {r["label"] for r in rows} == {"onFire", "pair", "quiet", "alarm"}
    assert "state onFire 2" in result.stderr


def frame(spark: SparkSession) -> DataFrame:
    table = spark.createDataFrame(ROWS, "label string, area string, at_time bigint")
    return events(table, label="label", time="at_time")


def states_in(found: list[Any]) -> list[tuple[Any, ...]]:
    return sorted((r["label"], json.loads(r["term"])["onFire"]["area"], r["end"] is None) for r in found)


def test_a_dataframe_has_a_column_for_states_which_open_and_close(spark: SparkSession) -> None:
    program = cera.load(SHORT)
    changes = program.detect(frame(spark), changes=True).where("state and label = 'onFire'").collect()
    assert states_in(changes) == [("onFire", "a", False), ("onFire", "a", True), ("onFire", "b", True)]
    with pytest.raises(cera.UsageError, match="no types that are known beforehand"):
        program.detect(frame(spark), label="onFire")


@pytest.mark.long  # Parquet has the same column, and what opens and closes is above
def test_a_dataframe_has_a_row_for_each_state(spark: SparkSession) -> None:
    found = cera.load(SHORT).detect(frame(spark)).where("state and label = 'onFire'").collect()
    assert states_in(found) == [("onFire", "a", False), ("onFire", "b", True)]


def test_a_streaming_dataframe_opens_and_closes_states(spark: SparkSession, tmp_path: Path) -> None:
    frame(spark).coalesce(1).write.parquet(str(tmp_path / "in"))
    stream = spark.readStream.schema(frame(spark).schema).parquet(str(tmp_path / "in"))
    found = cera.load(SHORT).detect(stream, changes=True)
    query = (
        found.writeStream.format("memory")
        .queryName("derived_states")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    rows = spark.sql("select * from derived_states").collect()
    assert states_in([r for r in rows if r["label"] == "onFire"]) == [
        ("onFire", "a", False),
        ("onFire", "a", True),
        ("onFire", "b", True),
    ]
    assert sum(r["label"] == "alarm" for r in rows) == 1  # the last event is not decided


@pytest.mark.usefixtures("spark")
@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 8, 25, *range(100, 200)])
def test_random_states_are_those_of_the_reference(seed: int) -> None:
    text, layers, given, _ = case(seed)
    expected, found = (run_layers(layers, given, engine, changes=True).derived for engine in ("reference", "spark"))
    assert with_ways(list(found)) == with_ways(list(expected)), f"{text}{given}"
