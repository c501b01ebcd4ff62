"""Each rule over Parquet files, by hand and with cera, in turns in one session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from benchmarks.spark import by_hand, with_cera
from benchmarks.spark.data import Readings
from benchmarks.spark.measuring import Clock, Cost, interleaved

RULES = tuple(by_hand.RULES)

Frame = Callable[[], DataFrame]


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
            frames: dict[str, Frame] = {"by hand": partial(rule, events), **frames_of_cera(name, events)}
            # this also makes Spark compile what it runs, before anything is measured
            found = {side: checked(frame()) for side, frame in frames.items()}
            if len(set(found.values())) > 1:
                raise SystemExit(f"{name} over {size:,} events: by hand and cera derive different events: {found}")
            works = {side: partial(write_to_nowhere, frame) for side, frame in frames.items()}
            best = interleaved(clock, works, rounds)
            yield Compared(name, size, found["cera"][0], best["by hand"], best["cera"], best["all columns"])


def frames_of_cera(rule: str, events: DataFrame) -> dict[str, Frame]:
    """Returns how a rule is asked for: the columns that there are by hand, and all."""
    program = with_cera.rule(rule)
    return {
        "cera": partial(with_cera.same_columns, program, events),
        "all columns": partial(with_cera.batch, program, events),
    }


def checked(frame: DataFrame) -> tuple[int, int, int]:
    """The number of events, and what changes if one of them has other times."""
    times = F.xxhash64("begin", "end").bitwiseAND(F.lit(0xFFFFFFFF))
    [row] = frame.agg(F.count("*"), F.sum(times), F.sum(F.col("end") - F.col("begin"))).collect()
    return row[0], row[1] or 0, row[2] or 0


def write_to_nowhere(frame: Frame) -> None:
    """The whole of it: the plan is made, and all columns of all rows are computed."""
    frame().write.format("noop").mode("overwrite").save()
