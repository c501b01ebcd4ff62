"""What is compared between checkouts, in a process of its own: `python -m benchmarks.spark.workloads PART EVENTS`.

Prints one line of JSON: the CPU seconds of Spark and its Python workers for each of the parts, the best of some rounds
after one that is not counted, and how many events were derived.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from pyspark.sql import SparkSession

from benchmarks.spark import batch, streaming
from benchmarks.spark.data import Readings
from benchmarks.spark.measuring import Clock, interleaved
from benchmarks.spark.runner import benchmark_session

_ROUNDS = 2


def recorded(
    spark: SparkSession, events: int, rules: Sequence[str] = batch.RULES, rounds: int = _ROUNDS
) -> dict[str, Any]:
    """Each rule, with the columns that rules by hand give and with all."""
    parts: dict[str, float] = {}
    derived: dict[str, dict[str, tuple[int, ...]]] = {}
    table = spark.read.parquet(str(Readings(events).written()))
    for rule in rules:
        frames = batch.frames_of_cera(rule, table)
        derived[rule] = {side: batch.checked(frame()) for side, frame in frames.items()}
        works = {side: partial(batch.write_to_nowhere, frame) for side, frame in frames.items()}
        for side, cost in interleaved(Clock(spark), works, rounds).items():
            parts[f"{rule}, {side}"] = cost.cpu
    return {"parts": parts, "answers": derived}


def streamed(spark: SparkSession, events: int) -> dict[str, Any]:
    """All rules over a stream of four files."""
    streaming.stream(spark, Readings(20_000, files=2), "cera")
    runs = [streaming.stream(spark, Readings(events, files=4), "cera") for _ in range(_ROUNDS)]
    return {"parts": {"three rules": min(run.cost.cpu for run in runs)}, "answers": runs[0].derived}


PARTS: Mapping[str, Callable[[SparkSession, int], dict[str, Any]]] = {"batch": recorded, "stream": streamed}


def main(part: str, events: str) -> None:
    spark = benchmark_session()
    try:
        print(json.dumps(PARTS[part](spark, int(events))))
    finally:
        spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
