"""The Spark session that cera makes where the user has none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pyspark.sql import SparkSession

#: Spark's own log: errors only, on standard error.
_LOGGING = Path(__file__).with_name("log4j2.properties")

_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",  # times are counted from 1970 UTC
    "spark.python.sql.dataFrameDebugging.enabled": "false",  # it asks the JVM several times for every column made
    "spark.sql.caseSensitive": "true",  # labels and variables that differ in case are different
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
}


def session(master: str = "local[*]", settings: Mapping[str, str] | None = None, name: str = "cera") -> SparkSession:
    """A session with what cera needs; the user's own settings go before ours."""
    builder = SparkSession.builder.master(master).appName(name)
    quiet = {"spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={_LOGGING}"}
    for key, value in {**_SETTINGS, **quiet, **(settings or {})}.items():
        builder = builder.config(key, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    return made
