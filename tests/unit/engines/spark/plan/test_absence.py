"""Absence where the anchors are few: they are sent to the events, and the answers are those of the local engine."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import cera.spark
from cera.engines.spark.engine import answers
from cera.engines.spark.plan.absence import are_few
from cera.engines.spark.plan.sides import Side
from cera.engines.spark.reading.frames import from_frame
from cera.model.terms.term import Term
from cera.model.time.interval import Interval
from cera.program import load
from cera.testing import SECOND

pytestmark = pytest.mark.xdist_group("spark")

Reading = tuple[str, int, int, str, int]

TIMERS = ("from-end[n, 3 sec]", "from-start-backward[n, 4 sec]", "extend[n, 2 sec]", "shift-forward[n, 2 sec]")
RULES = "\n".join(
    f"DETECT quiet{number}{{sensor{{var S}}, was{{var T}}}}\n"
    f"ON and {{ event n: r{{{{sensor{{{{var S}}}}, value{{{{var T}}}}}}}}, event i: {timer},"
    " while i: not r{{sensor{{var S}}}} } where { var T > 3 }\nEND\n"
    for number, timer in enumerate(TIMERS)
)


def random_readings() -> list[Reading]:
    """Short intervals and points; many of the same times, some there twice."""
    draw = random.Random(11)
    begins = [draw.randrange(60) for _ in range(70)]
    return [(draw.choice("rrrq"), b, b + draw.choice((0, 0, 1)), draw.choice("stu"), draw.randrange(6)) for b in begins]


def as_event(reading: Reading) -> cera.Event:
    label, begin, end, sensor, value = reading
    term = Term(label, [Term("sensor", [sensor]), Term("value", [value])])
    return cera.Event(term, Interval(begin * SECOND, end * SECOND))


@pytest.fixture
def readings(spark: SparkSession, tmp_path: Path) -> DataFrame:
    start = datetime.fromtimestamp(0, UTC)
    rows = [
        (label, start + timedelta(seconds=begin), start + timedelta(seconds=end), *rest)
        for label, begin, end, *rest in random_readings()
    ]
    table = spark.createDataFrame(rows, "kind string, since timestamp, until timestamp, sensor string, value bigint")
    table.coalesce(1).write.parquet(str(tmp_path / "readings"))
    stored = spark.read.parquet(str(tmp_path / "readings"))
    return cera.spark.events(stored, label="kind", time="since", end="until")


def test_few_anchors_are_sent_to_the_events(spark: SparkSession, readings: DataFrame) -> None:
    program = load(RULES)
    found = answers(program.layers, from_frame(readings).tables, spark, max_duration=SECOND)
    assert {way for _, way in found.batch.joins} == {"broadcast"}
    rows = found.events().collect()
    expected = {
        d.event.id: d for d in program.run(map(as_event, random_readings()), engine="local", max_duration="1 s").derived
    }
    assert sorted(row["id"] for row in rows) == sorted(expected)
    assert {row["rule"] for row in rows} == {f"quiet{number}" for number in range(len(TIMERS))}
    for row in rows:
        first = expected[row["id"]].derivations[0]
        assert row["causes"] == {name: cause.id for name, cause in first.causes.items()}


def test_what_is_large_is_judged_by_its_first_events(
    spark: SparkSession, readings: DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    [table] = from_frame(readings).tables
    all_events, none = (Side(table, "n", F.lit(holds), {}, frozenset()) for holds in (True, False))
    assert are_few(all_events)
    monkeypatch.setattr("cera.engines.spark.plan.absence.MOST_BYTES", 1)
    assert not are_few(all_events)
    assert are_few(none)
    before = spark.conf.get("spark.sql.autoBroadcastJoinThreshold")
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    switched_off = are_few(none)
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", str(before))
    assert not switched_off


def test_what_is_not_read_from_files_is_not_looked_at(readings: DataFrame) -> None:
    counted = readings.groupBy("label", "begin", "end", "sensor").agg(F.max("value").alias("value"))
    [table] = from_frame(counted).tables
    assert not are_few(Side(table, "n", F.lit(False), {}, frozenset()))
