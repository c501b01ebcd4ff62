"""The rules as DataFrames that are written by hand: a file as a batch, or a folder of files as a stream.

Those over sensors are the ones of `benchmarks.spark`; a stream has all three in one operator.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from benchmarks.peers.on_spark import SCHEMA, SETTINGS, read, streamed
from benchmarks.peers.tasks import DAY, HOUR, Task
from benchmarks.peers.turns import given, take_turns
from benchmarks.spark import by_hand, streaming_by_hand


def approved(events: DataFrame) -> DataFrame:
    sent = events.where("type = 'O_SENT'").select("case", F.col("ts").alias("begin"))
    pairs = sent.join(events.where("type = 'A_APPROVED'").select("case", F.col("ts").alias("end")), "case")
    return pairs.where(f"`end` > `begin` and `end` <= `begin` + {30 * DAY}").distinct()


def unanswered(events: DataFrame) -> DataFrame:
    sent = events.where("type = 'O_SENT'").select("case", F.col("ts").alias("begin"))
    back = events.where("type = 'O_SENT_BACK'").select("case", F.col("ts").alias("back"))
    in_time = F.col("back").between(F.col("begin"), F.col("begin") + 14 * DAY)
    answered = sent.join(back, "case").where(in_time).select("case", "begin")
    return sent.join(answered, ["case", "begin"], "left_anti").withColumn("end", F.col("begin") + 14 * DAY)


def amounts(events: DataFrame) -> DataFrame:
    last = Window.orderBy("ts").rangeBetween(-HOUR, 0)
    number = F.count("*").over(last)
    mean = (F.sum("amount").over(last) - F.col("amount")) / (number - 1)
    times = ((F.col("ts") - HOUR).alias("begin"), F.col("ts").alias("end"))
    submitted = events.where("type = 'A_SUBMITTED'")
    return submitted.select(*times, "case", number.alias("number"), mean.alias("mean")).where("number > 1")


RULES: dict[str, Callable[[DataFrame], DataFrame]] = {
    "join": by_hand.fire,
    "absence": by_hand.burnt_down,
    "average": by_hand.avg_temp,
    "approved": approved,
    "unanswered": unanswered,
    "amounts": amounts,
}


def batch(events: DataFrame, task: Task, answers: str | None) -> int:
    if not task.loans:
        events = with_timestamps(events)
    found = 0
    for rule in task.rules:
        rows = RULES[rule](events)
        if answers is None:
            found += rows.count()
        else:
            folder = f"{answers}.{rule}"
            shutil.rmtree(folder, ignore_errors=True)
            rows.write.json(folder)
            found += events.sparkSession.read.text(folder).count()
    return found


def with_timestamps(events: DataFrame) -> DataFrame:
    at = F.timestamp_millis("ts").alias("at")
    return events.select(F.col("type").alias("label"), at, "area", "sensor", "value")


def main() -> None:
    task, path, answers = given()
    builder = SparkSession.builder.master("local[2]")
    settings = SETTINGS | {
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.streaming.stateStore.providerClass": (
            "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
        ),
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")

    def turn() -> int:
        events = read(spark, path, SCHEMA[task.loans])
        if Path(path).is_dir():
            return streamed(streaming_by_hand.detect(with_timestamps(events), "10 seconds"), answers)
        return batch(events, task, answers)

    take_turns(turn)
    spark.stop()


if __name__ == "__main__":
    main()
