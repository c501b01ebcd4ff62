"""Each rule over Parquet files, by hand and with cera, in turns in one session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from benchmarks.spark import by_hand, with_cera
from benchmarks.spark.data import Readings
from benchmarks.spark.measuring import Clock, Cost, interleaved


@dataclass(frozen=True)
class Compared:
    """The cost of a rule over so many events, which derives so many; of cera for the same columns, and for all."""

    rule: str
    events: int
    derived: int
    by_hand: Cost
    cera: Cost
    all_columns: Cost


def compare(spark: SparkSession, sizes: tuple[int, ...], rounds: int) -> Iterator[Compared]:
    clock = Clock(spark)
    for size in sizes:
        events = spark.read.parquet(str(Readings(size).written()))
        for name, rule in by_hand.RULES.items():
            program = with_cera.rule(name)
            frames: dict[str, Callable[[], DataFrame]] = {
                "by hand": lambda rule=rule, events=events: rule(events),  # type: ignore[misc]
                "cera": lambda program=program, events=events: with_cera.same_columns(program, events),  # type: ignore[misc]
                "all columns": lambda program=program, events=events: with_cera.batch(program, events),  # type: ignore[misc]
            }
            # this also makes Spark compile what it runs, before anything is measured
            found = {side: _checked(frame()) for side, frame in frames.items()}
            if len(set(found.values())) > 1:
                raise SystemExit(f"{name} over {size:,} events: by hand and cera derive different events: {found}")
            best = interleaved(clock, {side: _written(frame) for side, frame in frames.items()}, rounds)
            yield Compared(name, size, found["cera"][0], best["by hand"], best["cera"], best["all columns"])


def _checked(frame: DataFrame) -> tuple[int, int, int]:
    """The number of events, and what changes if one of them has other times."""
    times = F.xxhash64("begin", "end").bitwiseAND(F.lit(0xFFFFFFFF))
    [row] = frame.agg(F.count("*"), F.sum(times), F.sum(F.col("end") - F.col("begin"))).collect()
    return row[0], row[1] or 0, row[2] or 0


def _written(frame: Callable[[], DataFrame]) -> Callable[[], object]:
    """The whole of it: the plan is made, and all columns of all rows are computed."""
    return lambda: frame().write.format("noop").mode("overwrite").save()
