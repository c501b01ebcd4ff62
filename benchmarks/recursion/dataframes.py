"""The rules of `closure.xceq` as a loop over DataFrames: `python -m benchmarks.recursion.dataframes EVENTS OUT`.

Semi-naive as well: what is new is joined with the links, and what is known already is taken off, until nothing is new.
Time is cut into hours, so that at a host only what is in the same hour or the ones beside it is compared.
"""

from __future__ import annotations

import sys

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

HOUR = 3_600_000_000
_COLUMNS = ("site", "source", "target", "begin", "end")


def closure(links: DataFrame) -> DataFrame:
    """Returns the paths over links, which are columns site, source, target and at, in microseconds."""
    further = links.select(
        "site",
        F.col("source").alias("target"),
        F.col("target").alias("next"),
        "at",
        F.explode(F.array(*(_hour("at") + beside for beside in (-1, 0, 1)))).alias("hour"),
    ).cache()
    new = links.select("site", "source", "target", F.col("at").alias("begin"), F.col("at").alias("end")).distinct()
    found = new = new.localCheckpoint()
    while not new.isEmpty():
        joined = new.withColumn("hour", _hour("begin")).join(further, ["site", "target", "hour"])
        begin, end = F.least("begin", "at"), F.greatest("end", "at")
        paths = joined.where(end - begin <= HOUR).select(
            "site", "source", F.col("next").alias("target"), begin.alias("begin"), end.alias("end")
        )
        new = paths.distinct().join(found, list(_COLUMNS), "left_anti").localCheckpoint()
        found = found.union(new).localCheckpoint()
    return found


def read(spark: SparkSession, events: str) -> DataFrame:
    records = spark.read.schema("type string, ts timestamp, site string, `from` string, `to` string").json(events)
    ends = (F.col("from").alias("source"), F.col("to").alias("target"))
    return records.select("site", *ends, F.unix_micros("ts").alias("at"))


def answers(paths: DataFrame) -> DataFrame:
    """Returns the lines of JSON that are written."""
    path = F.struct(F.col("source").alias("from"), "site", F.col("target").alias("to"))
    times = (F.timestamp_micros(name).alias(name) for name in ("begin", "end"))
    return paths.select(*times, F.struct(path.alias("path")).alias("term"))


def _hour(time: str) -> Column:
    return F.expr(f"{time} div {HOUR}")


def main(events: str, out: str) -> None:
    from benchmarks.spark.runner import benchmark_session

    spark = benchmark_session()
    answers(closure(read(spark, events))).write.mode("overwrite").json(out)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
