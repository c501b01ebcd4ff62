"""How far time has come: the watermark that Spark keeps, and the column that it is taken from."""

from __future__ import annotations

from pyspark.sql import DataFrame

#: The column of event times. It must not reach a stateful operator, which would drop late rows without a word.
EVENT_TIME = "event_time"


def with_watermark(frame: DataFrame, max_delay: int) -> DataFrame:
    """Time has passed what lies `max_delay` behind the latest event time. Rounded so that nothing is decided early:
    Spark counts milliseconds, takes the latest time down to one, and the delay is taken up to one."""
    return frame.withWatermark(EVENT_TIME, f"{-(-max_delay // 1000)} milliseconds")


def without_event_time(frame: DataFrame) -> DataFrame:
    return frame.select("operator", "bucket", "payload")
