"""The watermark that Spark keeps, and the column from which it is taken."""

from __future__ import annotations

from pyspark.sql import DataFrame

#: The column of event times. It must not reach a stateful operator, which would drop late rows silently.
EVENT_TIME = "event_time"


def with_watermark(frame: DataFrame, max_delay: int) -> DataFrame:
    """Sets the watermark to `max_delay` behind the latest event time. Rounded so that nothing is decided early: Spark
    counts milliseconds and rounds the latest time down, so the delay is rounded up."""
    return frame.withWatermark(EVENT_TIME, f"{-(-max_delay // 1000)} milliseconds")


def without_event_time(frame: DataFrame) -> DataFrame:
    return frame.select("operator", "bucket", "payload")
