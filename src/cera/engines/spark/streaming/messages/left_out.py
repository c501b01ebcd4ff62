"""Counts of what a stream leaves out: late events, rows that are not events, expressions without a value, events
without the attribute by which a module divides them.

Metrics that Spark observes count them for each micro-batch, and the logger `cera` reports them. Each use of
`detect` has metrics of its own, so that a query may have several.
"""

from __future__ import annotations

import itertools
import json
import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, ClassVar

from pyspark import SparkContext
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.listener import (
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryListener,
)

from cera.connectors.records.layout import Layout
from cera.engines.spark.reading.frames import from_frame
from cera.engines.spark.reading.source_tables import SourceTables
from cera.engines.spark.streaming.messages.messages import RESULT_COUNTS, RESULTS_MARK
from cera.engines.spark.tables.event_tables import Flat
from cera.engines.spark.tables.relations import column

#: The reason for leaving out a late event.
LATE = "late"

_METRICS = "cera"
_NUMBERS = itertools.count(1)
_LOG = logging.getLogger("cera")
_WATCHED: set[str] = set()

#: The words for the counts.
_WORDS = {
    "late": ("event", "late"),
    "rejected": ("row", "rejected"),
    "undefined": ("expression", "without a value"),
    "without_key": ("event", "without the attribute that a module is partitioned by"),
    "repaired": ("end", "of states that came late repaired"),
}


@dataclass(frozen=True)
class Counts:
    """Counts of a micro-batch: events, late events, rows that were not events, how often an expression had no value,
    how many events lacked the attribute that a module is partitioned by (once for each such module), and how many ends
    of states came too late and were moved on."""

    events: int = 0
    late: int = 0
    rejected: int = 0
    undefined: int = 0
    without_key: int = 0
    repaired: int = 0


class StreamMetrics:
    """The metrics of one use of `detect`. Those of the same name in several uses are added up."""

    def __init__(self) -> None:
        self._number = next(_NUMBERS)

    def read(self, events: DataFrame, layout: Layout, max_duration: int | None) -> SourceTables:
        """Reads the events of a frame; counts them, and the rows that are not events."""
        reading = from_frame(events, layout, watch=self._rows)
        typed = all(isinstance(table.content, Flat) for table in reading.tables)
        if typed and (max_duration is None or all(table.points for table in reading.tables)):
            return reading  # one metric has all counts
        reading = from_frame(self._observed(events, "rows", F.count("*").alias("rejected")), layout)
        if max_duration is not None:
            reading = reading.reject_longer(max_duration)
        metrics = F.count("*").alias("events"), (-F.count("*")).alias("rejected")
        frames = [self._observed(table.frame, f"events {n}", *metrics) for n, table in enumerate(reading.tables)]
        tables = [replace(table, frame=frame) for table, frame in zip(reading.tables, frames, strict=True)]
        return replace(reading, tables=tuple(tables))

    def _rows(self, frame: DataFrame, met: Column) -> DataFrame:
        unmet = ~F.coalesce(met, F.lit(False))
        return self._observed(frame, "rows", F.count_if(met).alias("events"), F.count_if(unmet).alias("rejected"))

    def results(self, messages: DataFrame) -> DataFrame:
        """Returns the output of the operators, as messages. Each begins with how much was left out."""
        start = F.hex(F.substring(column("payload"), 1, 1 + RESULT_COUNTS.size))
        marked = F.substring(start, 1, 2) == RESULTS_MARK.hex()

        def total(place: int) -> Column:
            number = F.conv(F.substring(start, 3 + 16 * place, 16), 16, 10).cast("bigint")
            return F.coalesce(F.sum(F.when(marked, number)), F.lit(0))

        names = ("late", "rejected", "undefined", "without_key", "repaired")
        return self._observed(messages, "results", *(total(place).alias(name) for place, name in enumerate(names)))

    def _observed(self, frame: DataFrame, what: str, *metrics: Column) -> DataFrame:
        return frame.observe(f"{_METRICS} {self._number} {what}", *metrics)


def counts(progress: Mapping[str, Any]) -> Counts:
    """Returns the counts of a micro-batch, over all uses of `detect` in the query, from Spark's progress."""
    found = dict.fromkeys((field.name for field in fields(Counts)), 0)
    for name, row in (progress.get("observedMetrics") or {}).items():
        if name.startswith(f"{_METRICS} "):
            metrics = row if isinstance(row, Mapping) else row.asDict()
            for metric, number in metrics.items():
                found[metric] += number
    return Counts(**found)


def log_left_out(spark: SparkSession) -> None:
    """Lets the logger `cera` report what streams of the session leave out from now on."""
    name = spark._jsparkSession.sessionUUID()
    if name not in _WATCHED:
        _WATCHED.add(name)
        spark.streams.addListener(_LeftOutLogger())


def summary(left: Counts) -> str | None:
    """Returns `3 events late, 1 row rejected`; None if nothing was left out."""
    parts = [
        f"{number:,} {thing}{'' if number == 1 else 's'} {what}"
        for name, (thing, what) in _WORDS.items()
        if (number := asdict(left)[name])
    ]
    return ", ".join(parts) or None


class _LeftOutLogger(StreamingQueryListener):
    """Listener of Spark's streams that takes the progress of a micro-batch as a text.

    pyspark's own way to it asks Java for every number by itself, several hundred times for each micro-batch.
    """

    @property
    def _jlistener(self) -> Any:
        jvm: Any = SparkContext._jvm
        return jvm.PythonStreamingQueryListenerWrapper(ProgressListener())

    def onQueryStarted(self, event: QueryStartedEvent) -> None:  # noqa: N802 - the names are Spark's
        pass

    def onQueryProgress(self, event: QueryProgressEvent) -> None:  # noqa: N802
        pass

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:  # noqa: N802
        pass


class ProgressListener:
    """What Java calls, with events of its own: reports what was left out."""

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802
        pass

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802
        progress = json.loads(event.progress().json())
        said = summary(counts(progress))
        if said is not None:
            _LOG.warning("stream %s, batch %s: %s", progress["name"] or progress["id"], progress["batchId"], said)

    def onQueryIdle(self, event: Any) -> None:  # noqa: N802
        pass

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
        pass

    class Java:
        """The interface, as py4j asks for it."""

        implements: ClassVar = ["org.apache.spark.sql.streaming.PythonStreamingQueryListener"]
