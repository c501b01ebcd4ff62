"""The events of absolute timers as a table: those between the first and the last end of the incoming events."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cera.engines.spark.plan.scopes import Environment
from cera.engines.spark.tables.event_rows import event_table
from cera.engines.spark.tables.event_tables import EventTable
from cera.engines.spark.tables.relations import column
from cera.model.calendars.calendar_files import timer_events
from cera.model.calendars.tick_limits import check_timer_ticks
from cera.model.events.event import Event
from cera.model.expressions.expression import TimerQuery
from cera.model.time.interval import Time


def tick_table(
    timer: TimerQuery,
    stream: tuple[EventTable, ...],
    environment: Environment,
    until: Time | None,
    rules: str = "",
) -> EventTable:
    """Returns the occurrences of a timer. They are made here, so the ends of the stream are computed first."""
    events: list[Event] = []
    bounds = stream_ends(stream)
    if bounds is not None:
        first, last = bounds
        last = last if until is None else until
        calendars, limit = environment.calendars, environment.tick_limit
        check_timer_ticks(timer, calendars, first, last, environment.timezone, limit, rules)
        for event in timer_events(timer, environment.calendars, first, last, environment.timezone):
            if event.end >= first and (until is None or event.end <= until):
                events.append(event)
    environment.ticks.update((event.id, event) for event in events)
    return event_table(environment.spark, events)


def stream_ends(stream: tuple[EventTable, ...]) -> tuple[Time, Time] | None:
    """Returns the first and the last end of the events."""
    ends = [table.frame.select(column("end")) for table in stream]
    if not ends:
        return None
    [row] = reduce(DataFrame.union, ends).agg(F.min("end"), F.max("end")).collect()
    return None if row[0] is None else (row[0], row[1])
