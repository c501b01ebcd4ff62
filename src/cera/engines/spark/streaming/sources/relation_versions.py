"""Announcements of versions of relations as a stream of messages, beside those of the events.

An announcement is a file, which Spark takes with a micro-batch, notes in the checkpoint, and removes when the batch is
done. It becomes a message to every part of every operator that looks the relation up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from cera.engines.spark.division.operators import Operator
from cera.engines.spark.streaming.messages.messages import SCHEMA, pack_versions
from cera.engines.spark.streaming.sources.file_names import literal
from cera.model.terms.json_terms import loads

_FILES = "path string, modificationTime timestamp, length bigint, content binary"


def version_messages(spark: SparkSession, folder: Path, operators: Sequence[Operator]) -> DataFrame:
    """Returns the messages of announcements that appear in a folder: operator, bucket, payload."""
    reader = spark.readStream.format("binaryFile").schema(_FILES).option("cleanSource", "delete")
    targets = [(each.identity, each.buckets, tuple(each.relations)) for each in operators if each.relations]
    return reader.load(literal(str(folder.resolve()))).select("content").mapInArrow(_AnnouncingStage(targets), SCHEMA)


class _AnnouncingStage:
    """Stage that makes the messages of announcements."""

    def __init__(self, targets: Sequence[tuple[str, int, tuple[str, ...]]]) -> None:
        self.targets = targets

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows: list[tuple[str, int, bytes]] = []
            for content in batch.column(0).to_pylist():
                announced: dict[str, int] = loads(content.decode())
                for operator, buckets, names in self.targets:
                    numbers = {name: announced[name] for name in names if name in announced}
                    if numbers:
                        rows += [(operator, bucket, pack_versions(numbers)) for bucket in range(buckets)]
            yield pa.RecordBatch.from_arrays(
                [
                    pa.array([operator for operator, _, _ in rows], pa.string()),
                    pa.array([bucket for _, bucket, _ in rows], pa.int32()),
                    pa.array([payload for _, _, payload in rows], pa.binary()),
                ],
                ["operator", "bucket", "payload"],
            )
