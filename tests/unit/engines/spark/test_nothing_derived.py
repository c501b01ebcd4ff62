"""Programs of which constraints leave no rule, on Spark: no answers, in the columns that answers have."""

from __future__ import annotations

from pyspark.sql import SparkSession

import cera.spark
from cera.diagnostics import Source
from cera.engines.spark.engine import run
from cera.modules.module import Settings
from cera.program import load
from cera.testing import event

RULE = Source("a.slog", "from7(a(A)) <- bid(a(A), bidder(7)).")
BANNED = Source("c.escl", "IF event: bid(bidder(B)) THEN B != 7 END")


def test_a_program_that_can_derive_nothing_has_no_answers(spark: SparkSession) -> None:
    frame = spark.createDataFrame([("bid", 1, 1, 3)], "type string, ts long, a long, bidder long")
    events = cera.spark.events(frame, label="type", time="ts")
    plain, rewritten = load(RULE), load(RULE, constraints=BANNED)
    found = rewritten.detect(events)
    assert found.collect() == []
    assert found.schema.simpleString() == plain.detect(events).schema.simpleString()
    assert run(rewritten.layers, [event("bid{a{1}, bidder{3}}", 1)], Settings()).derived == ()
