"""Aggregates over an array of values in their order, from left to right: `reference.construction.fold`, natively.

The array has a struct for each match, with a field for each component of the value. Sums are folded as doubles or as
bigints where that is exact; where a sum of doubles gets to 2^53, once more on integers and fractions apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_

from pyspark.sql import Column
from pyspark.sql import functions as F

from cera.engines.spark.arithmetic import LIMIT, as_double, calculate_exactly, canonical, is_defined
from cera.engines.spark.cells import Cell
from cera.engines.spark.comparison import NUMBERS, number_order

_PARTS = ("integer", "double")


def as_struct(cell: Cell) -> Column:
    """The cell as one struct column, to be collected into an array: a field for each component."""
    return F.struct(*(column.alias(name) for name, column in cell))


def from_struct(struct: Column, components: Sequence[str]) -> Cell:
    """The cell that `as_struct` packed."""
    return Cell(**{name: struct[name] for name in components})


def fold(function: str, values: Column, components: Sequence[str], distinct: bool = False) -> Cell:
    """An aggregate over an array of structs with these components, in the array's order.

    Elements that are null, or without any value, do not count. Only `count` has a value on none.
    """
    match function:
        case "count":
            return Cell(integer=_count(values, components, distinct))
        case "sum":
            return _sum(values, components, distinct)
        case "avg":
            return _average(values, components, distinct)
        case "min" | "max":
            return _extreme(function, values, components)
        case "first":
            return from_struct(F.get(_present(values, components), F.lit(0)), components)
        case "last":
            return from_struct(_last(values, components, distinct), components)
        case _:
            raise AssertionError(f"there is no aggregate '{function}'; the checks let it pass")


def _present(values: Column, components: Sequence[str]) -> Column:
    """The elements that have a value of one of the components."""
    return F.filter(values, lambda value: is_defined(from_struct(value, components)))


def _keys(values: Column, components: Sequence[str]) -> Column:
    """For each element what is equal exactly for equal values."""
    if len(components) == 1 and components[0] in ("integer", "string", "boolean"):
        return F.transform(values, lambda value: value[components[0]])
    return F.transform(values, lambda value: _key(canonical(from_struct(value, components))))


def _key(cell: Cell) -> Column:
    parts = [column for name, column in cell if name != "term"]
    halves = [] if cell.term is None else [cell.term["h1"], cell.term["h2"]]
    return F.struct(*(part.alias(f"part {number}") for number, part in enumerate([*parts, *halves])))


def _count(values: Column, components: Sequence[str], distinct: bool) -> Column:
    if not components:
        return F.lit(0).cast("bigint")
    present = _present(values, components)
    return F.size(F.array_distinct(_keys(present, components)) if distinct else present).cast("bigint")


def _last(values: Column, components: Sequence[str], distinct: bool) -> Column:
    """The last element; of distinct ones the one whose first occurrence is the last."""
    present = _present(values, components)
    if not distinct:
        return F.try_element_at(present, F.lit(-1))
    keys = _keys(present, components)
    newest = F.try_element_at(F.array_distinct(keys), F.lit(-1))
    return F.get(present, (F.array_position(keys, newest) - 1).cast("int"))


def _numbers(values: Column, components: Sequence[str], distinct: bool) -> tuple[Column, Sequence[str]]:
    """The elements that are numbers, with their components; as a bare array if these are integers."""
    names = tuple(name for name in NUMBERS if name in components)
    present = _present(values, names)
    if names == ("integer",):
        elements = F.transform(present, lambda value: value["integer"])
        return F.array_distinct(elements) if distinct else elements, names
    if not distinct:
        return present, names
    exact = canonical(from_struct(F.col("x"), names)).components
    elements = F.transform(present, lambda value: as_struct(canonical(from_struct(value, names))))
    return F.array_distinct(elements), exact


def _integer_sum(elements: Column) -> Column:
    """Null where a sum on the way is past 64 bits."""
    return F.aggregate(elements, F.lit(0).cast("bigint"), F.try_add)


def _double_sum(elements: Column, names: Sequence[str]) -> Column:
    """The sum as long as it is exact on whole numbers, else null."""

    def plus(total: Column, element: Column) -> Column:
        value = as_double(from_struct(element, names))
        result = total + value
        certain = F.abs(result) < LIMIT
        return F.when(certain & (F.abs(value) < LIMIT) if "integer" in names else certain, result)

    return F.aggregate(elements, F.lit(0.0), plus)


def _exact_sum(elements: Column, names: Sequence[str]) -> Cell:
    """The sum in two parts: an integer, or a double."""

    def plus(total: Column, element: Column) -> Column:
        result = calculate_exactly("+", from_struct(total, _PARTS), from_struct(element, names))
        integer = F.lit(None).cast("bigint") if result.integer is None else result.integer
        return as_struct(Cell(integer=integer, double=result.double))

    start = as_struct(Cell(integer=F.lit(0).cast("bigint"), double=F.lit(None).cast("double")))
    return from_struct(F.aggregate(elements, start, plus), _PARTS)


def _sum(values: Column, components: Sequence[str], distinct: bool) -> Cell:
    if not set(components) & set(NUMBERS):
        return Cell()
    elements, names = _numbers(values, components, distinct)
    some = F.size(elements) > 0
    if names == ("integer",):
        return Cell(integer=F.when(some, _integer_sum(elements)))
    double, exact = _double_sum(elements, names), _exact_sum(elements, names)
    assert exact.integer is not None
    assert exact.double is not None
    return Cell(
        integer=F.when(some & double.isNull(), exact.integer),
        double=F.when(some, F.coalesce(double, exact.double)),
    )


def _average(values: Column, components: Sequence[str], distinct: bool) -> Cell:
    if not set(components) & set(NUMBERS):
        return Cell()
    elements, names = _numbers(values, components, distinct)
    if names == ("integer",):
        total = _integer_sum(elements).cast("double")
    else:
        total = F.coalesce(_double_sum(elements, names), as_double(_exact_sum(elements, names)))
    return Cell(double=F.try_divide(total, F.size(elements).cast("double")))


def _extreme(function: str, values: Column, components: Sequence[str]) -> Cell:
    """The least or greatest of numbers, or of strings; undefined on a mixture and on anything else."""
    numbers = _extreme_number(function, values, tuple(name for name in NUMBERS if name in components))
    cells = [cell for cell in (numbers, _extreme_string(function, values, components)) if cell is not None]
    others = [name for name in components if name not in (*NUMBERS, "string")]
    refused = [F.exists(values, lambda value: is_defined(from_struct(value, others)))] if others else []
    found = {}
    for cell in cells:
        mixed = [*refused, *(is_defined(other) for other in cells if other is not cell)]
        for name, column in cell:
            found[name] = F.when(~reduce(or_, mixed), column) if mixed else column
    return Cell(**found)


def _extreme_string(function: str, values: Column, components: Sequence[str]) -> Cell | None:
    if "string" not in components:
        return None
    return Cell(string=_choose(function, F.transform(values, lambda value: value["string"])))


def _extreme_number(function: str, values: Column, names: Sequence[str]) -> Cell | None:
    match names:
        case []:
            return None
        case [name]:
            return Cell(**{name: _choose(function, F.transform(values, lambda value: value[name]))})
        case _:
            return from_struct(_choose(function, F.transform(values, lambda value: _ordered(value, names))), names)


def _ordered(value: Column, names: Sequence[str]) -> Column:
    """The element with what it is ordered by in front; null if it is no number."""
    cell = from_struct(value, names)
    order = number_order(cell)
    return F.when(order.isNotNull(), F.struct(order.alias("order"), *(column.alias(name) for name, column in cell)))


def _choose(function: str, elements: Column) -> Column:
    return F.array_min(elements) if function == "min" else F.array_max(elements)
