"""Reasons why a row has no time, worded as by `TimeFormat.parse` and `record_times.record_times`, natively."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    TimestampNTZType,
    TimestampType,
)

from cera.connectors.records.layout import Layout
from cera.engines.spark.reading.time_columns import AMBIGUOUS, clock_microseconds
from cera.engines.spark.tables.relations import column
from cera.engines.spark.values.json_text import string_json
from cera.engines.spark.values.temporal import IntervalColumns, iso
from cera.model.time.interval import MAX_TIME, MIN_TIME
from cera.model.time.time_text import DAY_OR_NUMBER, LIKE_A_DATE, OTHER_FORMAT, YEAR_OR_NUMBER

_YEAR_DIGITS = 4
_UNITS: dict[str, tuple[str, float]] = {
    "s": ("seconds", 10**6),
    "ms": ("milliseconds", 10**3),
    "us": ("microseconds", 1),
    "ns": ("nanoseconds", 1e-3),
}
_NUMBER = r"^\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*$"
_OFFSET = r"(?: ?(?:[Zz]|UTC|[+-](\d{2})(?::?(\d{2}))?))?"
_ISO_8601 = (
    r"^\s*(?:\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?"
    rf"{_OFFSET})?"
    rf"|\d{{8}}[Tt]\d{{4}}(?:\d{{2}}(?:[.,]\d+)?)?{_OFFSET})\s*$"
)
_MOST_HOURS, _MOST_MINUTES = 23, 59
_SHOWN = 60


def missing(name: str, other: str, layout: Layout) -> Column:
    """Returns the reason for an empty column of times; `other` is the one for the other end."""
    named = F.lit(f"the time is missing: there is no field `{name}`")
    if layout.time_source is not None:
        return named
    nowhere = F.lit("the time is missing: expected the field `at`, or `begin` and `end`")
    return F.when(column(other).isNull(), nowhere).otherwise(named)


def no_time(name: str, kind: DataType, layout: Layout) -> Column:
    """Returns the reason for a value that is not a time; null where there is no value."""
    unit, scale = _UNITS[layout.times.unit or "s"]
    value = column(name)
    pattern = layout.times.pattern
    text = "ISO 8601 like 2006-09-18T09:00:00Z" if pattern is None else f"a text like {pattern}"
    expected = f" is not a time; expected {text}, or a number of {unit}"
    match kind:
        case ByteType() | ShortType() | IntegerType() | LongType():
            reason = _outside(value.cast("string"), unit)
        case FloatType() | DoubleType() | DecimalType():
            shown = value.cast("string")
            finite = F.abs(value.cast("double")) < float("inf")
            reason = F.when(finite, _number(shown, value.cast("double"), unit, scale)).otherwise(
                F.concat(shown, F.lit(expected))
            )
        case StringType() if pattern is not None:
            reason = F.concat(_quoted(value), F.lit(f" is not a time like {pattern}"))
        case StringType():
            shown = _quoted(value)
            number = _number(shown, F.trim(value).try_cast("double"), unit, scale)
            ambiguous = value.rlike(AMBIGUOUS) if layout.times.unit is None else F.lit(False)
            reason = F.when(ambiguous, _year_or_day(F.trim(value), shown)).when(value.rlike(_NUMBER), number)
            reason = reason.when(value.rlike(_ISO_8601), _moment(value, shown))
            other_format = F.when(value.rlike(LIKE_A_DATE), F.lit(OTHER_FORMAT)).otherwise(F.lit(""))
            reason = reason.otherwise(F.concat(shown, F.lit(expected), other_format))
        case _:
            reason = _outside(_quoted(_iso(value, kind, layout)))
    return F.concat(F.lit(f"in the field `{name}`: "), reason)


def shown(name: str, kind: DataType, layout: Layout) -> Column:
    """Returns a time as the other readers show it: a number as it is, a text in quotation marks."""
    value = column(name)
    if isinstance(kind, StringType):
        return string_json(value)
    if isinstance(kind, TimestampType | TimestampNTZType | DateType):
        return string_json(_iso(value, kind, layout))
    return value.cast("string")


def _iso(value: Column, kind: DataType, layout: Layout) -> Column:
    if isinstance(kind, DateType):
        return value.cast("string")
    zone = layout.times.timezone
    time = F.unix_micros(value) if isinstance(kind, TimestampType) else clock_microseconds(value, zone)
    return F.coalesce(iso(IntervalColumns(time, time, is_point=True)), value.cast("string"))


def _quoted(text: Column) -> Column:
    trimmed = F.trim(text)
    cut = F.when(F.length(trimmed) > _SHOWN, F.concat(F.left(trimmed, F.lit(_SHOWN)), F.lit("…"))).otherwise(trimmed)
    return F.concat(F.lit("'"), cut, F.lit("'"))


def _outside(shown: Column, unit: str | None = None) -> Column:
    words = [F.lit(f" {unit}")] if unit else []
    hint = "; is the unit of time right?" if unit else ""
    return F.concat(shown, *words, F.lit(f" lies outside of the years 1 to 9999 in UTC{hint}"))


def _number(shown: Column, value: Column, unit: str, scale: float) -> Column:
    fine = F.concat(shown, F.lit(f" {unit} is not a whole number of microseconds, the finest time there is"))
    return F.when((value * scale).between(MIN_TIME, MAX_TIME), fine).otherwise(_outside(shown, unit))


def _year_or_day(digits: Column, shown: Column) -> Column:
    def reason(text: str, date: Column) -> Column:
        before, after = text.split("{date}")
        return F.concat(shown, F.lit(before), date, F.lit(after))

    year = reason(YEAR_OR_NUMBER, F.concat(digits, F.lit("-01-01")))
    day = reason(DAY_OR_NUMBER, F.regexp_replace(digits, r"^(\d{4})(\d{2})(\d{2})$", "$1-$2-$3"))
    return F.when(F.length(digits) == _YEAR_DIGITS, year).otherwise(day)


def _moment(value: Column, shown: Column) -> Column:
    """Returns the reason for a text that looks like ISO 8601."""
    # the offset stands in one of two places: behind a time with separators, or without
    hours, minutes = (
        F.coalesce(*(F.regexp_extract(value, _ISO_8601, group + other).try_cast("int") for other in (0, 2)), F.lit(0))
        for group in (1, 2)
    )
    offset = F.concat(shown, F.lit(" has no offset from UTC; expected Z or one like +02:00, at most 23:59"))
    calendar = F.concat(shown, F.lit(" is not a date and time of the calendar"))
    spelled = F.regexp_replace(F.trim(value), r"^(\d{4})(\d{2})(\d{2})", "$1-$2-$3")
    date = F.left(spelled, F.lit(10))
    at_the_edge = F.left(date, F.lit(4)).isin("0001", "9999") & date.try_cast("date").isNotNull()
    return (
        F.when((hours > _MOST_HOURS) | (minutes > _MOST_MINUTES), offset)
        .when(at_the_edge, _outside(shown))  # only its offset moves it out of the calendar
        .otherwise(calendar)
    )
