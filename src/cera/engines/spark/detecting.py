"""`program.detect`: derived events from a DataFrame of events, recorded or streaming."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cera.connectors.layout import Layout
from cera.engines.spark.engine import answers
from cera.engines.spark.frames import from_frame
from cera.engines.spark.streaming.engine import detect as detect_stream
from cera.engines.spark.streaming.left_out import tell_of
from cera.model.time_text import TimeFormat
from cera.rules.rule import RuleProgram


def detect(
    program: RuleProgram,
    events: DataFrame,
    *,
    max_delay: int,
    max_duration: int | None,
    timezone: str,
    left_out: bool = False,
) -> DataFrame:
    """The derived events: id, begin and end (timestamps), label, term (JSON), rule, causes, recipient, transport.

    With `left_out`, the rows that were late or are no events too, with the columns `left_out` (why) and `record`.
    """
    if events.isStreaming:
        tell_of(events.sparkSession)
        found = detect_stream(
            program, events, max_delay=max_delay, max_duration=max_duration, timezone=timezone, left_out=left_out
        )
    else:
        reading = from_frame(events, Layout(times=TimeFormat(timezone=timezone)))
        reading = reading if max_duration is None else reading.lasting(max_duration)
        found = answers(
            program, reading.tables, events.sparkSession, timezone=timezone, max_duration=max_duration
        ).events()
        if left_out:
            found = found.unionByName(reading.left_out(), allowMissingColumns=True)
    return found.withColumns({name: F.timestamp_micros(F.col(name)) for name in ("begin", "end")})
