"""The few functions without an equivalent in Spark: they run the model's own code in Python, over Arrow batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.types import BooleanType, DataType, StringType

from cera.engines.spark.values.sql_columns import called
from cera.model.calendars.calendar_files import Calendar, occurs_in_relation
from cera.model.evaluation.functions import FUNCTIONS
from cera.model.expressions.expression import TimerQuery
from cera.model.terms.term import format_scalar
from cera.model.terms.values import number
from cera.model.time.interval import Interval

_PLANNING = ContextVar("planning", default=False)


@contextmanager
def planning() -> Iterator[None]:
    """While a plan is lowered, functions of Python are only named: Spark is not needed then, and makes none of them."""
    before = _PLANNING.set(True)
    try:
        yield
    finally:
        _PLANNING.reset(before)


def is_planning() -> bool:
    return _PLANNING.get()


def _call(function: Callable[..., pa.Array], result: DataType, *columns: Column) -> Column:
    if is_planning():
        return called("python")
    made = arrow_udf(function, result)  # type: ignore[call-overload]  # its kind is read from the type hints
    column: Column = made(*columns)
    return column


def printed_fraction(double: Column) -> Column:
    """Computes `string(x)` of a double: Java 17 does not always print the shortest digits, Python does."""

    def printed(values: pa.Array) -> pa.Array:
        numbers = [None if value is None else number(value) for value in values.to_pylist()]
        return pa.array([None if value is None else format_scalar(value) for value in numbers], pa.string())

    return _call(printed, StringType(), double)


def matches(text: Column, expression: Column) -> Column:
    """Computes `matches(text, expression)` in linear time; null where the expression is invalid."""
    apply: Callable[[str, str], bool | None] = FUNCTIONS["matches"].apply

    def matched(texts: pa.Array, expressions: pa.Array) -> pa.Array:
        pairs = zip(texts.to_pylist(), expressions.to_pylist(), strict=True)
        return pa.array([None if t is None or e is None else apply(t, e) for t, e in pairs], pa.bool_())

    return _call(matched, BooleanType(), text, expression)


def occurs(
    timer: TimerQuery, calendars: tuple[Calendar, ...], timezone: str, relation: str, begin: Column, end: Column
) -> Column:
    """Returns whether an interval of the periodic timer is in Allen's relation to [begin, end], or null if that is."""

    def found(begins: pa.Array, ends: pa.Array) -> pa.Array:
        answers = [
            None if b is None or e is None else occurs_in_relation(timer, calendars, relation, Interval(b, e), timezone)
            for b, e in zip(begins.to_pylist(), ends.to_pylist(), strict=True)
        ]
        return pa.array(answers, pa.bool_())

    return _call(found, BooleanType(), begin, end)
