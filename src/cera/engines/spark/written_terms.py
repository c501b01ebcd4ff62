"""Terms that a column has as JSON text: read in Python, as the readers of files read them."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from cera.connectors.layout import RECORD_ERRORS, rejected
from cera.connectors.records import event_of
from cera.engines.spark.read_rows import READ, Rows
from cera.engines.spark.relations import column
from cera.model.interval import Interval
from cera.model.json_terms import loads, term_from_json
from cera.model.occurrence import occurrence

_EVENT = ("begin", "end", "qualifier")


def read_written_terms(frame: DataFrame, text: Column, place: Column, source: int, position: Column) -> DataFrame:
    """The rows of READ from rows with begin, end and qualifier, and the JSON of their terms."""
    shown = F.lit(source).alias("source"), position.cast("bigint").alias("position"), place.alias("place")
    columns = frame.select(*shown, text.alias("text"), *(column(name) for name in _EVENT))
    return columns.mapInArrow(_read, READ)


def _read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        if not batch.num_rows:
            continue
        rows = Rows(batch.column(0)[0].as_py())
        for _, position, place, text, begin, end, qualifier in zip(
            *(part.to_pylist() for part in batch.columns), strict=True
        ):
            try:
                term = term_from_json(loads(text or "null"))
                rows.add(position, occurrence(event_of(term, Interval(begin, end), qualifier)))
            except RECORD_ERRORS as error:
                rows.reject(position, rejected(place, str(error), text or ""))
        yield rows.batch()
