"""X[i: kind[j, d]]: the events of relative timers, computed beside their anchors."""

from __future__ import annotations

from functools import reduce
from operator import and_

from pyspark.sql import Column
from pyspark.sql import functions as F

from cera.engines.spark.tables.relations import Relation, Timer, attribute, column
from cera.engines.spark.values.temporal import DurationColumns, IntervalColumns, relative_timer
from cera.model.time.interval import MAX_TIME, MIN_TIME
from cera.model.time.timers import SYNONYMS, TIMERS


def timed(relation: Relation, identifier: str, timer: Timer) -> Relation:
    """Adds the times of a timer to each row; drops rows in which it does not occur."""
    anchor = IntervalColumns(*relation.interval(timer.anchor))
    if not timer.duration.months:
        return _moved(relation, identifier, timer, anchor)
    duration = DurationColumns(F.lit(timer.duration.microseconds), F.lit(timer.duration.months))
    begin, end, _ = relative_timer(timer.kind, anchor, duration)
    relation = relation.with_timer(identifier, timer, begin, end)
    return relation.where(column(attribute(identifier, "begin")).isNotNull())


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
