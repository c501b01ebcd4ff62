"""The JSON of values and terms as columns of text: the text that `json.dumps` writes of the same term in Python.

Keys are in the order of their names, with blanks after colons and commas, and numbers as Python prints them, so that
`term` is the same text wherever it was written: over recorded events, in streams, by `cera run`. Java before 19 prints
a few doubles with another last digit, hardly any of them between 1e-5 and 1e16; `cera run` writes those too as Python.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import pandas as pd
from pyspark.sql import Column
from pyspark.sql.pandas.functions import pandas_udf
from pyspark.sql.types import StringType

from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.arithmetic import canonical
from cera.engines.spark.values.cells import Cell
from cera.engines.spark.values.python_functions import is_planning
from cera.model.terms.json_terms import loads, term_from_json, term_text

#: Labels that cannot be members of an object: JSON gives them another meaning.
NO_KEYS = frozenset({"", "{}"})

#: Characters that Java's JSON escapes with digits in upper case, and Python's in lower case.
_ESCAPED = "\\x00-\\x07\\x0b\\x0e-\\x1f"


def cell_json(cell: Cell) -> Column:
    """Returns the JSON of a value; null where there is none."""
    texts: list[Column] = []
    for kind, column in canonical(cell):
        match kind:
            case "string":
                texts.append(string_json(column))
            case "term":
                texts.append(column["json"])
            case "fraction":
                texts.append(_fraction_json(column))
            case _:
                texts.append(column.cast("string"))
    return F.coalesce(*texts) if texts else F.lit(None).cast("string")


def string_json(text: Column) -> Column:
    """Returns the JSON of a text."""
    quoted = F.concat(F.lit('"'), _escaped(text), F.lit('"'))
    return F.when(text.isNotNull(), F.when(quoted.contains("\\u00"), _in_lower_case(text)).otherwise(quoted))


def _escaped(text: Column) -> Column:
    array = F.to_json(F.array(text))  # ["…"], without the brackets and quotes
    return F.substring(array, F.lit(3), F.length(array) - 4)


def _in_lower_case(text: Column) -> Column:
    """Returns the JSON of a text in which control characters may be, such as \u001f."""
    parts = F.split(text, f"(?<=[{_ESCAPED}])|(?=[{_ESCAPED}])")

    def written(part: Column) -> Column:
        code = F.concat(F.lit("\\u00"), F.lower(F.hex(part)))
        return F.when(part.rlike(f"^[{_ESCAPED}]$"), code).otherwise(_escaped(part))

    return F.concat(F.lit('"'), F.array_join(F.transform(parts, written), ""), F.lit('"'))


def _fraction_json(fraction: Column) -> Column:
    """Returns the JSON of a double that is not a whole number of 64 bits, as Python prints it."""
    text = fraction.cast("string")
    return F.when(text.contains("E"), _as_python(text)).otherwise(text)


def _as_python(text: Column) -> Column:
    """Converts Java's text of a number with an exponent to Python's, which has one only below 1e-4 and from 1e16 on."""
    sign = F.when(text.startswith("-"), F.lit("-")).otherwise(F.lit(""))
    digits = F.regexp_replace(F.split_part(text, F.lit("E"), F.lit(1)), r"^-|\.0$|\.", "")
    exponent = F.split_part(text, F.lit("E"), F.lit(2)).cast("int")
    whole = F.substring(digits, F.lit(1), exponent + 1)
    plain = F.when(exponent < 0, F.concat(F.lit("0.000"), digits)).otherwise(
        F.concat(whole, F.lit("."), F.substr(digits, exponent + 2))
    )
    rest = F.when(F.length(digits) > 1, F.concat(F.lit("."), F.substr(digits, F.lit(2)))).otherwise(F.lit(""))
    scientific = F.concat(F.substring(digits, 1, 1), rest, F.lit("e"), F.format_string("%+03d", exponent))
    return F.concat(sign, F.when((exponent > -5) & (exponent < 16), plain).otherwise(scientific))


def object_json(members: Iterable[tuple[str, Column]]) -> Column:
    """Returns `{"name": text, …}` of the members whose text is not null, in the order of their names."""
    parts = [F.concat(F.lit(f"{_quoted(name)}: "), text) for name, text in sorted(members, key=lambda one: one[0])]
    return F.concat(F.lit("{"), F.concat_ws(", ", *parts), F.lit("}")) if parts else F.lit("{}")


def children_json(children: Sequence[Column], ordered: bool) -> Column:
    """Returns the children of any term, from the JSON of each; null ones do not count."""
    inner = F.concat_ws(", ", *children) if children else F.lit("")
    start, stop = ("[", "]") if ordered else ('{"{}": [', "]}")
    return F.concat(F.lit(start), inner, F.lit(stop))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


@pandas_udf(StringType())  # type: ignore[call-overload, untyped-decorator]
def _rewritten(texts: pd.Series) -> pd.Series:
    return pd.Series([None if text is None else term_text(term_from_json(loads(text))) for text in texts], dtype=object)


def rewritten(text: Column) -> Column:
    """Rewrites the JSON of a term of unknown shape in cera's spelling, in Python."""
    if is_planning():
        return text
    found: Column = _rewritten(text)
    return found
