"""What a stream costs whose operator does nothing: the floor below which no engine inside of that operator can come.

The rows are those that the rules by hand get, or those that cera packs into messages, and they reach Python. There is
neither state nor a timer, and no row comes out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle, TimerValues

from benchmarks.local.workloads import PROGRAM
from benchmarks.spark.streaming_by_hand import divided
from cera.engines.spark.division.operators import operators
from cera.engines.spark.reading.frames import from_frame
from cera.engines.spark.streaming.messages.messages import SCHEMA
from cera.engines.spark.streaming.sources.table_messages import table_messages
from cera.program import load


class Nothing(StatefulProcessor):
    """Takes what comes."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        pass

    def handleInputRows(  # noqa: N802 - the names are Spark's
        self,
        key: Any,
        rows: Iterator[pd.DataFrame],
        timerValues: TimerValues,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        for _ in rows:
            pass
        yield from ()

    def close(self) -> None:
        pass


def of_rows(events: DataFrame, delay: str) -> DataFrame:
    """The rows of the rules by hand, to an operator that does nothing."""
    columns = "time bigint, kind int, place string, value double"
    return divided(events, delay).transformWithStateInPandas(Nothing(), columns, "Append", "EventTime")


def of_messages(events: DataFrame, max_delay: int) -> DataFrame:
    """The same for the messages of cera."""
    made = operators(load(PROGRAM).layers, max_duration=0)
    messages = table_messages(from_frame(events).tables, made, max_delay, qualified=False)
    by_bucket = messages.groupBy("operator", "bucket")
    return by_bucket.transformWithStateInPandas(Nothing(), SCHEMA, "Append", "EventTime")
