"""Parquet files as event tables, read by Spark itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F

from cera.connectors.layout import Layout
from cera.engines.spark.failures import reason
from cera.engines.spark.frames import Origin, from_frame
from cera.engines.spark.readings import Reading
from cera.errors import UsageError

_CAUSE = re.compile(r"^Caused by: [\w.$]+: (.*)$", re.MULTILINE)
_FILE, _ROW = "_metadata.file_path", "_metadata.row_index"


def read_parquet(spark: SparkSession, path: str, files: Sequence[Path], layout: Layout, source: int) -> Reading:
    """The events of the Parquet files at a path; the columns of all of them are put together by their names.

    Folders like `day=2026-11-15` on the way to a file are a column.
    """
    reader = spark.read.option("mergeSchema", "true")
    if Path(path).is_dir():
        reader = reader.option("basePath", path)
    try:
        frame = reader.parquet(*map(str, files))
    except (PySparkException, Py4JError) as error:
        causes = _CAUSE.findall(str(error))
        raise UsageError(f"{path} cannot be read as Parquet: {causes[-1] if causes else reason(error)}") from error
    return from_frame(frame, layout, Origin(_place(), source, F.col(_ROW)))


def _place() -> Column:
    """The file and the number of the row."""
    file = F.regexp_replace(F.col(_FILE), "^file:/+", "/")
    return F.concat(file, F.lit(": row "), (F.col(_ROW) + 1).cast("string"))
