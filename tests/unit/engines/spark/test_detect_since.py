"""`program.detect(…, since=…)`: from when on the events of a DataFrame are complete."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cera.diagnostics import Source
from cera.errors import UsageError
from cera.program import Program, load

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.xdist_group("spark")

#: Whoever enters has logged in before. Nobody can know that of an event that is the first of a recording.
BEFORE = """CONSTRAINT logged-in: IF event x: access(user(U)) and w: ["1970-01-01", b(x)]
  THEN while w: event: login(user(U)) END
"""
ROWS = [("access", 10, 1), ("login", 20, 1), ("access", 30, 2), ("login", 40, 2)]
COLUMNS = "label string, at bigint, user int"


def program() -> Program:
    return load(Source("before.escl", BEFORE))


def users(frame: DataFrame) -> list[int]:
    return sorted(json.loads(row["term"])["violation"]["binding"]["U"] for row in frame.collect())


@pytest.mark.slow
def test_violations_of_a_recording_can_need_that_it_is_complete(spark: SparkSession) -> None:
    events = spark.createDataFrame(ROWS, COLUMNS)
    assert users(program().detect(events)) == []
    assert users(program().detect(events, since="1970-01-01")) == [1, 2]
    assert users(program().detect(events, since=25_000_000)) == []


@pytest.mark.slow
def test_violations_of_a_stream_can_need_that_it_is_complete(spark: SparkSession, tmp_path: Path) -> None:
    from cera.engines.spark.streaming.patience import patiently

    (tmp_path / "in").mkdir()
    records = [{"label": label, "at": at, "user": user} for label, at, user in ROWS]
    (tmp_path / "in" / "0.json").write_text("".join(f"{json.dumps(each)}\n" for each in records))
    events = spark.readStream.schema(COLUMNS).json(str(tmp_path / "in"))
    found: list[int] = []
    derived = program().detect(events, since=0)
    writer = derived.writeStream.foreachBatch(lambda frame, _: found.extend(users(frame)))
    ready = writer.option("checkpointLocation", str(tmp_path / "state")).trigger(availableNow=True)
    patiently(lambda: ready.start().awaitTermination())
    assert found == [1, 2]


def test_a_program_without_constraints_has_no_use_for_it(spark: SparkSession) -> None:
    rules = load(Source("rules.xceq", "DETECT opened ON access{{}} END"))
    with pytest.raises(UsageError, match="`since` is for constraints that are verified"):
        rules.detect(spark.createDataFrame([], COLUMNS), since=0)
