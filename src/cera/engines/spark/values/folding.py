"""Aggregates over an array of values in their order, from left to right: `reference.construction.fold`, natively.

The array has an element for each match: a struct with a field for each component of the value or, if there is only one
component, that alone. Sums are folded as doubles or as bigints where that is exact; where a sum of doubles gets to
2^53, once more on integers and fractions apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from pyspark.sql import Column

from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.arithmetic import LIMIT, as_double, calculate_exactly, canonical, is_defined
from cera.engines.spark.values.cells import Cell
from cera.engines.spark.values.comparison import NUMBERS, number_order

_PARTS = ("integer", "double")


def as_struct(cell: Cell) -> Column:
    """Packs the cell into one struct column, to be collected into an array: a field for each component."""
    return F.struct(*(column.alias(name) for name, column in cell))


def from_struct(struct: Column, components: Sequence[str]) -> Cell:
    """Returns the cell that `as_struct` packed."""
    return Cell(**{name: struct[name] for name in components})


def as_element(cell: Cell) -> Column:
    """Returns the cell as an element of an array that is folded."""
    parts = list(cell)
    return parts[0][1] if len(parts) == 1 else as_struct(cell)


@dataclass(frozen=True)
class Elements:
    """An array of values with these components. `complete`: each element has a value."""

    array: Column
    components: tuple[str, ...]
    complete: bool = False

    def cell(self, element: Column, names: Sequence[str] | None = None) -> Cell:
        """Returns the value of an element, or only those of its components that are named."""
        if len(self.components) > 1:
            return from_struct(element, self.components if names is None else names)
        return Cell(**{name: element for name in self.components if names is None or name in names})

    def present(self, names: Sequence[str] | None = None) -> Column:
        """Returns the elements that have a value of one of the named components."""
        if self.complete and (names is None or len(names) == len(self.components)):
            return self.array
        return F.filter(self.array, lambda value: is_defined(self.cell(value, names)))

    def only(self, name: str) -> Column:
        """Returns one component of each element."""
        return self.array if len(self.components) == 1 else F.transform(self.array, lambda value: value[name])


def fold(function: str, values: Elements, distinct: bool = False) -> Cell:
    """Returns an aggregate over the elements of an array in their order.

    Elements that are null, or without any value, do not count. Only `count` is defined on no elements.
    """
    match function:
        case "count":
            return Cell(integer=_count(values, distinct))
        case "sum":
            return _sum(values, distinct)
        case "avg":
            return _average(values, distinct)
        case "min" | "max":
            return _extreme(function, values)
        case "first":
            return values.cell(F.get(values.present(), F.lit(0)))
        case "last":
            return values.cell(_last(values, distinct))
        case _:
            raise AssertionError(f"there is no aggregate '{function}'; the checks let it pass")


def _keys(array: Column, values: Elements) -> Column:
    """Returns a key for each element; keys are equal exactly for equal values."""
    if len(values.components) == 1 and values.components[0] in ("integer", "string", "boolean"):
        return array
    return F.transform(array, lambda value: _key(canonical(values.cell(value))))


def _key(cell: Cell) -> Column:
    parts = [column for name, column in cell if name != "term"]
    halves = [] if cell.term is None else [cell.term["h1"], cell.term["h2"]]
    return F.struct(*(part.alias(f"part {number}") for number, part in enumerate([*parts, *halves])))


def _count(values: Elements, distinct: bool) -> Column:
    if not values.components:
        return F.lit(0).cast("bigint")
    present = values.present()
    return F.size(F.array_distinct(_keys(present, values)) if distinct else present).cast("bigint")


def _last(values: Elements, distinct: bool) -> Column:
    """Returns the last element; of distinct ones the one whose first occurrence is the last."""
    present = values.present()
    if not distinct:
        return F.try_element_at(present, F.lit(-1))
    keys = _keys(present, values)
    newest = F.try_element_at(F.array_distinct(keys), F.lit(-1))
    return F.get(present, (F.array_position(keys, newest) - 1).cast("int"))


def _numbers(values: Elements, distinct: bool) -> Elements:
    """Returns the elements that are numbers."""
    names = tuple(name for name in NUMBERS if name in values.components)
    present = values.present(names)
    if distinct and values.components == ("integer",):
        return Elements(F.array_distinct(present), names)
    if distinct or len(values.components) > len(names):
        exact = canonical if distinct else _same
        shape = exact(values.cell(F.col("x"), names)).components
        numbers = F.transform(present, lambda value: as_element(exact(values.cell(value, names))))
        return Elements(F.array_distinct(numbers) if distinct else numbers, shape)
    return Elements(present, names)


def _same(cell: Cell) -> Cell:
    return cell


def _integer_sum(numbers: Elements) -> Column:
    """Returns the sum; null where an intermediate sum is past 64 bits."""
    return F.aggregate(numbers.array, F.lit(0).cast("bigint"), F.try_add)


def _double_sum(numbers: Elements) -> Column:
    """Returns the sum as long as it is exact on whole numbers, else null."""
    doubles = numbers.array
    if len(numbers.components) > 1:
        doubles = F.transform(doubles, lambda element: as_double(numbers.cell(element)))
    greatest = F.greatest(F.abs(F.array_max(doubles)), F.abs(F.array_min(doubles)))
    # then no intermediate sum is greater; that of no elements is not null
    exact = F.coalesce(greatest * F.size(doubles) < LIMIT, F.lit(True))
    return F.when(exact, F.aggregate(doubles, F.lit(0.0), lambda total, value: total + value))


def _exact_sum(numbers: Elements) -> Cell:
    """Returns the sum in two parts: an integer, or a double."""

    def plus(total: Column, element: Column) -> Column:
        result = calculate_exactly("+", from_struct(total, _PARTS), numbers.cell(element))
        integer = F.lit(None).cast("bigint") if result.integer is None else result.integer
        return as_struct(Cell(integer=integer, double=result.double))

    start = as_struct(Cell(integer=F.lit(0).cast("bigint"), double=F.lit(None).cast("double")))
    return from_struct(F.aggregate(numbers.array, start, plus), _PARTS)


def _sum(values: Elements, distinct: bool) -> Cell:
    if not set(values.components) & set(NUMBERS):
        return Cell()
    numbers = _numbers(values, distinct)
    some = F.size(numbers.array) > 0
    if numbers.components == ("integer",):
        return Cell(integer=F.when(some, _integer_sum(numbers)))
    double, exact = _double_sum(numbers), _exact_sum(numbers)
    assert exact.integer is not None
    assert exact.double is not None
    return Cell(
        integer=F.when(some & double.isNull(), exact.integer),
        double=F.when(some, F.coalesce(double, exact.double)),
    )


def _average(values: Elements, distinct: bool) -> Cell:
    if not set(values.components) & set(NUMBERS):
        return Cell()
    numbers = _numbers(values, distinct)
    if numbers.components == ("integer",):
        total = _integer_sum(numbers).cast("double")
    else:
        total = F.coalesce(_double_sum(numbers), as_double(_exact_sum(numbers)))
    return Cell(double=F.try_divide(total, F.size(numbers.array).cast("double")))


def _extreme(function: str, values: Elements) -> Cell:
    """Returns the least or greatest of numbers, or of strings; undefined on a mixture and on anything else."""
    found = (_extreme_number(function, values), _extreme_string(function, values))
    cells = [cell for cell in found if cell is not None]
    others = [name for name in values.components if name not in (*NUMBERS, "string")]
    refused = [F.exists(values.array, lambda value: is_defined(values.cell(value, others)))] if others else []
    chosen: dict[str, Column] = {}
    for cell in cells:
        mixed = [*refused, *(is_defined(other) for other in cells if other is not cell)]
        for name, column in cell:
            chosen[name] = F.when(~reduce(or_, mixed), column) if mixed else column
    return Cell(**chosen)


def _extreme_string(function: str, values: Elements) -> Cell | None:
    return Cell(string=_choose(function, values.only("string"))) if "string" in values.components else None


def _extreme_number(function: str, values: Elements) -> Cell | None:
    names = [name for name in NUMBERS if name in values.components]
    match names:
        case []:
            return None
        case [name]:
            return Cell(**{name: _choose(function, values.only(name))})
        case _:
            ordered = F.transform(values.array, lambda value: _ordered(value, names))
            return from_struct(_choose(function, ordered), names)


def _ordered(value: Column, names: Sequence[str]) -> Column:
    """Returns the element behind its sort key; null if it is not a number."""
    cell = from_struct(value, names)
    order = number_order(cell)
    return F.when(order.isNotNull(), F.struct(order.alias("order"), *(column.alias(name) for name, column in cell)))


def _choose(function: str, elements: Column) -> Column:
    return F.array_min(elements) if function == "min" else F.array_max(elements)
