"""Which attributes the events of tables have: found in a sample, or else in all of them."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from cera.engines.spark.reading import observed as observing
from cera.engines.spark.reading.frames import from_frame
from cera.engines.spark.reading.observed import observe
from cera.model.events.attributes import AskedAttribute, ObservedAttributes

pytestmark = pytest.mark.xdist_group("spark")

ASKED = (
    AskedAttribute("r", ("a",)),
    AskedAttribute("r", ("rare",)),
    AskedAttribute("r", ("place", "x")),
    AskedAttribute("r", ("place", "rare")),
    AskedAttribute("r", ("wrong",)),
    AskedAttribute("r", ("place", "wrong")),
    AskedAttribute("r", ("list", "deep")),
    AskedAttribute("r", ("un'speakable",)),
    AskedAttribute("r", ("unneeded",), needed=False),
    AskedAttribute("other", ("a",)),
)


@pytest.mark.parametrize("variant", [False, True], ids=["columns", "variant"])
def test_what_no_event_has_is_missing_and_what_few_have_is_not(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, variant: bool
) -> None:
    monkeypatch.setattr(observing, "_SAMPLE", 1)
    schema = "label string, a int, rare int, place struct<x: int, rare: int>, list array<int>"
    rows = [("r", 1, None, (1, None), None), ("r", 1, 2, (1, 2), [1])]
    frame = spark.createDataFrame(rows, schema).coalesce(1)
    children = [F.col(name).alias(name) for name in ("a", "rare", "place", "list")]
    content = [F.to_variant_object(F.struct(*children)).alias("data")] if variant else children
    events = frame.select("label", F.lit(1).alias("begin"), F.lit(1).alias("end"), *content)
    found = ObservedAttributes(ASKED)
    observe(from_frame(events).tables, found, ASKED)
    assert found.missing["r"] == {("wrong",), ("place", "wrong")}
    assert found.seen("r") >= {"a", "place"}


def test_where_nothing_is_asked_for_nothing_is_read() -> None:
    observe((), ObservedAttributes(()), ())
