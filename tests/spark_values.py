"""Random expressions over rows of random values, as a DataFrame and as what the model's evaluator takes."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StructField, StructType

from cera.engines.spark.values.cells import TYPES, Cell
from cera.engines.spark.values.expressions import ValueColumns
from cera.engines.spark.values.sql_columns import SqlColumn, quoted_name
from cera.engines.spark.values.temporal import DistanceColumns, DurationColumns, IntervalColumns
from cera.model.calendars.calendar_files import Calendar
from cera.model.evaluation.functions import Result
from cera.model.terms.hashing import hash_value
from cera.model.terms.term import Term, Value
from cera.model.terms.values import number
from cera.model.time.durations import Distance, Duration
from cera.model.time.interval import MAX_TIME, MIN_TIME, Interval

INTEGERS = (0, 1, -1, 2, 3, 7, -7, 40, 86_400, 2**31, 2**53, 2**53 - 1, 2**53 + 1, -(2**53) - 1, 2**62, 2**62 + 1)
LARGEST = (2**63 - 1, -(2**63), -(2**63) + 1, 2**63 - 513)
WHOLE_DOUBLES = (0.0, -0.0, 1.0, -7.0, 40.0, 2.0**52, 2.0**53, 2.0**53 + 2, -(2.0**62), -(2.0**63), 4503599627370497.0)
FRACTIONS = (0.5, -0.5, 1.5, 2.5, -2.5, 0.1, 39.99, 2.0**63, 1e300, -1e300, 1.7e308, 5e-324, 0.49999999999999994)
STRINGS = (
    "",
    "a",
    "b",
    "abc",
    "Abc",
    " a\t",
    "ab ab",
    "40",
    "-7",
    "+1",
    "007",
    "1.5",
    "9" * 19,
    "é",
    "😀x",
    "straße",
    "e5",
)
TIMES = (0, 1, -1, 10, 951_782_400_000_000, 1_000_000, 1_709_164_800_000_001, -86_400_000_001, MIN_TIME, MAX_TIME)

#: The components that each variable can have; X is never bound.
VARIABLES: Mapping[str, tuple[str, ...]] = {
    "I": ("integer",),
    "J": ("integer",),
    "D": ("double",),
    "E": ("double",),
    "P": ("fraction",),
    "N": ("integer", "fraction"),
    "K": ("integer", "double"),
    "S": ("string",),
    "B": ("boolean",),
    "T": ("term",),
    "M": ("integer", "fraction", "string", "boolean", "term"),
    "X": (),
}
NUMBERS = ("I", "J", "D", "E", "P", "N", "K")
IDENTIFIERS = ("i", "j", "p")


@dataclass(frozen=True)
class Row:
    values: Mapping[str, Value]
    times: Mapping[str, Interval]
    stored: Mapping[str, Any]


def random_component(rng: random.Random, name: str) -> Any:
    match name:
        case "integer":
            return rng.choice(rng.choice((INTEGERS, INTEGERS, LARGEST)))
        case "fraction":
            return rng.choice(FRACTIONS)
        case "double":
            return rng.choice(rng.choice((WHOLE_DOUBLES, FRACTIONS)))
        case "string":
            return rng.choice(STRINGS)
        case "boolean":
            return rng.random() < 0.5
        case _:
            return Term(rng.choice("ab"), [rng.choice((1, 2, "x"))], ordered=rng.random() < 0.5)


def stored(value: Any) -> Any:
    """As a column holds it."""
    return (str(value), hash_value(value, 1), hash_value(value, 2)) if isinstance(value, Term) else value


def as_value(held: Any) -> Value:
    if isinstance(held, float):
        found = number(held)
        assert found is not None
        return found
    return held


def random_interval(rng: random.Random, point: bool) -> Interval:
    begin, end = sorted(rng.choice(TIMES) for _ in range(2))
    return Interval(begin, begin if point or rng.random() < 0.3 else end)


def random_row(rng: random.Random) -> Row:
    values: dict[str, Value] = {}
    columns: dict[str, Any] = {}
    for variable, components in VARIABLES.items():
        if components and rng.random() < 0.95:
            component = rng.choice(components)
            held = random_component(rng, component)
            values[variable], columns[f"{variable}:{component}"] = as_value(held), stored(held)
    times: dict[str, Interval] = {}
    for identifier in IDENTIFIERS:
        if identifier != "j" or rng.random() < 0.8:
            times[identifier] = random_interval(rng, identifier == "p")
            columns[f"{identifier}.begin"], columns[f"{identifier}.end"] = times[identifier]
    return Row(values, times, columns)


def frame_of(spark: SparkSession, rows: Sequence[Row]) -> DataFrame:
    names = [(f"{v}:{c}", TYPES[c]) for v, components in VARIABLES.items() for c in components]
    names += [(f"{i}.{edge}", LongType()) for i in IDENTIFIERS for edge in ("begin", "end")]
    schema = StructType([StructField("row", LongType()), *(StructField(name, kind) for name, kind in names)])
    data = [(n, *(row.stored.get(name) for name, _ in names)) for n, row in enumerate(rows)]
    return spark.createDataFrame(data, schema)


@dataclass
class FrameScope:
    """The scope of the columns that `frame_of` makes."""

    calendars: tuple[Calendar, ...] = ()
    timezone: str = "UTC"
    fallbacks: list[str] = field(default_factory=list)

    def cell(self, variable: str) -> Cell:
        return Cell(**{name: _column(f"{variable}:{name}") for name in VARIABLES[variable]})

    def interval(self, identifier: str) -> tuple[Column, Column]:
        return _column(f"{identifier}.begin"), _column(f"{identifier}.end")

    def fallback(self, name: str) -> None:
        self.fallbacks.append(name)


def _column(name: str) -> Column:
    """Returns a column as plans have it, which is text."""
    return SqlColumn(quoted_name(name), name)


def packed(value: ValueColumns) -> Column:
    """One struct column with all that makes a value."""
    match value:
        case Cell():
            return F.struct(*(column.alias(name) for name, column in value), F.lit("data").alias("kind"))
        case IntervalColumns():
            return F.struct(value.begin.alias("begin"), value.end.alias("end"), F.lit("interval").alias("kind"))
        case DistanceColumns():
            return F.struct(value.begin.alias("begin"), value.end.alias("end"), F.lit("distance").alias("kind"))
        case DurationColumns():
            months = F.lit(0).cast("bigint") if value.months is None else value.months
            return F.struct(months.alias("begin"), value.microseconds.alias("end"), F.lit("duration").alias("kind"))


def unpacked(struct: Any) -> Any:
    """The value in a form that is equal exactly for equal ones; None for none."""
    fields = struct.asDict()
    kind = fields.pop("kind")
    if kind != "data":
        parts = tuple(fields.values())
        if kind != "interval" and None in parts:
            return None
        assert (None in parts) == (parts == (None, None)), f"half of a time: {fields}"
        return None if None in parts else (kind, *parts)
    held = [(name, value) for name, value in fields.items() if value is not None]
    assert len(held) <= 1, f"more than one value: {held}"
    for name, value in held:
        if name == "term":
            return ("term", value["h1"], value["h2"])
        if name == "fraction":
            assert number(value) == value, f"a whole number as a fraction: {value}"
            assert isinstance(number(value), float), f"a whole number as a fraction: {value}"
        return comparable(as_value(value))
    return None


def comparable(result: Result | None) -> Any:
    match result:
        case None:
            return None
        case Interval():
            return ("interval", *result)
        case Distance():
            return ("distance", result.begin, result.end)
        case Duration():
            return ("duration", result.months, result.microseconds)
        case Term():
            return ("term", hash_value(result, 1), hash_value(result, 2))
        case _:
            return (type(result).__name__, result)
