"""What constraints make of rules, on Spark: joins that go, rules that do not run, filters before a shuffle; the answers
stay."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pyspark.sql import DataFrame, SparkSession

import cera.spark
from cera.diagnostics import Source
from cera.engines.spark.engine import answers
from cera.engines.spark.reading.frames import from_frame
from cera.program import load

pytestmark = pytest.mark.xdist_group("spark")

RULES = """unbounded:
  bidding(bidder(B)) <- r: registration(bidder(B)) and e: enrolment(bidder(B)) and i: bid(bidder(B))
                        and r before e and e before i.
  from007(bidder(B)) <- i: bid(bidder(B)) and j: bid(bidder(B)) and i before j and B = 7.
  high(bidder(B), value(V)) <- r: registration(bidder(B)) and i: bid(bidder(B), value(V)) and r before i.

Range 1h:
  least(bidder(B), value(min(U))) <- bid(bidder(B), unit(U)).
"""
CONSTRAINTS = """
CONSTRAINT between: IF event r: registration(bidder(B)) and event i: bid(bidder(B)) and r before i
  THEN exists >= 1 event e: enrolment(bidder(B)) and r before e and e before i END
CONSTRAINT banned: IF event: bid(bidder(B)) THEN B != 7 END
CONSTRAINT registered: IF event: registration(bidder(B)) and event: bid(bidder(B), value(V)) THEN V > 100 END
CONSTRAINT unit: IF event: bid(unit(U)) THEN U = 1 END
"""
EVENTS = [
    ("registration", 1, 1, None, None),
    ("enrolment", 2, 1, None, None),
    ("bid", 3, 1, 200, 1),
    ("bid", 4, 1, 300, 1),
    ("bid", 5, 2, 50, 1),
    ("registration", 6, 3, None, None),
    ("bid", 4000, 1, 400, 1),
]


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    rows = [(kind, datetime.fromtimestamp(at, UTC), who, value, unit) for kind, at, who, value, unit in EVENTS]
    table = spark.createDataFrame(rows, "kind string, at timestamp, bidder bigint, value bigint, unit bigint")
    return cera.spark.events(table, label="kind", time="at")


def test_spark_uses_what_constraints_say_and_answers_the_same(spark: SparkSession, events: DataFrame) -> None:
    plain = load(Source("rules.slog", RULES))
    rewritten = load(Source("rules.slog", RULES), constraints=[Source("constraints.escl", CONSTRAINTS)])
    found = {}
    for name, program in (("plain", plain), ("rewritten", rewritten)):
        made = answers(program.layers, from_frame(events).tables, spark)
        plans = {
            rule: frames[0].frame._jdf.queryExecution().optimizedPlan().toString()
            for rule, frames in made.batch.derived.items()
        }
        found[name] = plans, {row["id"] for row in made.events().select("id").collect()}
    (before, expected), (after, ids) = found["plain"], found["rewritten"]
    assert ids == expected
    assert len(ids) > 3
    assert before["bidding"].count("Join") == 2
    assert after["bidding"].count("Join") == 1
    assert "from007" in before
    assert "from007" not in after
    assert "> 100" not in before["high"]
    filtered = after["high"].index("> 100")
    assert filtered > after["high"].index("Join")  # below it
