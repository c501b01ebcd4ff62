"""Aggregates over windows that slide along the events of a table: what the local engine derives, ties included."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest
from pyspark.sql import SparkSession

import cera.spark
from cera.engines.spark.engine import answers
from cera.engines.spark.reading.frames import from_frame
from cera.model.terms.term import Term
from cera.model.time.interval import point
from cera.program import load
from cera.testing import SECOND

pytestmark = pytest.mark.xdist_group("spark")

Reading = tuple[str, int, str, float | None, int | None]

#: What is collected around each reading, for the head of each rule.
WINDOWS = {
    "before": ("from-start-backward[m, 4 sec]", "value{avg(all var T)}, n{count(all var T)}"),
    "after": ("from-end[m, 3 sec]", "value{sum(all var T)}"),
    "around": ("extend-begin[m, 2 sec]", "value{first(all var T)}, last{last(all var T)}"),
    "earlier": ("shift-backward[m, 2 sec]", "value{max(all var T)}, least{min(all var T)}"),
    "distinct": ("from-end-backward[m, 5 sec]", "value{count(all distinct var T)}"),
    "calculated": ("from-start-backward[m, 4 sec]", "value{sum(all var T * 2)}"),
    "coarse": ("from-start-backward[m, 3 sec]", "value{round(avg(all var T) / 100)}"),
}
RULES = "\n".join(
    f"DETECT {name}{{sensor{{var S}}, {head}}}\n"
    f"ON and {{ event m: r{{{{sensor{{{{var S}}}}}}}}, event i: {timer},"
    " while i: collect r{{sensor{{var S}}, value{{var T}}}} }\nEND\n"
    for name, (timer, head) in WINDOWS.items()
)
#: The anchor is another event than those collected, has a value of its own, and two values are collected.
MORE = """
DETECT both{sensor{var S}, own{var N}, value{sum(all var T)}, numbers{max(all var M)}}
ON and {
  event m: q{{sensor{{var S}}, number{{var N}}}},
  event i: from-start-backward[m, 4 sec],
  while i: collect r{{sensor{{var S}}, value{{var T}}, number{{var M}}}}
}
END
"""


def random_readings(seed: int) -> list[Reading]:
    """Few sensors and few times, so that many events are tied, and some are there twice."""
    draw = random.Random(seed)
    return [
        (
            draw.choice("rrrq"),
            draw.randrange(20),
            draw.choice("st"),
            draw.choice((None, 0.1, 0.2, 0.3, 1.0, 2.0**53, -(2.0**53), 1e300)),
            draw.choice((None, 1, 2, 3)),
        )
        for _ in range(90)
    ]


def as_event(reading: Reading) -> cera.Event:
    label, at, sensor, value, number = reading
    children = [("sensor", sensor), ("value", value), ("number", number)]
    return cera.Event(Term(label, [Term(n, [v]) for n, v in children if v is not None]), point(at * SECOND))


def test_windows_that_slide_give_what_the_local_engine_does(spark: SparkSession) -> None:
    program = load(RULES + MORE)
    readings = random_readings(5)
    rows = [(label, datetime.fromtimestamp(at, UTC), *rest) for label, at, *rest in readings]
    table = spark.createDataFrame(rows, "kind string, at timestamp, sensor string, value double, number bigint")
    events = cera.spark.events(table, label="kind", time="at")
    ways = [way for _, way in answers(program.layers, from_frame(events).tables, spark).batch.joins]
    moving = ["before", "around", "earlier", "coarse"]  # they do not go on after the event, nor do they calculate
    assert sorted(ways) == ["moving"] * len(moving) + ["sliding"] * (len(WINDOWS) + 1 - len(moving))
    found = events.transform(program.detect).collect()
    expected = {d.event.id: d for d in program.run(map(as_event, readings), engine="local").derived}
    assert sorted(row["id"] for row in found) == sorted(expected)
    assert {d.derivations[0].rule for d in expected.values()} == {*WINDOWS, "both"}
    for row in found:
        first = expected[row["id"]].derivations[0]
        assert row["causes"] == {name: cause.id for name, cause in first.causes.items()}, row["rule"]
