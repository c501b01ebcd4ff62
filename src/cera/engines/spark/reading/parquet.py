"""Parquet files as event tables, read by Spark itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F

from cera.connectors.records.layout import Layout, Rejected, rejected
from cera.engines.spark.reading.frames import Origin, from_frame
from cera.engines.spark.reading.source_tables import SourceTables, rejection_rows, unite
from cera.engines.spark.session.failures import reason
from cera.errors import UsageError

_FILE, _ROW = "_metadata.file_path", "_metadata.row_index"
_FAILURES = (PySparkException, Py4JError, UsageError)


def read_parquet(spark: SparkSession, path: str, files: Sequence[Path], layout: Layout, source: int) -> SourceTables:
    """Returns the events of the Parquet files at a path; the columns of all files are united by name.

    Folders like `day=2026-11-15` on the way to a file are a column. Where the files of a folder do not fit together,
    those with the same columns are a table each, and those that cannot be read are rejected.
    """
    try:
        return _read(spark, path, files, layout, source)
    except _FAILURES as error:
        if len(files) == 1:
            raise UsageError(f"{path}: {_why(error)}") from error
    readings: list[SourceTables] = []
    rejects: list[Rejected] = []
    for group in _alike(files, rejects):
        try:
            readings.append(_read(spark, path, group, layout, source))
        except _FAILURES as error:
            if len(group) == len(files):
                raise UsageError(f"{path}: {_why(error)}") from error
            rejects += (_unreadable(file, _why(error)) for file in group)
    if rejects:
        readings.append(SourceTables((), lambda: rejection_rows(spark, [(source, one) for one in rejects])))
    return unite(readings)


def _read(spark: SparkSession, path: str, files: Sequence[Path], layout: Layout, source: int) -> SourceTables:
    reader = spark.read.option("mergeSchema", "true")
    if Path(path).is_dir():
        reader = reader.option("basePath", path)
    frame = reader.parquet(*map(str, files))
    return from_frame(frame, layout, Origin(_place(), source, F.col(_ROW)))


def _alike(files: Sequence[Path], rejects: list[Rejected]) -> list[list[Path]]:
    """Groups the files by their columns; those that are not Parquet are added to `rejects`."""
    groups: dict[str, list[Path]] = {}
    for file in files:
        try:
            groups.setdefault(str(pq.read_schema(file).remove_metadata()), []).append(file)
        except (pa.ArrowException, OSError) as error:
            rejects.append(_unreadable(file, f"it cannot be read as Parquet: {str(error).splitlines()[0]}"))
    return list(groups.values())


def _unreadable(file: Path, why: str) -> Rejected:
    return rejected(str(file), f"{why}; no row was read")


def _why(error: Exception) -> str:
    if isinstance(error, UsageError):
        return error.message
    text = reason(error)
    hint = "; write times in microseconds, which is what Spark reads" if "NANOS" in text else ""
    return f"it cannot be read as Parquet: {text}{hint}"


def _place() -> Column:
    """Returns the file and the number of the row."""
    file = F.regexp_replace(F.col(_FILE), "^file:/+", "/")
    return F.concat(file, F.lit(": row "), (F.col(_ROW) + 1).cast("string"))
