"""The built-in functions of expressions on columns, by name: `cera.model.evaluation.functions`, natively."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from pyspark.sql import Column

from cera.engines.spark.values import python_functions, texts
from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.arithmetic import absolute, canonical, literal
from cera.engines.spark.values.cells import TYPES, Cell
from cera.engines.spark.values.comparison import NUMBERS, number_order
from cera.engines.spark.values.folding import as_struct, from_struct
from cera.engines.spark.values.temporal import (
    DistanceColumns,
    DurationColumns,
    IntervalColumns,
    TimeColumns,
    hull,
    in_microseconds,
    in_units,
    iso,
    relative_timer,
    time_literal,
)
from cera.model.evaluation.functions import FUNCTIONS, Kind
from cera.model.terms.values import Scalar
from cera.model.time.durations import Distance, Duration
from cera.model.time.interval import Interval
from cera.model.time.timers import SYNONYMS

#: A value of the program as columns, or as itself where it is constant.
Operand = Cell | TimeColumns | Scalar | Interval | Duration | Distance

_NOTHING = Cell()
_PARTS = ("integer", "double")
#: How many digits of microseconds the units of time have.
_DIGITS: Mapping[str, int] = MappingProxyType({"seconds": 6, "milliseconds": 3})


def call(function: str, arguments: Sequence[Operand], fallback: Callable[[str], None]) -> Cell | TimeColumns:
    """Applies the function to arguments of any kind; null where one is undefined or of another kind."""
    columns = [_of_kind(argument, FUNCTIONS[function].parameter(i)) for i, argument in enumerate(arguments)]
    if any(column is None for column in columns):
        return _NOTHING
    found = [column for column in columns if column is not None]
    intervals = [column for column in found if isinstance(column, IntervalColumns)]
    cells = [column for column in found if isinstance(column, Cell)]
    if function in SYNONYMS:
        return _timer(function, intervals[0], arguments[1])
    match function:
        case "begin":
            return IntervalColumns(intervals[0].begin, intervals[0].begin, True)
        case "end":
            return IntervalColumns(intervals[0].end, intervals[0].end, True)
        case "length":
            return DistanceColumns(intervals[0].begin, intervals[0].end)
        case "timeDiff":
            span = hull(intervals)  # ERR-26: symmetric, the length of the hull
            return DistanceColumns(span.begin, span.end)
        case "hull":
            return hull(intervals)
        case "iso":
            return Cell(string=iso(intervals[0]))
        case "seconds" | "milliseconds":
            return _NOTHING if isinstance(found[0], Cell) else Cell(double=in_units(found[0], _DIGITS[function]))
        case "microseconds":
            return _NOTHING if isinstance(found[0], Cell) else Cell(integer=in_microseconds(found[0]))
        case "matches":
            return texts.matches(cells[0], arguments[1], fallback)
        case "least" | "greatest":
            return _extreme(function, cells) if len(cells) == len(found) else _NOTHING
        case "number":
            return _to_number(cells[0]) if cells else _NOTHING
        case "string":
            return _to_string(cells[0], fallback) if cells else _NOTHING
        case "abs" | "round" | "floor" | "ceiling":
            return ON_NUMBERS[function](cells[0])
        case _:
            return texts.call(function, cells, arguments)


def _of_kind(argument: Operand, kind: Kind) -> Cell | TimeColumns | None:
    """Returns the argument as columns if it can be of the kind; of a cell only the components that are."""
    if isinstance(argument, Interval | Duration | Distance):
        argument = time_literal(argument)
    elif isinstance(argument, str | int | float):
        argument = literal(argument)
    match kind, argument:
        case "any", _:
            return argument
        case "number", Cell():
            return _only(argument, NUMBERS)
        case (("string" | "boolean"), Cell()):
            return _only(argument, (kind,))
        case "interval", IntervalColumns():
            return argument
        case "duration", (DurationColumns() | DistanceColumns()):
            return argument
        case _:
            return None


def _only(cell: Cell, names: Sequence[str]) -> Cell | None:
    kept = Cell(**{name: column for name, column in cell if name in names})
    return kept if kept.components else None


def _timer(kind: str, anchor: IntervalColumns, length: Operand) -> IntervalColumns:
    match length:
        case Duration() | DurationColumns() | DistanceColumns():
            return relative_timer(kind, anchor, length)
        case Distance():
            return relative_timer(kind, anchor, Duration(0, length.microseconds))
        case _:
            raise AssertionError("the length of a timer is a length of time")


def _made_whole(function: str, cell: Cell) -> Cell:
    """Rounds a fraction to a whole number; a number past 64 bits is whole already."""
    double = cell.double if cell.fraction is None else cell.fraction
    if double is None:
        return cell
    if function == "round":
        rounded = F.round(double)
    else:
        truncated = double.try_cast("bigint").cast("double")  # Spark's own fail past 64 bits
        if function == "floor":
            rounded = F.when(truncated > double, truncated - 1.0).otherwise(F.coalesce(truncated, double))
        else:
            rounded = F.when(truncated < double, truncated + 1.0).otherwise(F.coalesce(truncated, double))
    return Cell(integer=cell.integer, double=rounded)


#: The functions from one number to one number.
ON_NUMBERS: Mapping[str, Callable[[Cell], Cell]] = MappingProxyType(
    {"abs": absolute, **{name: partial(_made_whole, name) for name in ("round", "floor", "ceiling")}}
)


def _extreme(function: str, cells: Sequence[Cell]) -> Cell:
    """Returns the least or greatest of numbers, or of strings; undefined on a mixture and on anything else."""
    texts_only = [cell.string for cell in cells if cell.string is not None]
    numbers = [kept for cell in cells if (kept := _only(cell, NUMBERS)) is not None]
    string = _chosen(function, texts_only) if len(texts_only) == len(cells) else None
    if len(numbers) < len(cells):
        return Cell(string=string)
    names = {cell.components for cell in numbers}
    if len(names) == 1 and len(name := next(iter(names))) == 1:
        columns = [getattr(cell, name[0]) for cell in numbers]
        return Cell(string=string, **{name[0]: _chosen(function, columns)})
    number = _extreme_number(function, numbers)
    return Cell(integer=number["integer"], fraction=number["fraction"], string=string)


def _extreme_number(function: str, numbers: Sequence[Cell]) -> Column:
    """Returns the least or greatest as a struct. Each number is named once, so that nested calls do not multiply."""
    packed = F.array(*(as_struct(_with_all(_in_doubles(cell), _PARTS)) for cell in numbers))
    keyed = F.transform(packed, lambda number: _keyed(canonical(from_struct(number, _PARTS))))
    # null where one is null: those come first in one order, last in the other
    chosen = F.get(F.sort_array(keyed), F.lit(0)) if function == "least" else F.element_at(F.array_sort(keyed), -1)
    return chosen["value"]


def _in_doubles(cell: Cell) -> Cell:
    """Returns the same number with `double` for `fraction`."""
    return Cell(integer=cell.integer, double=cell.double if cell.fraction is None else cell.fraction)


def _with_all(cell: Cell, names: Sequence[str]) -> Cell:
    """Returns the cell with a column for each of the names."""
    return Cell(**({name: F.lit(None).cast(TYPES[name]) for name in names} | dict(cell)))


def _keyed(cell: Cell) -> Column:
    order = number_order(cell)
    value = as_struct(_with_all(cell, ("integer", "fraction")))
    return F.when(order.isNotNull(), F.struct(order.alias("order"), value.alias("value")))


def _chosen(function: str, columns: Sequence[Column]) -> Column:
    """Returns the least or greatest, null where one of them is null (which Spark's functions pass over)."""
    if len(columns) == 1:
        return columns[0]
    chosen = (F.least if function == "least" else F.greatest)(*columns)
    for column in columns:
        chosen = F.when(column.isNotNull(), chosen)
    return chosen


def _to_number(cell: Cell) -> Cell:
    """Returns a number as it is; a string as the number that it spells (`values.infer_scalar`)."""
    if cell.string is None:
        return _only(cell, NUMBERS) or _NOTHING
    integer, double = texts.read_number(cell.string)
    own = canonical(cell)
    parts = [column for column in (own.fraction, double) if column is not None]
    return Cell(integer=integer if own.integer is None else F.coalesce(own.integer, integer), double=F.coalesce(*parts))


def _to_string(cell: Cell, fallback: Callable[[str], None]) -> Cell:
    double = cell.double if cell.fraction is None else cell.fraction
    found = [column.cast("string") for name, column in cell if name in ("string", "integer", "boolean")]
    if double is not None:
        fallback("string(…) of a fraction")
        found.append(python_functions.printed_fraction(double))
    return Cell(string=F.coalesce(*found)) if found else _NOTHING
