"""Comparison of cells: `evaluation.compare` for data values.

A comparison here is true where it holds, and else false or null: filters and joins take the two alike, and so Spark
gets the plain comparison that it can push down.
"""

from __future__ import annotations

import math
import operator as operators
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import reduce
from types import MappingProxyType

from pyspark.sql import Column

from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.arithmetic import canonical, literal
from cera.engines.spark.values.cells import Cell
from cera.model.expressions.expression import ComparisonOperator
from cera.model.terms.values import MAX_INTEGER, MIN_INTEGER, Scalar, is_number, number

_Test = Callable[[Column, Column], Column]

_TESTS: Mapping[ComparisonOperator, _Test] = MappingProxyType(
    {
        "=": operators.eq,
        "!=": operators.ne,
        "<": operators.lt,
        "<=": operators.le,
        ">": operators.gt,
        ">=": operators.ge,
    }
)
CONVERSE: Mapping[ComparisonOperator, ComparisonOperator] = MappingProxyType(
    {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
)
NUMBERS = ("integer", "fraction", "double")
_PAST_INTEGERS = 2.0**63


def compared(operator: ComparisonOperator, left: Column, right: Column | int | float) -> Column:
    """Returns left operator right as Spark compares them."""
    return _TESTS[operator](left, right if isinstance(right, Column) else F.lit(right))


def compare(operator: ComparisonOperator, left: Cell | Scalar, right: Cell | Scalar) -> Column:
    """Returns left operator right; false or null where it does not hold, also where a side is undefined."""
    if not isinstance(left, Cell) and isinstance(right, Cell):
        return compare(CONVERSE[operator], right, left)
    if not isinstance(left, Cell):
        left = literal(left)
    if not isinstance(right, Cell):
        if is_number(right):
            assert isinstance(right, int | float)
            return _with_number(operator, left, right)
        right = literal(right)
    found = [_pair(operator, one_type, one, other_type, other) for one_type, one in left for other_type, other in right]
    return _any(found)


def _any(found: list[Column | None]) -> Column:
    tests = [test for test in found if test is not None]
    return reduce(operators.or_, tests) if tests else F.lit(False)


def _pair(operator: ComparisonOperator, left_type: str, left: Column, right_type: str, right: Column) -> Column | None:
    """Compares one component with another; None if it never holds."""
    if left_type in NUMBERS and right_type in NUMBERS:
        if left_type != "integer" and right_type == "integer":
            return _pair(CONVERSE[operator], right_type, right, left_type, left)
        if left_type == "integer" and right_type != "integer":
            return _integer_with_double(operator, left, right)
        return compared(operator, left, right)
    if left_type == right_type == "term":
        equal = (left["h1"] == right["h1"]) & (left["h2"] == right["h2"])
        return {"=": equal, "!=": ~equal}.get(operator)
    if left_type == right_type:
        return compared(operator, left, right) if left_type == "string" or operator in ("=", "!=") else None
    return left.isNotNull() & right.isNotNull() if operator == "!=" else None


def _integer_with_double(operator: ComparisonOperator, integer: Column, double: Column) -> Column:
    """Compares exactly. Rounding keeps the order, but can make two numbers equal: then the integers decide."""
    rounded = integer.cast("double")
    truncated = double.try_cast("bigint")
    match operator:
        case "=":
            return (rounded == double) & (double < _PAST_INTEGERS) & (integer == truncated)
        case "!=":
            tie = (double >= _PAST_INTEGERS) | (integer != truncated)
            return (rounded != double) | ((rounded == double) & tie)
        case "<" | "<=":
            tie = (double >= _PAST_INTEGERS) | compared(operator, integer, truncated)
            return (rounded < double) | ((rounded == double) & tie)
        case ">" | ">=":
            tie = (double < _PAST_INTEGERS) & compared(operator, integer, truncated)
            return (rounded > double) | ((rounded == double) & tie)


def _with_number(operator: ComparisonOperator, left: Cell, constant: int | float) -> Column:
    value = number(constant)
    if value is None:
        return F.lit(False)
    found: list[Column | None] = []
    for kind, column in left:
        match kind:
            case "integer":
                found.append(_integer_with_constant(operator, column, value))
            case "fraction" | "double":
                found.append(_double_with_constant(operator, column, value))
            case _:
                found.append(column.isNotNull() if operator == "!=" else None)
    return _any(found)


def _integer_with_constant(operator: ComparisonOperator, column: Column, value: int | float) -> Column | None:
    if isinstance(value, int):
        return compared(operator, column, value)
    match operator:
        case "=":
            return None
        case "!=":
            return column.isNotNull()
        case "<" | ">=":
            least = math.ceil(value)  # x < 1.5 is x < 2
            if MIN_INTEGER <= least <= MAX_INTEGER:
                return compared(operator, column, least)
        case "<=" | ">":
            greatest = math.floor(value)
            if MIN_INTEGER <= greatest <= MAX_INTEGER:
                return compared(operator, column, greatest)
    return column.isNotNull() if (value > 0) == (operator in ("<", "<=")) else None


def _double_with_constant(operator: ComparisonOperator, column: Column, value: int | float) -> Column | None:
    rounded = float(value)
    if rounded == value:
        return compared(operator, column, rounded)
    match operator:  # an integer that no double equals
        case "=":
            return None
        case "!=":
            return column.isNotNull()
        case "<" | "<=":
            return column <= (rounded if rounded < value else math.nextafter(rounded, -math.inf))
        case ">" | ">=":
            return column >= (rounded if rounded > value else math.nextafter(rounded, math.inf))


def same(left: Cell | Scalar, right: Cell | Scalar) -> Column:
    """Returns whether two cells have the same value; false or null where not, and where there is none."""
    return compare("=", left, right)


def aligned(left: Cell, right: Cell) -> tuple[Cell, Cell]:
    """Returns the two with the components that both can have: they are the same value where all of these are `<=>`.

    A value of a type that the other cannot have becomes null; so check for missing values first (`is_defined`).
    `double` stays only where both have it and nothing else for numbers.
    """
    numbers = [[name for name in cell.components if name in NUMBERS] for cell in (left, right)]
    if numbers != [["double"], ["double"]]:
        left, right = canonical(left), canonical(right)
    shared = set(left.components) & set(right.components)
    return tuple(  # type: ignore[return-value]  # two
        replace(cell, **{name: None for name in cell.components if name not in shared}) for cell in (left, right)
    )


def number_order(cell: Cell) -> Column:
    """Returns a struct that orders numbers exactly, whole or not; null where there is no number."""
    exact = canonical(cell)
    integer = F.lit(None).cast("bigint") if exact.integer is None else exact.integer
    fraction = F.lit(None).cast("double") if exact.fraction is None else exact.fraction
    rounded = F.coalesce(integer.cast("double"), fraction)
    # 2^63 is the only fraction to which an integer is rounded, and is greater than that integer
    order = F.struct(rounded.alias("rounded"), integer.isNull().alias("past"), integer.alias("integer"))
    return F.when(rounded.isNotNull(), order)
