"""Events of timers: the ticks of absolute timers as a table; those of relative timers beside their anchors.

Absolute timers tick between the first and the last end of the incoming events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import and_

from pyspark.sql import Column, DataFrame

from cera.engines.spark.plan.scopes import Environment
from cera.engines.spark.tables.event_rows import event_table
from cera.engines.spark.tables.event_tables import EventTable
from cera.engines.spark.tables.relations import BoundedTimer, Relation, Timer, WindowTimer, attribute, column
from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.temporal import DurationColumns, IntervalColumns, relative_timer, shift, window_begins
from cera.model.calendars.calendar_files import timer_events
from cera.model.calendars.tick_limits import check_timer_ticks
from cera.model.events.event import Event
from cera.model.expressions.expression import TimerQuery
from cera.model.time.bounded_windows import Bound, Bounds, MovedEdge
from cera.model.time.interval import MAX_TIME, MIN_TIME, Time
from cera.model.time.periodic_windows import Period
from cera.model.time.timers import SYNONYMS, TIMERS


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


def stream_begins(stream: tuple[EventTable, ...], until: Time | None) -> tuple[tuple[Time, Time], ...]:
    """Returns when events are known that begin before all others until then, each with its begin, in their order."""
    times = [table.frame.select(column("end"), column("begin")) for table in stream]
    if not times:
        return ()
    known = reduce(DataFrame.union, times)
    known = known if until is None else known.where(column("end") <= F.lit(until))
    [row] = known.agg(F.min(F.struct("end", "begin"))).collect()
    if row[0] is None:
        return ()
    first = (row[0]["end"], row[0]["begin"])
    earlier = known.where(column("begin") < F.lit(first[1])).groupBy("end").agg(F.min("begin").alias("begin"))
    found: list[tuple[Time, Time]] = [first]
    for end, begin in sorted((each["end"], each["begin"]) for each in earlier.collect()):
        if begin < found[-1][1]:
            found.append((end, begin))
    return tuple(found)


def timed(relation: Relation, identifier: str, timer: Timer) -> Relation:
    """Adds the times of a timer to each row; drops rows in which it does not occur."""
    anchor = IntervalColumns(*relation.interval(timer.anchor))
    if not timer.duration.months:
        return _moved(relation, identifier, timer, anchor)
    duration = DurationColumns(F.lit(timer.duration.microseconds), F.lit(timer.duration.months))
    begin, end, _ = relative_timer(timer.kind, anchor, duration)
    relation = relation.with_timer(identifier, timer, begin, end)
    return relation.where(column(attribute(identifier, "begin")).isNotNull())


def windowed(relation: Relation, identifier: str, period: Period, over: Sequence[str]) -> Relation:
    """Returns each row with every window of the period around some of its events."""
    begins = window_begins([IntervalColumns(*relation.interval(name)) for name in over], period)
    kept = [column(name) for name in relation.columns]
    name = attribute(identifier, "begin")
    # of a plain `explode` Spark would infer filters by the whole array, and from these more than it can look through
    frame = relation.frame.select(*kept, F.explode_outer(begins).alias(name)).where(column(name).isNotNull())
    end = column(name) + F.lit(period.length - 1)
    return replace(relation, frame=frame).with_timer(identifier, WindowTimer(period), column(name), end)


def bounded(relation: Relation, identifier: str, bounds: Bounds) -> Relation:
    """Returns each row with the window between two times; drops rows in which it does not happen."""
    begin, end = (_latest(relation, bound) for bound in (bounds.begin, bounds.end))
    relation = relation.with_timer(identifier, BoundedTimer(), begin, end)
    return relation.where(column(attribute(identifier, "begin")) <= column(attribute(identifier, "end")))


def _latest(relation: Relation, bound: Bound) -> Column:
    """Returns the latest of some points; null if one of them has no calendar date."""
    points = [_edge(relation, edge) for edge in bound]
    if len(points) == 1:
        return points[0]
    return F.when(reduce(and_, (point.isNotNull() for point in points)), F.greatest(*points))


def _edge(relation: Relation, edge: MovedEdge) -> Column:
    if edge.identifier is None:
        return F.lit(edge.by.microseconds).cast("bigint")
    begin, end = relation.interval(edge.identifier)
    return shift(begin if edge.edge == "begin" else end, edge.by)


def _moved(relation: Relation, identifier: str, timer: Timer, anchor: IntervalColumns) -> Relation:
    """Does the same for a duration of fixed length, by sums, with only the conditions that may be false."""
    edges = {"begin": anchor.begin, "end": anchor.end}
    (begin_edge, begin_sign), (end_edge, end_sign) = TIMERS[SYNONYMS[timer.kind]]
    first, last = begin_sign * timer.duration.microseconds, end_sign * timer.duration.microseconds
    begin, end = (edges[begin_edge] + F.lit(first), edges[end_edge] + F.lit(last))
    happens = [*_dated(edges[begin_edge], first), *_dated(edges[end_edge], last)]
    if first > last or (begin_edge, end_edge) == ("end", "begin"):
        happens.append(begin <= end)
    happens = happens or [anchor.begin.isNotNull()]
    return relation.where(reduce(and_, happens)).with_timer(identifier, timer, begin, end)


def _dated(time: Column, distance: int) -> list[Column]:
    """Returns the conditions under which a time moved by this distance stays within the calendar."""
    if abs(distance) > MAX_TIME - MIN_TIME:
        return [F.lit(False)]
    if distance == 0:
        return []
    return [time <= MAX_TIME - distance] if distance > 0 else [time >= MIN_TIME - distance]
