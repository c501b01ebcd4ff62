"""Aggregates over the values of many windows at once, each folded from left to right."""

from __future__ import annotations

import numpy as np

from cera.engines.columns.coverage import EXACT
from cera.engines.columns.rows import Array, Column, OutsideColumnsError, Places


def folded(function: str, column: Column, starts: Places, counts: Places) -> Column:
    """Returns the value of an aggregate for stretches of a column: from each start so many values, at least one."""
    if column.kind == "nothing":
        return column
    match function:
        case "count":
            return Column("number", counts.astype(np.float64), float(counts.max(initial=0)))
        case "first":
            return column.take(starts)
        case "last":
            return column.take(starts + counts - 1)
        case "sum" | "avg":
            if column.kind != "number":
                raise OutsideColumnsError("a rule sums up what is not a number")
            most = float(counts.max(initial=0))
            if not column.bound * most < EXACT:
                raise OutsideColumnsError("a rule sums up large numbers")
            total = _sums(column.values, starts, counts)
            if function == "sum":
                return Column("number", total, column.bound * most)
            return Column("number", total / counts, column.bound)
        case _:
            if column.kind != "number":
                raise OutsideColumnsError("a rule asks for the least or the greatest of what is not a number")
            if not len(starts):
                return column.take(starts)
            reduce = np.minimum if function == "min" else np.maximum
            edges = np.stack([starts, starts + counts], axis=1).ravel()
            values = np.append(column.values, 0.0)  # an end may lie behind the last value
            return Column("number", reduce.reduceat(values, edges)[::2], column.bound)


def _sums(values: Array, starts: Places, counts: Places) -> Array:
    """Returns sums from left to right: the first values of all stretches, then the second ones, and so on."""
    order = np.argsort(-counts, kind="stable")
    places, lengths = starts[order], counts[order]
    total = values[places]
    for step in range(1, int(lengths[0]) if len(lengths) else 0):
        there = int(np.searchsorted(-lengths, -step))  # those that are longer
        total[:there] += values[places[:there] + step]
    found = np.empty_like(total)
    found[order] = total
    return found
