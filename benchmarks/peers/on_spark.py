"""What cera on Spark and code by hand on Spark have in common: how events are read, and streams counted."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

SETTINGS = {
    "spark.driver.memory": "3g",
    "spark.sql.shuffle.partitions": "4",
    "spark.ui.enabled": "false",
    "spark.sql.streaming.numRecentProgressUpdates": "100000",  # `streamed` counts what all micro-batches gave
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
SCHEMA = {
    False: "type string, sensor string, area string, value double, ts bigint",
    True: "type string, `case` string, amount double, ts bigint",
}


def read(spark: SparkSession, path: str, schema: str) -> DataFrame:
    """The events of a file; those of a folder as a stream, a file at a time."""
    kind = "parquet" if path.endswith("parquet") else "json"
    if Path(path).is_dir():
        return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).format(kind).load(path)
    return spark.read.schema(schema).format(kind).load(path)


def streamed(found: DataFrame, answers: str | None) -> int:
    """Lets a stream run to its end, and returns how many rows came out; they are written as JSON lines, or nowhere."""
    observed = found.observe("answers", F.count(F.lit(1)).alias("number"))
    if answers:
        shutil.rmtree(answers, ignore_errors=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as checkpoint:
        writer = observed.writeStream.format("json" if answers else "noop").outputMode("append")
        if answers:
            writer = writer.option("path", answers)
        query = writer.trigger(availableNow=True).option("checkpointLocation", checkpoint).start()
        query.awaitTermination()
        progress = query.recentProgress
    return sum(batch["observedMetrics"]["answers"]["number"] for batch in progress if batch["observedMetrics"])
