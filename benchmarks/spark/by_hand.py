"""The three rules of `examples/sensors/fire.xceq` as DataFrames, as one writes them by hand for one's own table.

They know that events are points of time, that no sensor reports twice at once, and that high readings and smoke are
few. What they give are the events that the rules derive: `begin`, `end`, and a column for each child.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

SECOND = 1_000_000
MINUTE = 60 * SECOND
SILENCE = 12 * SECOND

Rule = Callable[[DataFrame], DataFrame]


def fire(events: DataFrame) -> DataFrame:
    """Smoke and then a high temperature in the same area within a minute.

    Time is cut into minutes, so that within an area only what is in the same or the next minute is compared.
    """
    at = F.unix_micros("at")
    smoke = (
        events.where("label = 'smoke'")
        .select("area", at.alias("begin"))
        .withColumn("minute", F.explode(F.array(_period("begin", MINUTE), _period("begin", MINUTE) + 1)))
    )
    high = _high(events).select("area", at.alias("end")).withColumn("minute", _period("end", MINUTE))
    near = F.col("begin").between(F.col("end") - MINUTE, F.col("end") - 1)
    return high.join(F.broadcast(smoke), ["area", "minute"]).where(near).select("begin", "end", "area").distinct()


def burnt_down(events: DataFrame) -> DataFrame:
    """A high temperature and then no reading of the sensor for 12 seconds.

    The high readings are broadcast, and those that were followed by another are found in one pass over all readings,
    which stay where they are. `lead` over a window is shorter, but moves and sorts all of them.
    """
    at = F.unix_micros("at")
    high = _high(events).select("sensor", at.alias("begin"))
    waiting = high.withColumn("period", F.explode(F.array(_period("begin", SILENCE), _period("begin", SILENCE) + 1)))
    readings = events.where("label = 'temp'").select("sensor", at.alias("at"))
    readings = readings.withColumn("period", _period("at", SILENCE))
    within = F.col("at").between(F.col("begin") + 1, F.col("begin") + SILENCE)
    followed = readings.join(F.broadcast(waiting), ["sensor", "period"]).where(within).select("sensor", "begin")
    gone = high.join(followed, ["sensor", "begin"], "left_anti")
    return gone.select("begin", (F.col("begin") + SILENCE).alias("end"), "sensor")


def avg_temp(events: DataFrame) -> DataFrame:
    """For each reading the average of those of the sensor in the minute before."""
    readings = events.where("label = 'temp'").select("sensor", F.unix_micros("at").alias("end"), "value")
    before = Window.partitionBy("sensor").orderBy("end").rangeBetween(-MINUTE, -1)
    return (
        readings.withColumn("value", F.avg("value").over(before))
        .where("value is not null")
        .select((F.col("end") - MINUTE).alias("begin"), "end", "sensor", "value")
    )


def _high(events: DataFrame) -> DataFrame:
    return events.where("label = 'temp' and value > 40")


def _period(time: str, length: int) -> Column:
    return F.expr(f"{time} div {length}")


RULES: Mapping[str, Rule] = {"fire": fire, "burnt_down": burnt_down, "avg_temp": avg_temp}
