"""The same on Spark: a recording as DataFrames, and a stream in micro-batches, each with and without constraints.

Of a recording: CPU time, and what is in the plan of Spark and goes through its exchanges. Of a stream: CPU time, the
state after each micro-batch, in tuples and as Spark reports it, and how long after the event that decides an answer the
micro-batch ends that gives it, in time of the stream. Answers are compared by their ids.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.listener import StreamingQueryListener
from rich.table import Table

import cera.spark
from benchmarks.semantic.measuring import FirstEnds, first_ends
from benchmarks.semantic.queries import AUCTIONS, JOINS, Query
from benchmarks.semantic.workloads import WORKLOADS
from benchmarks.spark.measuring import Clock
from benchmarks.spark.runner import benchmark_session
from cera.connectors.records.layout import Layout
from cera.connectors.sink import StandardOutput
from cera.connectors.source import source_of
from cera.diagnostics import Source
from cera.model.events.occurrence import Occurrence
from cera.model.time.time_text import TimeFormat
from cera.program import Program, load
from cera.running.engine import stream
from cera.running.run import StreamRun
from cera.running.streams.listener import StreamListener
from cera.running.streams.request import StreamRequest, StreamSource
from cera.running.streams.running_stream import BatchReport

_JOIN = re.compile(r"^[\s:+*()\d-]*\w*Join\b", re.MULTILINE)
_EXCHANGE = re.compile(r"^[\s:+*()\d-]*Exchange\b", re.MULTILINE)

_OF_BATCHES = ("withBids", "bargain", "underdog", "lowered", "profitable")
_OF_STREAMS = ("offered", "bidNumber", "unsold", "lowered", "withBids")
PARTS = ("recording", "stream")


def measure(
    events: Sequence[Occurrence], files: int, repeat: int, parts: Sequence[str], told: Callable[[str], object]
) -> Iterator[Table]:
    """Yields a table of a recording and one of a stream, or one of these parts."""
    spark = benchmark_session()
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")  # as of tables that are too large for that
    try:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            if "recording" in parts:
                yield _recordings(spark, events, Path(folder), repeat, told)
            if "stream" in parts:
                yield _streams(spark, events, Path(folder), files, told)
    finally:
        spark.stop()


def _queries(names: Sequence[str]) -> list[Query]:
    known = {query.name: query for query in (*AUCTIONS, *JOINS)}
    return [known[name] for name in names]


def _versions(query: Query) -> dict[str, Program]:
    text = Source("queries.slog", query.text)
    return {"without": load(text), "with": load(text, constraints=WORKLOADS["auctions"].constraints)}


# Recordings.


@dataclass(frozen=True)
class Recorded:
    """A run over a recording; what goes through exchanges is what Spark reports of its stages."""

    answers: frozenset[str]
    cpu: float
    seconds: float
    joins: int
    exchanges: int
    rows: int
    megabytes: float


def _recordings(
    spark: SparkSession, events: Sequence[Occurrence], folder: Path, repeat: int, told: Callable[[str], object]
) -> Table:
    path = folder / "events.parquet"
    names = sorted({name for each in events for name in each.content or ()})
    columns = {name: [None if e.content is None else e.content.get(name) for e in events] for name in names}
    times = pa.array([each.end for each in events], pa.timestamp("us", "UTC"))
    pq.write_table(pa.table({"type": [each.label for each in events], "ts": times, **columns}), path)
    title = f"a recording of {len(events):,} events on Spark"
    table = _table(title, "joins", "exchanges", "rows in them", "MB in them")
    for query in _queries(_OF_BATCHES):
        best: dict[str, Recorded] = {}
        versions = _versions(query)
        for number in range(repeat + 1):  # the first round, in which Spark compiles its plans, does not count
            for version, program in versions.items():
                run = _recorded(spark, program, path)
                if number and (version not in best or run.cpu < best[version].cpu):
                    best[version] = run
        plain, other = best["without"], best["with"]
        _same(query, plain.answers, other.answers)
        told(f"{query.name}: {plain.cpu:.1f} / {other.cpu:.1f} s of CPU")
        table.add_row(
            query.name,
            f"{len(plain.answers):,}",
            *_times(plain.cpu, other.cpu),
            f"{plain.seconds:.1f} / {other.seconds:.1f}",
            f"{plain.joins} / {other.joins}",
            f"{plain.exchanges} / {other.exchanges}",
            f"{plain.rows:,} / {other.rows:,}",
            f"{plain.megabytes:.2f} / {other.megabytes:.2f}",
        )
    return table


def _recorded(spark: SparkSession, program: Program, path: Path) -> Recorded:
    events = cera.spark.events(spark.read.parquet(str(path)), label="type", time="ts")
    found: list[DataFrame] = []
    ids: list[Any] = []

    def work() -> None:
        found.append(program.detect(events, max_duration=0))
        ids.extend(row["id"] for row in found[0].collect())

    before = _stages(spark)
    began = time.process_time()
    cost = Clock(spark).cost(work)
    own = time.process_time() - began
    plan = found[0]._jdf.queryExecution().executedPlan().toString()
    written = [each for number, each in _stages(spark).items() if number not in before]
    return Recorded(
        frozenset(ids),
        cost.cpu + own,
        cost.seconds,
        len(_JOIN.findall(_final(plan))),
        len(_EXCHANGE.findall(_final(plan))),
        sum(rows for rows, _ in written),
        sum(size for _, size in written) / 2**20,
    )


def _final(plan: str) -> str:
    """Returns the plan that ran, without the one that Spark began with."""
    return plan.partition("== Initial Plan ==")[0]


def _stages(spark: SparkSession) -> dict[int, tuple[int, int]]:
    """Returns the rows and bytes that each stage so far has written for an exchange."""
    store = spark.sparkContext._jsc.sc().statusStore()
    found: dict[int, tuple[int, int]] = {}
    number = missing = 0
    while missing < 50:  # stages that were skipped have no figures
        try:
            stage = store.lastStageAttempt(number)
            found[number] = (stage.shuffleWriteRecords(), stage.shuffleWriteBytes())
            missing = 0
        except Py4JJavaError:
            missing += 1
        number += 1
    return found


# Streams.


@dataclass
class Streamed(StreamListener):
    """What a run over a stream gave, micro-batch by micro-batch."""

    first: FirstEnds
    query: Query
    #: The last end of the events in each file, and so in each micro-batch.
    ends: Sequence[int]
    answers: set[str] = field(default_factory=set)
    tuples: list[int] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    cpu: float = 0.0
    #: What Spark reports of each micro-batch.
    reports: list[Mapping[str, Any]] = field(default_factory=list)
    _batches: int = 0

    def lines(self, lines: Sequence[str]) -> None:
        now = self.ends[min(self._batches, len(self.ends) - 1)]
        self._batches += 1
        for line in map(json.loads, lines):
            if line["end"] <= self.ends[-1]:  # a stream flushes nothing: what ends later is not there in both versions
                self.answers.add(line["id"])
            [content] = line["term"].values()
            keys = [(label, *(content[name] for name in names)) for label, names in self.query.decided_by]
            decided = min((self.first[key] for key in keys if key in self.first), default=None)
            if decided is not None and decided <= now:
                self.waits.append((now - decided) / 1e6)

    def batch(self, report: BatchReport) -> None:
        self.tuples.append(report.live)

    def of_spark(self, name: str) -> list[float]:
        """Returns a figure of all stateful operators after each micro-batch with events."""
        with_events = [each for each in self.reports if each["numInputRows"]]
        return [
            sum(float({**each, **each["customMetrics"]}.get(name, 0)) for each in report["stateOperators"])
            for report in with_events
        ]


class _Reports(StreamingQueryListener):
    """Keeps what Spark reports of micro-batches."""

    def __init__(self) -> None:
        self.found: list[Mapping[str, Any]] = []

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802  # as Spark calls it
        pass

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802  # as Spark calls it
        self.found.append(json.loads(event.progress.json))

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802  # as Spark calls it
        pass


def _streams(
    spark: SparkSession, events: Sequence[Occurrence], folder: Path, files: int, told: Callable[[str], object]
) -> Table:
    source, ends = _files(events, folder / "stream", files)
    table = _table(
        f"a stream of {len(events):,} events in {files} micro-batches on Spark",
        *("tuples in state, mean", "times", "rows of Spark", "MB written for state", "MB of state", "wait s"),
        "ms a micro-batch",
    )
    queries = _queries(_OF_STREAMS)
    first = first_ends(queries, events)
    _streamed(spark, _versions(queries[0])["with"], Streamed(first, queries[0], ends), source)  # it starts the workers
    for query in queries:
        runs: dict[str, Streamed] = {}
        for version, program in _versions(query).items():
            runs[version] = _streamed(spark, program, Streamed(first, query, ends), source)
        plain, other = runs["without"], runs["with"]
        _same(query, plain.answers, other.answers)
        tuples = f"{fmean(plain.tuples):,.0f} / {fmean(other.tuples):,.0f} tuples"
        told(f"{query.name}: {plain.cpu:.1f} / {other.cpu:.1f} s of CPU, {tuples}")
        busy = [[each["durationMs"]["triggerExecution"] for each in run.reports] for run in (plain, other)]
        written = "rocksdbTotalBytesWritten"
        table.add_row(
            query.name,
            f"{len(plain.answers):,}",
            *_times(plain.cpu, other.cpu),
            f"{sum(busy[0]) / 1000:.0f} / {sum(busy[1]) / 1000:.0f}",
            f"{fmean(plain.tuples):,.0f} / {fmean(other.tuples):,.0f}",
            f"{fmean(plain.tuples) / max(fmean(other.tuples), 1):,.1f}",
            f"{fmean(plain.of_spark('numRowsTotal')):,.0f} / {fmean(other.of_spark('numRowsTotal')):,.0f}",
            f"{sum(plain.of_spark(written)) / 2**20:.1f} / {sum(other.of_spark(written)) / 2**20:.1f}",
            f"{_megabytes(plain):.2f} / {_megabytes(other):.2f}",
            f"{fmean(plain.waits):,.0f} / {fmean(other.waits):,.0f}" if plain.waits and other.waits else "",
            f"{fmean(busy[0]):,.0f} / {fmean(busy[1]):,.0f}",
        )
    return table


def _megabytes(run: Streamed) -> float:
    return fmean(run.of_spark("memoryUsedBytes")) / 2**20


def _files(events: Sequence[Occurrence], folder: Path, files: int) -> tuple[Path, list[int]]:
    """Writes the events into files, as a source of streams; returns when the events of each end."""
    folder.mkdir()
    size = -(-len(events) // files)
    ends: list[int] = []
    for number, at in enumerate(range(0, len(events), size)):
        piece = events[at : at + size]
        path = folder / f"{number:04}.jsonl"
        records = ({"type": each.label, "ts": each.end, **(each.content or {})} for each in piece)
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))
        ends.append(piece[-1].end)
    return folder, ends


def _streamed(spark: SparkSession, program: Program, found: Streamed, source: Path) -> Streamed:
    reports = _Reports()
    spark.streams.addListener(reports)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as checkpoint:
        request = StreamRequest(
            sources=(StreamSource(source_of(str(source))),),
            sink=StandardOutput(),
            checkpoint=Path(checkpoint) / "state",
            layout=Layout(label_field="type", time_field="ts", times=TimeFormat(unit="us")),
            max_delay=0,
            max_duration=0,
            once=True,
            files_a_batch=1,
            buckets=4,
            master="local[2]",
        )
        running = stream(StreamRun(program.layers, program.timezone, request, found, frozenset()))
        began = time.process_time()
        cost = Clock(spark).cost(lambda: running.run(lambda events: None))
        found.cpu = cost.cpu + time.process_time() - began
    time.sleep(1)  # the last reports come later
    spark.streams.removeListener(reports)
    found.reports = reports.found
    return found


# Tables.


def _same(query: Query, plain: set[str] | frozenset[str], other: set[str] | frozenset[str]) -> None:
    if plain != other:
        raise SystemExit(f"{query.name}: with constraints {len(plain ^ other):,} answers are other ones")


def _times(plain: float, other: float) -> tuple[str, str]:
    return f"{plain:.1f} / {other:.1f}", f"{plain / other:.2f}"


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, caption="without constraints / with; CPU of Spark, its workers and this process")
    table.add_column("query", no_wrap=True)
    for column in ("answers", "CPU s", "times", "s", *columns):
        table.add_column(column, justify="right", no_wrap=True)
    return table
