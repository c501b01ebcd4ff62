"""The recipe for Kafka on the page about Spark, over a table with the columns of Kafka: there is no broker here."""

from __future__ import annotations

import datetime
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import cera

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAGE = Path(__file__).parents[2] / "docs" / "spark.md"
COLUMNS = "key binary, value binary, topic string, partition int, offset bigint, timestamp timestamp, timestampType int"
MESSAGES = [
    b'{"kind": "reading", "fridge": "f1", "temp": 9.5, "at": "2026-03-02T08:10:00Z"}',
    b'{"kind": "reading", "fridge": "f1", "temp": 4, "at": "2026-03-02T08:15:00Z"}',
    b"not JSON",
]


@pytest.mark.xdist_group("spark")
def test_the_recipe_for_kafka_unpacks_messages_and_detects(spark: SparkSession) -> None:
    found = re.search(r"^```python kafka\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None
    received = datetime.datetime(2026, 3, 2, 9, tzinfo=datetime.UTC)
    rows = [(b"f1", value, "fridges", 0, offset, received, 0) for offset, value in enumerate(MESSAGES)]
    program = cera.load("DETECT warm{temp{var T}} ON reading{{temp{var T}}} where { var T > 8 } END")
    scope: dict[str, Any] = {"cera": cera, "program": program, "messages": spark.createDataFrame(rows, COLUMNS)}
    exec(f"import cera.spark\n{found[1]}", scope)  # the page is ours
    assert [row["value"] for row in scope["answers"].collect()] == ['{"warm": {"temp": 9.5}}']
    [left_out] = scope["alerts"].where("left_out is not null").collect()
    assert "label" in left_out["left_out"]
