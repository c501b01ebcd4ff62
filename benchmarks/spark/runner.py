"""One run over batches and streams, as one table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import SparkSession
from rich.table import Table

from benchmarks.spark import batch, streaming
from benchmarks.spark.data import Readings
from benchmarks.spark.measuring import Cost
from cera.engines.spark.session.session import session

_CAPTION = (
    "Batch: seconds from making the plan to the last row, written to Spark's `noop` sink; the best of several runs, by "
    "hand and cera in turns, after one that is not counted. Streams: events/s from the start of the query to its end, "
    "a file in a micro-batch, watermark 10 s. In brackets: CPU seconds of Spark and its Python workers. Batches of "
    "cera have the columns that there are by hand (a table with a key), or all columns (no key): ids, terms as "
    "JSON and causes besides; its streams have all."
)


@dataclass(frozen=True)
class Scale:
    """How much is measured."""

    batches: tuple[int, ...]
    rounds: int
    stream: Readings
    stream_rounds: int
    keys: tuple[int, ...]
    key_batches: int
    key_batch: int


QUICK = Scale((1_000_000,), 2, Readings(400_000, files=4), 1, (100, 10_000), 3, 50_000)
FULL = Scale((1_000_000, 10_000_000), 4, Readings(3_000_000, files=30), 2, (100, 1_000, 10_000, 100_000), 6, 100_000)


def measure(scale: Scale = QUICK, parts: Sequence[str] = ()) -> Table:
    """All of PARTS, or some."""
    table = Table(title="sensor readings through the rules of examples/sensors/fire.xceq, on Spark", caption=_CAPTION)
    table.add_column("what", no_wrap=True)
    for column in ("events", "by hand", "cera", "cera / by hand", "target"):
        table.add_column(column, justify="right")
    spark = benchmark_session()
    try:
        for part in parts or PARTS:
            PARTS[part](table, spark, scale)
    finally:
        spark.stop()
    return table


def benchmark_session() -> SparkSession:
    """Returns a session as all measurements have it."""
    settings = {"spark.driver.memory": "4g", "spark.sql.shuffle.partitions": "4"}
    return session("local[2]", settings, name="cera benchmarks")


def _batches(table: Table, spark: SparkSession, scale: Scale) -> None:
    for one in batch.compare(spark, scale.batches, scale.rounds):
        for what, cost in ((one.rule, one.cera), (f"{one.rule}, all columns", one.all_columns)):
            times = cost.over(one.by_hand)
            _said(f"{what} {one.events:,}: by hand {_seconds(one.by_hand)}, cera {_seconds(cost)}")
            table.add_row(
                f"batch, {what}",
                f"{one.events:,}",
                _seconds(one.by_hand),
                _seconds(cost),
                f"{times.seconds:.2f} ({times.cpu:.2f})",
                "at most 1.15" if cost is one.cera else "",
            )
    table.add_section()


def _stream(table: Table, spark: SparkSession, scale: Scale) -> None:
    runs = streaming.compare(spark, scale.stream, scale.stream_rounds, _said)
    hand, cera = runs["by hand"], runs["cera"]
    table.add_row(
        "stream, three rules, events/s",
        f"{scale.stream.events:,}",
        f"{hand.rate:,.0f} ({hand.cost.cpu:.1f})",
        f"{cera.rate:,.0f} ({cera.cost.cpu:.1f})",
        f"{cera.rate / hand.rate:.2f} ({cera.cpu_rate / hand.cpu_rate:.2f})",
        "at least 0.8",
    )
    for number, name in enumerate(("first", "second", "third", "last")):
        sizes = [max(_quarter(run.state, number)) for run in (hand, cera)]
        table.add_row(f"state in the {name} quarter, KiB", "", *(f"{size / 1024:,.0f}" for size in sizes), "", "")
    table.add_section()


def _keys(table: Table, spark: SparkSession, scale: Scale) -> None:
    for side in streaming.DETECT:  # not counted: it starts Python workers
        streaming.stream(spark, Readings(20_000, files=2), side)
    for sensors in scale.keys:
        readings = Readings(scale.key_batch * scale.key_batches, sensors, scale.key_batches)
        runs = {side: streaming.stream(spark, readings, side) for side in streaming.DETECT}
        hand, cera = runs["by hand"].usual_time, runs["cera"].usual_time
        _said(f"{sensors:,} sensors: by hand {runs['by hand'].times}, cera {runs['cera'].times}")
        table.add_row(
            f"micro-batch, {sensors:,} sensors, ms",
            f"{scale.key_batch:,}",
            f"{hand:,.0f}",
            f"{cera:,.0f}",
            f"{cera / hand:.2f}",
            "",
        )


def _quarter(numbers: Sequence[int], number: int) -> Sequence[int]:
    """One of four parts of at least four numbers."""
    first, last = (len(numbers) * place // 4 for place in (number, number + 1))
    return numbers[first:last]


def _seconds(cost: Cost) -> str:
    return f"{cost.seconds:.2f} ({cost.cpu:.2f})"


def _said(text: str) -> None:
    """Long work shows where it is."""
    print(text, file=sys.stderr, flush=True)


PARTS: Mapping[str, Callable[[Table, SparkSession, Scale], None]] = {
    "batch": _batches,
    "stream": _stream,
    "keys": _keys,
}
