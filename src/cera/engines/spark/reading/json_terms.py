"""Terms in JSON text that Python reads, as the readers of files do: their hashes, and whole columns of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.functions import pandas_udf
from pyspark.sql.types import StringType, StructField, StructType, VariantVal

from cera.connectors.records.layout import RECORD_ERRORS, rejected
from cera.connectors.records.record_times import StateTimes
from cera.connectors.records.records import event_of
from cera.engines.spark.reading.record_rows import READ, Rows
from cera.engines.spark.tables.event_rows import term_row
from cera.engines.spark.tables.relations import column
from cera.engines.spark.values.cells import TERM
from cera.model.events.occurrence import occurrence
from cera.model.terms.json_terms import loads, term_from_json
from cera.model.terms.term import TermError
from cera.model.time.interval import Interval

_HASHES = ("h1", "h2")
_FOUND = StructType([*TERM.fields, StructField("reason", StringType())])


@pandas_udf(_FOUND)  # type: ignore[call-overload, untyped-decorator]
def _found(texts: pd.Series) -> pd.DataFrame:
    return found_in(texts)


def found_in(texts: Iterable[str | None]) -> pd.DataFrame:
    """Returns the columns of _FOUND; null where there is no text."""
    rows = [_row(text) for text in texts]

    def column(place: int, name: str) -> pd.Series:
        # pandas would convert integers beside None to floats, and round them
        return pd.Series([row[place] for row in rows], dtype="Int64" if name in _HASHES else object)

    return pd.DataFrame({name: column(place, name) for place, name in enumerate(_FOUND.names)})


def _row(text: str | None) -> tuple[str | None, int | None, int | None, str | None]:
    if text is None:
        return None, None, None, None
    try:
        return *term_row(term_from_json(loads(text))), None
    except TermError as error:
        return None, None, None, str(error)


def hashes_in_python(text: Column) -> Column:
    """Returns the term in a JSON text as a TERM, with a `reason` where there is none."""
    found: Column = _found(text)
    return found


#: Whether a row is a state, of which `end` may be null.
MARKED = "is a state"
_EVENT = ("begin", "end", "qualifier", MARKED)
_PERHAPS_INFINITE = '"(-?Infinity|NaN)"'


def read_written_terms(
    frame: DataFrame, text: Column, place: Column, source: int, position: Column, variant: Column | None = None
) -> DataFrame:
    """Returns the rows of READ from rows with begin, end, qualifier and MARKED, and the JSON of their terms.

    Where a `variant` was written as the content of a term, infinities and NaN in it became texts; they are absent.
    """
    shown = F.lit(source).alias("source"), position.cast("bigint").alias("position"), place.alias("place")
    columns = [*shown, text.alias("text"), *(column(name) for name in _EVENT)]
    if variant is not None:
        columns.append(F.when(text.rlike(_PERHAPS_INFINITE), variant).alias("variant"))
    return frame.select(*columns).mapInArrow(_read, READ)


def _read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        if not batch.num_rows:
            continue
        rows = Rows(batch.column(0)[0].as_py())
        for _, position, place, text, begin, end, qualifier, marked, *variant in zip(
            *(part.to_pylist() for part in batch.columns), strict=True
        ):
            try:
                term = term_from_json(_document(text, *variant))
                times = StateTimes(begin, end) if marked else Interval(begin, end)
                rows.add(position, occurrence(event_of(term, times, qualifier)))
            except RECORD_ERRORS as error:
                rows.reject(position, rejected(place, str(error), text or ""))
        yield rows.batch()


def _document(text: str | None, variant: dict[str, bytes] | None = None) -> Any:
    """Parses the JSON of a text, which was written from the variant if there is one."""
    document = loads(text or "null")
    if variant is None:
        return document
    [(label, body)] = document.items()
    return {label: _finite(body, VariantVal(variant["value"], variant["metadata"]).toPython())}


def _finite(written: Any, value: Any) -> Any:
    """Returns the written value, with null in the place of infinities and NaN."""
    match value:
        case float() if not math.isfinite(value):
            return None
        case dict():
            return {name: _finite(part, value[name]) for name, part in written.items()}
        case list():
            return [_finite(part, each) for part, each in zip(written, value, strict=True)]
        case _:
            return written
