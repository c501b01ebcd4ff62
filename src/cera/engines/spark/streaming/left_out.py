"""What a stream leaves out: late events, rows that are no events, expressions without a value.

They are counted for each micro-batch by metrics that Spark observes, and told of by the logger `cera`. Each use of
`detect` has metrics of its own, so that a query may have several.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.listener import (
    QueryIdleEvent,
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryListener,
)

from cera.engines.spark.readings import LEFT_OUT
from cera.engines.spark.relations import column
from cera.engines.spark.tables import EventTable

#: Why an event was left out that came too late.
LATE = "late"
#: How many expressions had no value, in rows that are there for nothing else.
MISSING = "missing"

_METRICS = "cera"
_NUMBERS = itertools.count(1)
_LOG = logging.getLogger("cera")
_WATCHED: set[str] = set()


@dataclass(frozen=True)
class Counts:
    """What there was in a micro-batch: events, those of them that were late, rows that were no events, and how often
    an expression had no value."""

    events: int = 0
    late: int = 0
    rejected: int = 0
    undefined: int = 0


class Counting:
    """The metrics of one use of `detect`."""

    def __init__(self) -> None:
        self._number = next(_NUMBERS)

    def rows(self, frame: DataFrame) -> DataFrame:
        """All rows, before they are read."""
        return self._observed(frame, "rows", F.count("*").alias("rows"))

    def events(self, tables: Sequence[EventTable]) -> tuple[EventTable, ...]:
        """Those that are events."""
        counted = F.count("*").alias("events")
        frames = [self._observed(table.frame, f"events {place}", counted) for place, table in enumerate(tables)]
        return tuple(replace(table, frame=frame) for table, frame in zip(tables, frames, strict=True))

    def results(self, frame: DataFrame) -> DataFrame:
        """What came out of the operators: LEFT_OUT and MISSING are null for derived events."""
        reason, missing = column(LEFT_OUT), column(MISSING)
        return self._observed(
            frame,
            "results",
            F.count_if(reason == LATE).alias("late"),
            F.count_if(reason != LATE).alias("rejected"),
            F.coalesce(F.sum(missing), F.lit(0)).alias("undefined"),
        )

    def _observed(self, frame: DataFrame, what: str, *metrics: Column) -> DataFrame:
        return frame.observe(f"{_METRICS} {self._number} {what}", *metrics)


def counts(progress: Mapping[str, Any]) -> Counts:
    """The counts of a micro-batch, over all uses of `detect` in the query, from its progress as Spark tells it."""
    found: dict[str, int] = dict.fromkeys(("rows", "events", "late", "rejected", "undefined"), 0)
    for name, row in (progress.get("observedMetrics") or {}).items():
        if name.startswith(f"{_METRICS} "):
            metrics = row if isinstance(row, Mapping) else row.asDict()
            for metric, number in metrics.items():
                found[metric] += number
    unread = found["rows"] - found["events"]
    return Counts(found["events"], found["late"], found["rejected"] + unread, found["undefined"])


def tell_of(spark: SparkSession) -> None:
    """From now on, what streams of the session leave out is told of by the logger `cera`."""
    name = spark._jsparkSession.sessionUUID()
    if name not in _WATCHED:
        _WATCHED.add(name)
        spark.streams.addListener(_Teller())


def told(left: Counts) -> str | None:
    """`3 events late, 1 row rejected`; None if nothing was left out."""
    names = {"late": "late", "rejected": "rejected", "undefined": "without a value"}
    things = {"late": "event", "rejected": "row", "undefined": "expression"}
    parts = [
        f"{number:,} {things[name]}{'' if number == 1 else 's'} {names[name]}"
        for name, number in asdict(left).items()
        if name in names and number
    ]
    return ", ".join(parts) or None


class _Teller(StreamingQueryListener):
    def onQueryStarted(self, event: QueryStartedEvent) -> None:  # noqa: N802
        pass

    def onQueryProgress(self, event: QueryProgressEvent) -> None:  # noqa: N802
        progress = event.progress
        said = told(counts(progress))
        if said is not None:
            _LOG.warning("stream %s, batch %s: %s", progress.name or progress.id, progress.batchId, said)

    def onQueryIdle(self, event: QueryIdleEvent) -> None:  # noqa: N802
        pass

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:  # noqa: N802
        pass
