"""Calls of functions on whole columns: each different combination of arguments once, by the function itself.

Only functions are called that are defined for all arguments of their kinds (`coverage.TOTAL`), so that nothing is
undefined, whatever rows are looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from cera.engines.columns.rows import Array, Column, Kind, OutsideColumnsError
from cera.engines.columns.strings import Strings
from cera.model.evaluation.functions import FUNCTIONS

#: More than the length of any string.
_LONGEST = 2.0**40
#: By how much the size of a result can be more than that of the first argument.
_MORE: Mapping[str, float] = MappingProxyType(
    {**dict.fromkeys(("abs", "round", "floor", "ceiling"), 1.0), "string-length": _LONGEST}
)


def called(function: str, arguments: Sequence[Column], strings: Strings) -> Column:
    """Returns the values of a function. Raises OutsideColumnsError where arguments are of other kinds."""
    definition = FUNCTIONS[function]
    if any(argument.kind == "nothing" for argument in arguments):
        return Column("nothing", np.empty(0))
    if any(argument.kind != definition.parameter(place) for place, argument in enumerate(arguments)):
        raise OutsideColumnsError("a rule calls a function with what it is not defined for")
    firsts, places = _different(arguments)
    cells = [_cells(argument.take(firsts), strings) for argument in arguments]
    results = [definition.apply(*each) for each in zip(*cells, strict=True)]
    bound = arguments[0].bound + _MORE.get(function, 0.0)
    match definition.result:
        case "number":
            values: Array = np.array(results, np.float64)
            kind: Kind = "number"
        case "boolean":
            values, kind = np.array(results, np.bool_), "boolean"
        case _:
            values, kind = strings.codes(results), "string"
    return Column(kind, values[places], bound if kind == "number" else 0.0)


def _different(columns: Sequence[Column]) -> tuple[Array, Array]:
    """Returns the first rows with different values, and for each row which of them has its values."""
    places = np.zeros(len(columns[0].values), np.int64)
    firsts = places
    for column in columns:
        different, here = np.unique(column.values, return_inverse=True)
        _, firsts, places = np.unique(places * len(different) + here, return_index=True, return_inverse=True)
    return firsts, places


def _cells(column: Column, strings: Strings) -> list[str | int | float | bool]:
    values: list[Any] = column.values.tolist()
    match column.kind:
        case "string":
            return [strings.text(code) for code in values]
        case "number":
            return [int(value) if value.is_integer() else value for value in values]
        case _:
            return values
