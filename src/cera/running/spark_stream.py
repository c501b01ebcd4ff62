"""A program over events as they come, on Spark: its operators, and the stream that they make."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cera.errors import EngineError
from cera.model.calendars.tick_limits import TICK_LIMIT
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
    return LiveStream(made, request, run.listener, relations)


def longest_event(request: StreamRequest, checkpoint: Checkpoint) -> int | None:
    """Returns how long an event may last: 0 where all sources have points of time, unless the request says otherwise.

    A checkpoint of a run without such a promise goes on without it.
    """
    if request.max_duration is not None:
        return request.max_duration
    points = all(each.source.is_points(request.layout) for each in request.sources)
    return 0 if points and checkpoint.promised_duration() is not False else None
