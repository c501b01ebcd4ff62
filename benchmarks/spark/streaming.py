"""The three rules together over a stream of files, by hand and with cera."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from benchmarks.spark import streaming_by_hand, streaming_floor, with_cera
from benchmarks.spark.data import SECOND, Readings
from benchmarks.spark.measuring import Clock, Cost

DELAY = 10

DETECT: Mapping[str, Callable[[DataFrame], DataFrame]] = {
    "by hand": lambda events: streaming_by_hand.detect(events, f"{DELAY} seconds"),
    "cera": lambda events: with_cera.stream(events, DELAY * SECOND),
}

#: The same rows, to an operator that does nothing.
FLOOR: Mapping[str, Callable[[DataFrame], DataFrame]] = {
    "rows to an idle operator": lambda events: streaming_floor.of_rows(events, f"{DELAY} seconds"),
    "messages to an idle operator": lambda events: streaming_floor.of_messages(events, DELAY * SECOND),
}


@dataclass(frozen=True)
class Streamed:
    """A run over a stream: its cost, and what Spark told of each micro-batch."""

    events: int
    cost: Cost
    batches: tuple[Mapping[str, Any], ...]

    @property
    def rate(self) -> float:
        return self.events / self.cost.seconds

    @property
    def cpu_rate(self) -> float:
        return self.events / self.cost.cpu

    @cached_property
    def derived(self) -> int:
        return sum(batch["observedMetrics"]["derived"]["number"] for batch in self.batches)

    @cached_property
    def times(self) -> list[int]:
        """The milliseconds of each micro-batch with events."""
        return [batch["durationMs"]["triggerExecution"] for batch in self.batches if batch["numInputRows"]]

    @property
    def usual_time(self) -> float:
        """That of a micro-batch once all is under way."""
        return statistics.median(self.times[1:] or self.times)

    @cached_property
    def state(self) -> list[int]:
        """The bytes of the files of the state store after each micro-batch."""
        return [
            sum(operator["customMetrics"]["rocksdbSstFileSize"] for operator in batch["stateOperators"])
            for batch in self.batches
        ]


def stream(spark: SparkSession, readings: Readings, side: str) -> Streamed:
    """All of the readings, a file in a micro-batch, until the watermark has passed what it can."""
    path = str(readings.written())
    schema = spark.read.parquet(path).schema
    events = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(path)
    batches: list[Mapping[str, Any]] = []
    spark.sparkContext.environment["BENCHMARK"] = side  # each side has Python workers of its own

    def run(checkpoint: str) -> None:
        derived = {**DETECT, **FLOOR}[side](events).observe("derived", F.count(F.lit(1)).alias("number"))
        writer = derived.writeStream.format("noop").outputMode("append").trigger(availableNow=True)
        query = writer.option("checkpointLocation", checkpoint).start()
        query.awaitTermination()
        batches.extend(query.recentProgress)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as checkpoint:
        cost = Clock(spark).cost(lambda: run(checkpoint))
    return Streamed(readings.events, cost, tuple(batches))


def compare(
    spark: SparkSession, readings: Readings, rounds: int, told: Callable[[str], object] = lambda text: None
) -> dict[str, Streamed]:
    """A run of each with the best cost of several, taken in turns, after a short one that starts Python workers and is
    not counted."""
    best: dict[str, Streamed] = {}
    for side in DETECT:
        stream(spark, Readings(20_000, files=2), side)
    for _ in range(rounds):
        for side in DETECT:
            run = stream(spark, readings, side)
            cost = run.cost.best(best[side].cost) if side in best else run.cost
            best[side] = replace(run, cost=cost)
            told(f"stream, {side}: {run.cost.seconds:.1f} s, {run.cost.cpu:.1f} s of CPU")
    if len({run.derived for run in best.values()}) > 1:
        numbers = {side: run.derived for side, run in best.items()}
        raise SystemExit(f"streaming: by hand and cera derive different numbers of events: {numbers}")
    return best
