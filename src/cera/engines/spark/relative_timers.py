"""X[i: kind[j, d]]: the events of relative timers, computed beside their anchors."""

from __future__ import annotations

from pyspark.sql import functions as F

from cera.engines.spark.relations import Relation, Timer
from cera.engines.spark.temporal import DurationColumns, IntervalColumns, relative_timer


def timed(relation: Relation, identifier: str, timer: Timer) -> Relation:
    """Each row with the times of a timer, where it happens."""
    months = F.lit(timer.duration.months) if timer.duration.months else None
    duration = DurationColumns(F.lit(timer.duration.microseconds), months)
    begin, end, _ = relative_timer(timer.kind, IntervalColumns(*relation.interval(timer.anchor)), duration)
    return relation.with_timer(identifier, timer, begin, end)
