"""Terms in JSON text that only Python can read: their hashes, and whether they are terms at all."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd
from pyspark.sql import Column
from pyspark.sql.pandas.functions import pandas_udf
from pyspark.sql.types import StringType, StructField, StructType

from cera.engines.spark.tables.event_rows import term_row
from cera.engines.spark.values.cells import TERM
from cera.model.terms.json_terms import loads, term_from_json
from cera.model.terms.term import TermError

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
