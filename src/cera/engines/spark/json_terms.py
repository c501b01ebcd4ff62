"""Terms in JSON text that only Python can make out: their hashes, and whether they are terms at all."""

from __future__ import annotations

import pandas as pd
from pyspark.sql import Column
from pyspark.sql.pandas.functions import pandas_udf
from pyspark.sql.types import StringType, StructField, StructType

from cera.engines.spark.cells import TERM
from cera.engines.spark.rows import term_row
from cera.model.json_terms import loads, term_from_json
from cera.model.terms import TermError

_FOUND = StructType([*TERM.fields, StructField("reason", StringType())])


@pandas_udf(_FOUND)  # type: ignore[call-overload, untyped-decorator]
def _found(texts: pd.Series) -> pd.DataFrame:
    return pd.DataFrame([_row(text) for text in texts], columns=_FOUND.names).astype({"h1": "Int64", "h2": "Int64"})


def _row(text: str | None) -> tuple[str | None, int | None, int | None, str | None]:
    if text is None:
        return None, None, None, None
    try:
        return *term_row(term_from_json(loads(text))), None
    except TermError as error:
        return None, None, None, str(error)


def hashes_in_python(text: Column) -> Column:
    """The term in a JSON text as a TERM, with a `reason` where there is none."""
    found: Column = _found(text)
    return found
