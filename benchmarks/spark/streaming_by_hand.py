"""The three rules of `examples/sensors/fire.xceq` over a stream, as one writes them by hand for one's own table.

One stateful operator: a reading goes to its sensor, a high one and smoke to their area. Sensors and areas are taken
together in buckets, because a call of Python for each of them in each micro-batch costs more than the rules. The state
of a bucket is one pickled value. What is not before the watermark waits, so that disorder within the delay changes
nothing; a timer wakes a bucket in which something waits while no event comes.
"""

from __future__ import annotations

import heapq
import pickle
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, GroupedData
from pyspark.sql import functions as F
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)

SECOND = 1_000_000
MINUTE = 60 * SECOND
BUCKETS = 8

#: What a row is to its place: any reading to its sensor, a high one and smoke to their area.
READING, HIGH, SMOKE = 0, 1, 2

#: Label, begin, end, sensor or area, and the value of an average.
Alert = tuple[str, int, int, str, float | None]
OUTPUT = ("label", "begin", "end", "place", "value")


@dataclass
class Bucket:
    """What is remembered of the sensors and areas of a bucket."""

    waiting: list[tuple[int, int, str, float]] = field(default_factory=list)
    smoke: defaultdict[str, deque[int]] = field(default_factory=lambda: defaultdict(deque))
    readings: defaultdict[str, deque[tuple[int, float]]] = field(default_factory=lambda: defaultdict(deque))
    last_reading: dict[str, int] = field(default_factory=dict)
    silences: list[tuple[int, str]] = field(default_factory=list)
    timer: int | None = None


class Sensors(StatefulProcessor):
    """A bucket at a time."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._handle = handle
        self._state = handle.getValueState("bucket", "data binary")

    def handleInputRows(  # noqa: N802 - the names are Spark's
        self,
        key: Any,
        rows: Iterator[pd.DataFrame],
        timerValues: TimerValues,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        stored = self._state.get()
        bucket = pickle.loads(stored[0]) if stored else Bucket()
        for frame in rows:
            columns = (frame[name].tolist() for name in ("time", "kind", "place", "value"))
            bucket.waiting.extend(zip(*columns, strict=True))
        bucket.waiting.sort(key=itemgetter(0))
        yield self._advanced(bucket, timerValues)

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,
        timerValues: TimerValues,  # noqa: N803
        expiredTimerInfo: ExpiredTimerInfo,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        stored = self._state.get()
        if stored:
            bucket = pickle.loads(stored[0])
            bucket.timer = None
            yield self._advanced(bucket, timerValues)

    def close(self) -> None:
        pass

    def _advanced(self, bucket: Bucket, timer_values: TimerValues) -> pd.DataFrame:
        found = decided(bucket, timer_values.getCurrentWatermarkInMs() * 1_000)
        self._wake(bucket)
        self._state.update((pickle.dumps(bucket, protocol=5),))
        return pd.DataFrame(found, columns=OUTPUT)

    def _wake(self, bucket: Bucket) -> None:
        """The timer for what waits longest: the watermark must have passed it, in whole milliseconds."""
        due = [bucket.waiting[0][0]] if bucket.waiting else []
        due += [bucket.silences[0][0] + 12 * SECOND] if bucket.silences else []
        timer = min(due) // 1_000 + 1 if due else None
        if timer != bucket.timer:
            if bucket.timer is not None:
                self._handle.deleteTimer(bucket.timer)
            if timer is not None:
                self._handle.registerTimer(timer)
            bucket.timer = timer


def decided(bucket: Bucket, watermark: int) -> list[Alert]:
    """What the rules derive before the watermark."""
    found: list[Alert] = []
    smoke, readings, last_reading, silences = bucket.smoke, bucket.readings, bucket.last_reading, bucket.silences
    passed = 0
    for now, kind, place, value in bucket.waiting:
        if now >= watermark:
            break
        passed += 1
        while silences and silences[0][0] + 12 * SECOND < now:
            _end_silence(bucket, found)
        if kind == SMOKE:
            smoke[place].append(now)
            continue
        if kind == HIGH:
            times = smoke[place]
            while times and times[0] < now - MINUTE:
                times.popleft()
            found.extend(("fire", since, now, place, None) for since in times if since < now)
            continue
        if value > 40:
            heapq.heappush(silences, (now, place))
        last_reading[place] = now
        before = readings[place]
        while before and before[0][0] < now - MINUTE:
            before.popleft()
        if before:
            total = 0.0
            for _, earlier in before:
                total += earlier
            found.append(("avg_temp", now - MINUTE, now, place, total / len(before)))
        before.append((now, value))
    del bucket.waiting[:passed]
    while silences and silences[0][0] + 12 * SECOND < watermark:
        _end_silence(bucket, found)
    return found


def _end_silence(bucket: Bucket, found: list[Alert]) -> None:
    since, sensor = heapq.heappop(bucket.silences)
    if bucket.last_reading[sensor] == since:
        found.append(("burnt_down", since, since + 12 * SECOND, sensor, None))


def detect(events: DataFrame, delay: str, buckets: int = BUCKETS) -> DataFrame:
    """What the rules derive from a stream of readings."""
    return divided(events, delay, buckets).transformWithStateInPandas(
        statefulProcessor=Sensors(),
        outputStructType="label string, begin bigint, end bigint, place string, value double",
        outputMode="Append",
        timeMode="EventTime",
    )


def divided(events: DataFrame, delay: str, buckets: int = BUCKETS) -> GroupedData:
    """The rows of the operator, by their buckets."""
    is_smoke, is_high = F.col("label") == "smoke", F.col("value") > 40
    reading, high, smoke = F.lit(READING), F.lit(HIGH), F.lit(SMOKE)
    kinds = F.when(is_smoke, F.array(smoke)).when(is_high, F.array(reading, high)).otherwise(F.array(reading))
    place = F.when(F.col("kind") == READING, F.col("sensor")).otherwise(F.col("area"))
    return (
        events.withWatermark("at", delay)
        .select("area", "sensor", "value", F.unix_micros("at").alias("time"), F.explode(kinds).alias("kind"))
        .select(
            "time", "kind", place.alias("place"), "value", F.pmod(F.xxhash64(place), F.lit(buckets)).alias("bucket")
        )
        .groupBy("bucket")
    )
