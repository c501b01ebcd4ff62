"""The functions of `pyspark.sql.functions` that plans are made of, as SQL text: see `sql_columns.py`.

Where an argument is a column of PySpark itself, so is what they return.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from inspect import signature
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as in_java

from cera.engines.spark.values.sql_columns import Cases, SqlColumn, called, is_text, quoted_name, text_of

Lambda = Callable[..., Column]


def lit(value: Any) -> Column:
    return SqlColumn(text_of(value)) if is_text(value) else in_java.lit(value)


def col(name: str) -> Column:
    """Returns a column by its name, in which dots and backquotes mean what they mean to Spark."""
    return in_java.col(name) if "`" in name or "." in name or "*" in name else SqlColumn(quoted_name(name), name)


def expr(text: str) -> Column:
    return SqlColumn(f"({text})")


def when(condition: Column, value: Any) -> Column:
    if not is_text(condition) or not is_text(value):
        return in_java.when(condition, value)
    return Cases(condition, value)


def call_function(name: str, *columns: Column) -> Column:
    if not all(map(is_text, columns)):
        return in_java.call_function(name, *columns)
    return called(name, *columns)


def struct(*columns: Column | str) -> Column:
    parts = [col(part) if isinstance(part, str) else part for part in columns]
    if not all(isinstance(part, SqlColumn) and part.named is not None for part in parts):
        return in_java.struct(*parts)
    named = [item for part in parts if isinstance(part, SqlColumn) for item in (part.named, part)]
    return called("named_struct", *named)


def _function(name: str, *constants: int, sql: str | None = None) -> Lambda:
    """Returns a function of columns, or their names; at the places of `constants` texts are constants."""

    def call(*arguments: Any) -> Column:
        if not all(map(is_text, arguments)):
            found: Column = getattr(in_java, name)(*arguments)
            return found
        columns = [
            col(argument) if isinstance(argument, str) and place not in constants else argument
            for place, argument in enumerate(arguments)
        ]
        return called(sql or name, *columns)

    return call


abs = _function("abs")
add_months = _function("add_months")
array = _function("array")
array_compact = _function("array_compact")
array_distinct = _function("array_distinct")
array_join = _function("array_join", 1, 2)
array_max = _function("array_max")
array_min = _function("array_min")
array_position = _function("array_position", 1)
array_sort = _function("array_sort")
btrim = _function("btrim")
char_length = _function("char_length")
coalesce = _function("coalesce")
collate = _function("collate", 1)
collect_list = _function("collect_list")
concat = _function("concat")
concat_ws = _function("concat_ws", 0)
contains = _function("contains")
convert_timezone = _function("convert_timezone")
conv = _function("conv")
create_map = _function("create_map", sql="map")
date_from_unix_date = _function("date_from_unix_date")
element_at = _function("element_at", 1)
endswith = _function("endswith")
explode = _function("explode")
explode_outer = _function("explode_outer")
extract = _function("extract", sql="date_part")
first = _function("first")
floor = _function("floor")
format_string = _function("format_string", 0)
get = _function("get")
greatest = _function("greatest")
hex = _function("hex")
hour = _function("hour")
isnan = _function("isnan")
is_variant_null = _function("is_variant_null")
json_object_keys = _function("json_object_keys")
lag = _function("lag")
lead = _function("lead")
least = _function("least")
length = _function("length")
lower = _function("lower")
lpad = _function("lpad", 2)
map_entries = _function("map_entries")
map_from_entries = _function("map_from_entries")
map_keys = _function("map_keys")
max = _function("max")
min = _function("min")
min_by = _function("min_by")
minute = _function("minute")
monotonically_increasing_id = _function("monotonically_increasing_id")
pmod = _function("pmod")
raise_error = _function("raise_error", 0)
regexp_extract = _function("regexp_extract", 1)
regexp_replace = _function("regexp_replace", 1, 2)
replace = _function("replace")
rint = _function("rint")
round = _function("round")
rpad = _function("rpad", 2)
sequence = _function("sequence")
size = _function("size")
sort_array = _function("sort_array")
split = _function("split", 1)
split_part = _function("split_part")
startswith = _function("startswith")
substr = _function("substr")
substring = _function("substring")
sum = _function("sum")
timestamp_micros = _function("timestamp_micros")
to_json = _function("to_json")
trim = _function("trim")
try_add = _function("try_add")
try_divide = _function("try_divide")
try_element_at = _function("try_element_at")
try_make_timestamp_ntz = _function("try_make_timestamp_ntz")
try_mod = _function("try_mod")
try_multiply = _function("try_multiply")
try_subtract = _function("try_subtract")
try_to_number = _function("try_to_number")
unix_date = _function("unix_date")
unix_micros = _function("unix_micros")
upper = _function("upper")
xxhash64 = _function("xxhash64")


def count(column: Column | str) -> Column:
    return called("count", 1) if isinstance(column, str) and column == "*" else _count(column)


_count = _function("count")
count_if = _function("count_if")


def transform(array: Column, function: Lambda) -> Column:
    return _higher("transform", array, function)


def filter(array: Column, function: Lambda) -> Column:
    return _higher("filter", array, function)


def transform_values(mapping: Column, function: Lambda) -> Column:
    return _higher("transform_values", mapping, function)


def exists(array: Column, function: Lambda) -> Column:
    return _higher("exists", array, function)


def aggregate(array: Column, start: Column, merge: Callable[[Column, Column], Column]) -> Column:
    found = _lambda(lambda total, one: merge(total, one)) if is_text(array) and is_text(start) else None
    if found is None:
        return in_java.aggregate(array, start, lambda total, one: merge(total, one))
    return called("aggregate", array, start, found)


def _higher(name: str, array: Column, function: Lambda) -> Column:
    found = _lambda(function) if is_text(array) else None
    if found is None:
        made: Column = getattr(in_java, name)(array, function)
        return made
    return called(name, array, found)


#: How many lambdas are around that which is written: a name of an inner one is not that of an outer one.
_depth = ContextVar("depth", default=0)


def _lambda(function: Lambda) -> SqlColumn | None:
    """Returns a function of columns as a lambda of SQL; None if what it returns is no text."""
    names = [f"each_{_depth.get()}_{place}" for place in range(len(signature(function).parameters))]
    outside = _depth.set(_depth.get() + 1)
    try:
        body = function(*map(SqlColumn, names))
    finally:
        _depth.reset(outside)
    if not is_text(body):
        return None
    return SqlColumn(f"{names[0] if len(names) == 1 else '(' + ', '.join(names) + ')'} -> {text_of(body)}")
