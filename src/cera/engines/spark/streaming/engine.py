"""Streams of events as streaming DataFrames of derived events.

    events ─▶ messages, packed for each operator and bucket ─▶ layer of operators ─▶ … ─▶ results

The stages up to the messages take no state and are native where the events are typed columns; a layer is one stateful
operator of Spark, in which the local engine runs for each of its own operators and buckets.
"""

from __future__ import annotations

from pyspark.sql import DataFrame

from cera.connectors.layout import Layout
from cera.engines.spark.frames import from_frame
from cera.engines.spark.streaming.compact import shapes
from cera.engines.spark.streaming.compact_columns import derived_events
from cera.engines.spark.streaming.distinct import may_repeat
from cera.engines.spark.streaming.layers import results
from cera.engines.spark.streaming.operators import BUCKETS, operators
from cera.engines.spark.streaming.table_messages import table_messages
from cera.model.time_text import TimeFormat
from cera.rules.rule import RuleProgram


def detect(
    program: RuleProgram,
    events: DataFrame,
    *,
    max_delay: int,
    max_duration: int | None = None,
    timezone: str = "UTC",
    buckets: int = BUCKETS,
) -> DataFrame:
    """The derived events of a streaming DataFrame of events, as they are decided.

    The columns are those of the answers over recorded events: id, begin, end (microseconds), label, term (JSON), rule,
    causes (from identifiers to ids), recipient, transport. Durations are microseconds. What is late, or no event, does
    not count.
    """
    made = operators(program, max_duration=max_duration, timezone=timezone, buckets=buckets)
    reading = from_frame(events, Layout(times=TimeFormat(timezone=timezone)))
    if max_duration is not None:
        reading = reading.lasting(max_duration)
    known = () if may_repeat(made) else shapes(program.rules)  # where events repeat, their ids must be known at once
    flow = results(table_messages(reading.tables, made, max_delay), made, shapes=known)
    return derived_events(flow, known)
