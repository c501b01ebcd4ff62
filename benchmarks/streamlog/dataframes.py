"""The listings as DataFrames of Spark: `python -m benchmarks.streamlog.dataframes NAME EVENTS OUT`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

_TERM = "struct<bid: struct<auctionID: bigint, itemID: string>, auction: struct<auctionID: bigint>>"


def bids(spark: SparkSession, events: str) -> DataFrame:
    """Returns the answers of Listing 5.1. A bid at the end of an auction is in it, one at its begin is not."""
    schema = f"at timestamp, begin timestamp, end timestamp, term {_TERM}"
    records = spark.read.schema(schema).json(events)
    made = records.where(F.col("term.bid").isNotNull()).select("at", "term.bid.*")
    ended = records.where(F.col("term.auction").isNotNull() & F.col("end").isNotNull())
    auctions = ended.select("begin", "end", "term.auction.auctionID")
    inside = (F.col("at") > F.col("begin")) & (F.col("at") <= F.col("end"))
    found = made.join(auctions, "auctionID").where(inside).groupBy("auctionID", "itemID", "begin", "end")
    answer = F.struct("auctionID", "itemID", "number")
    return found.agg(F.count("*").alias("number")).select(
        "begin", "end", F.struct(answer.alias("bidNumber")).alias("term")
    )


def temperature(spark: SparkSession, events: str) -> DataFrame:
    """Returns the answers of Listing 5.3."""
    readings = spark.read.schema("type string, ts timestamp, area string, value double").json(events)
    hours = F.window("ts", "1 hour", "30 minutes").alias("hour")
    found = readings.where("type = 'temp'").groupBy("area", hours).agg(F.avg("value").alias("value"))
    end = F.col("hour.end") - F.expr("interval 1 microsecond")
    answer = F.struct(F.struct("area", "value").alias("averageTemp")).alias("term")
    return found.select(F.col("hour.start").alias("begin"), end.alias("end"), answer)


QUERIES: Mapping[str, Callable[[SparkSession, str], DataFrame]] = {"bids": bids, "temperature": temperature}


def main(name: str, events: str, out: str) -> None:
    from benchmarks.spark.runner import benchmark_session

    spark = benchmark_session()
    written = QUERIES[name](spark, events).write.mode("overwrite")
    written.option("timestampFormat", "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX").json(out)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
