"""Relations for the local engine in Spark's workers: a worker reads the source and writes a version of the relation,
from whose file all workers fill their indexes. Only small sources come to the driver."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

from pyspark.sql import Row, SparkSession

from cera.connectors.relations.reading import FrameRows, LocatedRows, located
from cera.connectors.relations.relation import Record, Relation
from cera.connectors.relations.versions import KeptRows, VersionFolder
from cera.engines.spark.reading.relation_reading import ERRORS, error_name
from cera.engines.spark.session.failures import engine_failure
from cera.errors import CeraError
from cera.model.events.relation_rows import ReadRows, RelationRow, RelationRows

#: What a worker returns: the number of the version, or the name of an error and its message.
_Outcome = tuple[int, str, str]


def keep_rows(spark: SparkSession, folder: VersionFolder, name: str, rows: RelationRows) -> int:
    """Returns the number of the version with these rows: the last one if it has the same, and else a new one.

    A worker reads rows that are not in this process. Raises UsageError and DataError as its reader does.
    """
    if isinstance(rows, FrameRows):
        with engine_failure():  # the RDD has the rows as they are collected
            task = rows.frame.rdd.coalesce(1).mapPartitions(partial(_keep_frame, folder.path, name, rows.relation))
            return _number(task.collect())
    if isinstance(rows, LocatedRows):
        here = Path.cwd()
        there = located(rows.source, here)  # workers may run in another folder
        with engine_failure():
            one = spark.sparkContext.parallelize([there], 1)
            found = one.mapPartitions(partial(_keep_source, folder.path, name, rows.relation)).collect()
        return _number(found, "" if there == rows.source else f"{here}/")
    return folder.keep(name, rows.each())


def kept_here(spark: SparkSession, relations: Mapping[str, RelationRows]) -> dict[str, RelationRows]:
    """Returns the rows of relations as workers of a recording need them: large ones in files of this machine.

    If workers run elsewhere, rows go to them with what they do.
    """
    large = {name: rows for name, rows in relations.items() if not isinstance(rows, ReadRows)}
    folder = local_folder(spark) if large else None
    if folder is None:
        return dict(relations)
    versions = VersionFolder(folder)
    kept = {name: KeptRows(folder, name, keep_rows(spark, versions, name, rows)) for name, rows in large.items()}
    return {**relations, **kept}


def local_folder(spark: SparkSession) -> Path | None:
    """Returns a new folder, which is there until this process ends; None if workers run on other machines."""
    if not (spark.sparkContext.master or "").startswith("local"):
        return None
    folder = Path(tempfile.mkdtemp(prefix="cera-relations-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _number(found: list[_Outcome], folder: str = "") -> int:
    """Returns the number. Raises the error of the worker, whose places are those without the `folder`."""
    [(number, error, message)] = found
    if error:
        raise ERRORS[error](message.replace(folder, "") if folder else message)
    return number


def _keep_source(folder: Path, name: str, relation: Relation, sources: Iterable[str]) -> Iterator[_Outcome]:
    [source] = sources
    return _kept(folder, name, LocatedRows(relation, source).each())


def _keep_frame(folder: Path, name: str, relation: Relation, rows: Iterable[Row]) -> Iterator[_Outcome]:
    records = (Record(f"row {number}", row.asDict(recursive=True)) for number, row in enumerate(rows, 1))
    return _kept(folder, name, relation.each(records))


def _kept(folder: Path, name: str, rows: Iterator[RelationRow]) -> Iterator[_Outcome]:
    try:
        yield VersionFolder(folder).keep(name, rows), "", ""
    except CeraError as error:
        yield 0, error_name(error), error.message
