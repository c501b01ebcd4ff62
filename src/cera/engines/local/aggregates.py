"""Aggregate functions over cells in the order of their matches."""

from __future__ import annotations

from collections.abc import Sequence

from cera.engines.local.occurrence import Cell
from cera.model.values import number


def fold(function: str, cells: Sequence[Cell], *, distinct: bool = False) -> Cell | None:
    """The value of an aggregate, None where it is undefined. Only `count` is defined on nothing."""
    if distinct:
        cells = list(dict.fromkeys(cells))
    if function == "count":
        return len(cells)
    if function in ("sum", "avg"):
        numbers = [cell for cell in cells if isinstance(cell, int | float)]
        total = _sum(numbers)
        if total is None or function == "sum":
            return total
        return number(float(total) / float(len(numbers)))
    if not cells:
        return None
    match function:
        case "first":
            return cells[0]
        case "last":
            return cells[-1]
        case "min" | "max":
            if all(isinstance(c, int | float) for c in cells) or all(isinstance(c, str) for c in cells):
                return min(cells) if function == "min" else max(cells)  # type: ignore[type-var]  # one kind, see above
            return None
        case _:
            raise AssertionError(f"there is no aggregate '{function}'; the checks let it pass")


def _sum(numbers: Sequence[int | float]) -> int | float | None:
    """The sum from left to right; undefined once an integer leaves 64 bits or a double is no longer finite."""
    if not numbers:
        return None
    total: int | float | None = numbers[0]
    for value in numbers[1:]:
        if total is None:
            return None
        total = number(total + value)
    return total
