"""The JSON of values and terms as columns of text.

Numbers are written so that they are read back exactly, not as Python would print them. Terms whose shape is known are
written plainly, `{"a": {"b": 1}}`, as on every engine; others in the form that says everything, with `{"{}": […]}` for
unordered children.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F

from cera.engines.spark.arithmetic import canonical
from cera.engines.spark.cells import Cell

#: Labels that no member of an object has: it would be read as something else.
NO_KEYS = frozenset({"", "{}"})


def cell_json(cell: Cell) -> Column:
    """The JSON of a value; null where there is none."""
    texts: list[Column] = []
    for kind, column in canonical(cell):
        match kind:
            case "string":
                texts.append(string_json(column))
            case "term":
                texts.append(column["json"])
            case _:
                texts.append(column.cast("string"))
    return F.coalesce(*texts) if texts else F.lit(None).cast("string")


def string_json(text: Column) -> Column:
    array = F.to_json(F.array(text))  # ["…"], of which the brackets are taken off
    return F.when(text.isNotNull(), F.substring(array, F.lit(2), F.length(array) - 2))


def object_json(members: Sequence[tuple[str, Column]]) -> Column:
    """`{"name": text, …}` of the members whose text is not null."""
    parts = [F.concat(F.lit(f"{_quoted(name)}:"), text) for name, text in members]
    return F.concat(F.lit("{"), F.concat_ws(",", *parts), F.lit("}")) if parts else F.lit("{}")


def children_json(children: Sequence[Column], ordered: bool) -> Column:
    """The children of any term, from the JSON of each; null ones do not count."""
    inner = F.concat_ws(",", *children) if children else F.lit("")
    start, stop = ("[", "]") if ordered else ('{"{}":[', "]}")
    return F.concat(F.lit(start), inner, F.lit(stop))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
