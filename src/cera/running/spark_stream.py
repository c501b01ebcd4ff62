"""A program over events as they come, on Spark: its operators, and the stream that they make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict

from cera.errors import EngineError
from cera.model.calendars.tick_limits import TICK_LIMIT
from cera.modules.layering import Layers
from cera.running.refreshing import StreamRelations
from cera.running.run import StreamRun
from cera.running.streams.request import StreamRequest

if TYPE_CHECKING:
    from cera.engines.spark.streaming.checkpoint import Checkpoint
    from cera.engines.spark.streaming.live import LiveStream


def open_stream(run: StreamRun) -> LiveStream:
    """Divides a program into operators, and opens its checkpoint. Raises EngineError if pyspark is not installed."""
    try:
        from cera.engines.spark.streaming.live import LiveStream
    except ImportError as error:
        raise EngineError(f"`cera stream` needs Spark ({error}); install it with: pip install 'cera[spark]'") from error
    from cera.engines.spark.division.operators import BUCKETS, operators
    from cera.engines.spark.division.operators_in_columns import in_columns
    from cera.engines.spark.streaming.checkpoint import Checkpoint

    checkpoint = Checkpoint(run.request.checkpoint)
    given, folder = run.request.relations, checkpoint.relations
    relations = StreamRelations(run.layers, given, run.timezone, folder, run.listener.unread)
    request = replace(run.request, max_duration=longest_event(run.request, checkpoint))
    made = operators(
        run.layers,
        max_duration=request.max_duration,
        timezone=run.timezone,
        buckets=request.buckets or BUCKETS,
        tick_limit=request.tick_limit or TICK_LIMIT,
        recursion_limit=request.recursion_limit,
        acting=run.acting,
        relations=relations.rows,
    )
    run.listener.operators([operator.description() for operator in made])
    if checkpoint.takes_columns():
        made = in_columns(made)
    return LiveStream(made, request, run.listener, relations)


class ExplainedOperator(TypedDict):
    """An operator of a stream, and why it is answered event by event; None if it is in columns."""

    operator: str
    reason: str | None


def explained_operators(layers: Layers, *, max_duration: int | None, timezone: str) -> list[ExplainedOperator]:
    """Explains how a program runs over a stream that is new."""
    from cera.engines.spark.division.operators import operators
    from cera.engines.spark.division.operators_in_columns import why_not_in_columns

    made = operators(layers, max_duration=max_duration, timezone=timezone)
    return [{"operator": each.description(), "reason": why_not_in_columns(each)} for each in made]


def operator_lines(explained: Sequence[ExplainedOperator]) -> Iterator[str]:
    """Yields the lines of this explanation as text."""
    yield "on streams:"
    for each in explained:
        reason = each["reason"]
        way = "in columns, where the events are flat" if reason is None else f"event by event, because {reason}"
        yield f"  {each['operator']}: {way}"


def longest_event(request: StreamRequest, checkpoint: Checkpoint) -> int | None:
    """Returns how long an event may last: 0 where all sources have points of time, unless the request says otherwise.

    A checkpoint of a run without such a promise goes on without it.
    """
    if request.max_duration is not None:
        return request.max_duration
    points = all(each.source.is_points(request.layout) for each in request.sources)
    return 0 if points and checkpoint.promised_duration() is not False else None
