"""The results of the stages as rows of a DataFrame."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from cera.engines.spark.streaming.messages import OUTPUT, unpack_results

DERIVED = (
    "id string, begin bigint, end bigint, label string, term string, rule string, causes string, "
    "recipient string, transport string"
)

_FIELDS = (
    ("id", pa.string()),
    ("begin", pa.int64()),
    ("end", pa.int64()),
    ("label", pa.string()),
    ("term", pa.string()),
    ("rule", pa.string()),
    ("causes", pa.string()),
    ("recipient", pa.string()),
    ("transport", pa.string()),
)
_SCHEMA = pa.schema([pa.field(name, kind) for name, kind in _FIELDS])


def derived_events(messages: DataFrame) -> DataFrame:
    """The derived events among the results, in the columns that the answers over recorded events have."""
    rows = messages.where(F.col("operator") == OUTPUT).select("payload").mapInArrow(_unpack, DERIVED)
    return rows.withColumn("causes", F.from_json("causes", "map<string,string>"))


def _unpack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        rows = [
            result[1:10]
            for payload in batch.column(0).to_pylist()
            for result in unpack_results(payload)
            if result[0] == "derived"
        ]
        columns = zip(*rows, strict=True) if rows else [()] * len(_FIELDS)
        arrays = [pa.array(column, kind) for column, (_, kind) in zip(columns, _FIELDS, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=_SCHEMA)
