"""Windows of StreamLog are native on Spark: a group for those of the clock, a window function for `[now - d, now]`."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pyspark.sql import SparkSession

import cera.spark
from cera.diagnostics import Source
from cera.engines.spark.engine import answers
from cera.engines.spark.reading.frames import from_frame
from cera.program import load
from cera.testing import event

pytestmark = pytest.mark.xdist_group("spark")

_CLOCK = "Range 1h Slide 30min: mean(area(A), value(avg(V))) <- temp(area(A), value(V))."
_SLIDING = "[now - 1h, now]: highest(area(A), value(max(V)), n(count(A))) <- temp(area(A), value(V)) and V > 10."
READINGS = [("a", 5, 0), ("a", 20, 100), ("b", 30, 100), ("a", 12, 3700), ("a", 15, 3700), ("a", 40, 9000)]


@pytest.mark.parametrize(
    ("text", "rule", "ways", "operator"),
    [
        pytest.param(_CLOCK, "mean", [], "Aggregate", id="Listing 5.3"),
        pytest.param(_SLIDING, "highest", ["sliding"], "Window", id="a window that ends with an event"),
    ],
)
def test_windows_are_native_and_need_no_join(
    spark: SparkSession, text: str, rule: str, ways: list[str], operator: str
) -> None:
    program = load(Source("test.slog", text))
    rows = [("temp", datetime.fromtimestamp(at, UTC), area, value) for area, value, at in READINGS]
    table = spark.createDataFrame(rows, "kind string, at timestamp, area string, value bigint")
    events = cera.spark.events(table, label="kind", time="at")
    batch = answers(program.layers, from_frame(events).tables, spark).batch
    plan = batch.derived[rule][0].frame._jdf.queryExecution().executedPlan().toString()
    assert [way for _, way in batch.joins] == ways
    assert not batch.environment.fallbacks
    assert operator in plan
    assert "Join" not in plan
    assert "Python" not in plan
    read = [event(f'temp{{ area{{"{area}"}}, value{{{value}}} }}', at) for area, value, at in READINGS]
    expected = {one.event.id for one in program.run(read, engine="local").derived}
    assert {row["id"] for row in events.transform(program.detect).collect()} == expected
