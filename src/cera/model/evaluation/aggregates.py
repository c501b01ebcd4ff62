"""Aggregate functions over cells in the order of their matches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cera.model.events.occurrence import Cell
from cera.model.terms.values import number


def fold(function: str, cells: Sequence[Cell], *, distinct: bool = False) -> Cell | None:
    """Returns the value of an aggregate, None where it is undefined. Only `count` is defined on nothing."""
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
    """Returns the sum from left to right; None once an integer leaves 64 bits or a double is no longer finite."""
    if not numbers:
        return None
    total: int | float | None = numbers[0]
    for value in numbers[1:]:
        if total is None:
            return None
        total = number(total + value)
    return total


#: Below this every whole double is the integer that it stands for, so that sums may mix the two kinds.
_EXACT = 2**53


def folding(function: str, *, distinct: bool) -> Callable[[Sequence[Cell]], Cell | None]:
    """Returns `fold` for one aggregate; sums and averages of ordinary numbers take a shorter way to the same value."""
    if distinct or function not in ("sum", "avg"):
        return lambda cells: fold(function, cells, distinct=distinct)
    average = function == "avg"

    def folded(cells: Sequence[Cell]) -> Cell | None:
        total: Any = 0
        try:
            for cell in cells:
                total += cell
                if not -_EXACT < total < _EXACT:
                    return fold(function, cells)
        except TypeError:  # not all of them are numbers
            return fold(function, cells)
        if not cells:
            return None
        if average:
            total /= len(cells)
        return int(total) if total.__class__ is float and total.is_integer() else total

    return folded
