"""Streams of events as streaming DataFrames of derived events.

    events ─▶ messages, packed for each operator and bucket ─▶ layer of operators ─▶ … ─▶ results

The stages up to the messages take no state and are native where the events are typed columns; a layer is one stateful
operator of Spark, in which the local engine runs for each of its own operators and buckets.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pyspark.sql import DataFrame

from cera.connectors.records.layout import Layout
from cera.engines.spark.division.operators import BUCKETS, may_repeat, operators
from cera.engines.spark.division.operators_in_columns import in_columns
from cera.engines.spark.reading.table_layout import table_layout
from cera.engines.spark.streaming.messages.left_out import StreamMetrics
from cera.engines.spark.streaming.results.compact import shapes
from cera.engines.spark.streaming.results.compact_columns import derived_events
from cera.engines.spark.streaming.sources.relation_versions import version_messages
from cera.engines.spark.streaming.sources.table_messages import table_messages
from cera.engines.spark.streaming.state.shell import results
from cera.model.events.answer_limits import RECURSION_LIMIT
from cera.model.events.relation_rows import NO_RELATIONS, RelationRows
from cera.model.time.time_text import TimeFormat
from cera.modules.layering import Layers
from cera.modules.rules.module import rules_of


def detect(
    layers: Layers,
    events: DataFrame,
    *,
    max_delay: int,
    max_duration: int | None = None,
    timezone: str = "UTC",
    buckets: int = BUCKETS,
    recursion_limit: int = RECURSION_LIMIT,
    left_out: bool = False,
    relations: Mapping[str, RelationRows] = NO_RELATIONS,
    announcements: Path | None = None,
) -> DataFrame:
    """Returns the derived events of a streaming DataFrame of events, as they are decided.

    The columns are those of the answers over recorded events: id, begin, end (microseconds), label, term (JSON), rule,
    causes (from identifiers to ids), recipient, transport. Durations are microseconds. Late events and rows that are
    not events are left out, and counted; with `left_out` they are rows too, with the reason. `announcements` is the
    folder for the versions of relations that are read again.
    """
    made = operators(
        layers,
        max_duration=max_duration,
        timezone=timezone,
        buckets=buckets,
        recursion_limit=recursion_limit,
        relations=relations,
    )
    made = in_columns(made)
    metrics = StreamMetrics()
    layout = Layout(times=TimeFormat(timezone=timezone))
    reading = metrics.read(events, layout, max_duration)
    known = () if may_repeat(made) else shapes(rules_of(layers))  # repeated events need their ids at once
    roles = table_layout(events.schema, layout)
    qualified = roles.id is not None or roles.state is not None  # openings of states announce ends in their qualifiers
    messages = table_messages(reading.tables, made, max_delay, qualified=qualified)
    if announcements is not None:
        messages = messages.unionByName(version_messages(events.sparkSession, announcements, made))
    flow = results(messages, made, shapes=known)
    derived = derived_events(flow, known, metrics, left_out=left_out)
    return derived.unionByName(reading.left_out(), allowMissingColumns=True) if left_out else derived
