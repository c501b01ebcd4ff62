"""Columns of times as microseconds since 1970 UTC: `TimeFormat.parse`, natively.

Values that are not times, or lie outside of the years 1 to 9999, give null.
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column
from pyspark.sql.functions import udf
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

from cera.engines.spark.values import sql_functions as F
from cera.model.time.interval import MAX_TIME, MIN_TIME
from cera.model.time.time_text import YEAR_OR_DAY, TimeError, TimeFormat

_PLACES = {"s": 6, "ms": 3, "us": 0, "ns": 0}
_NANOSECONDS = 1_000
_DAY, _HOUR, _MINUTE, _SECOND = 86_400_000_000, 3_600_000_000, 60_000_000, 1_000_000
_NUMBER = r"\A\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*\z"
#: A year or a day, or a number if the unit of numbers is given.
AMBIGUOUS = rf"\A\s*(?:{YEAR_OR_DAY})\s*\z"
_OFFSET = r"(?: ?(?:([Zz]|UTC)|([+-])(\d{2})(?::?(\d{2}))?))?"
_ISO_8601 = (
    r"\A\s*(\d{4})-(\d{2})-(\d{2})"
    rf"(?:[Tt ](\d{{2}}):(\d{{2}})(?::(\d{{2}})(?:[.,](\d+))?)?{_OFFSET})?\s*\z"
)
_BASIC_ISO_8601 = rf"\A\s*(\d{{4}})(\d{{2}})(\d{{2}})[Tt](\d{{2}})(\d{{2}})(?:(\d{{2}})(?:[.,](\d+))?)?{_OFFSET}\s*\z"
_PARTS = "|".join(f"${group}" for group in range(1, 12))

#: The types that a column of times may have.
TIME_TYPES = (
    TimestampType,
    TimestampNTZType,
    DateType,
    ByteType,
    ShortType,
    IntegerType,
    LongType,
    FloatType,
    DoubleType,
    DecimalType,
    StringType,
)


def microseconds(time: Column, kind: DataType, times: TimeFormat) -> tuple[Column, Column]:
    """Returns the time as a bigint, and where it is valid: elsewhere it may be anything."""
    found = _unbounded(time, kind, times)
    if isinstance(kind, TimestampType):  # kept simple, because everything computed later contains it
        return found, found.between(MIN_TIME, MAX_TIME)
    dated = _once(found, lambda time: F.when(time.between(MIN_TIME, MAX_TIME), time))
    return dated, dated.isNotNull()


def _unbounded(time: Column, kind: DataType, times: TimeFormat) -> Column:
    if times.pattern is not None and isinstance(kind, StringType):
        return udf(_parser(times), "bigint", useArrow=False)(time)
    if times.unit == "ns" and not isinstance(kind, TimestampType | TimestampNTZType | DateType | StringType):
        return F.floor(time.cast("decimal(38,9)") / _NANOSECONDS).try_cast("bigint")
    places = _PLACES[times.unit or "s"]
    match kind:
        case TimestampType():
            return F.unix_micros(time)
        case TimestampNTZType() | DateType():
            return clock_microseconds(time.cast("timestamp_ntz"), times.timezone)
        case ByteType() | ShortType() | IntegerType() | LongType():
            return F.try_multiply(time.cast("bigint"), F.lit(10**places))
        case FloatType() | DoubleType():
            return _of_double(time.cast("double"), 10**places)
        case DecimalType():
            return _of_decimal(time, kind.scale, places)
        case _:
            text = time.cast("string")
            is_number = text.rlike(_NUMBER) if times.unit is not None else text.rlike(_NUMBER) & ~text.rlike(AMBIGUOUS)
            digits = F.when(is_number, F.trim(text).try_cast("decimal(38,18)"))
            number = _of_decimal(digits, 18, places)
            if times.unit == "ns":
                number = F.floor(digits / _NANOSECONDS).try_cast("bigint")
            return F.coalesce(number, _of_iso_8601(text, times.timezone))


def _parser(times: TimeFormat) -> Callable[[str | None], int | None]:
    """Returns `TimeFormat.parse` for a worker of Spark; null where there is no time."""

    def parsed(text: str | None) -> int | None:
        try:
            return None if text is None else times.parse(text)
        except TimeError:
            return None

    return parsed


def _of_double(time: Column, scale: int) -> Column:
    """Returns the microsecond that the double stands for: the one that is written as this double in the unit."""
    nearest = F.rint(time * scale).try_cast("bigint")
    return F.when(nearest.cast("double") / scale == time, nearest)


def _of_decimal(time: Column, scale: int, places: int) -> Column:
    cut = time.try_cast(f"decimal(38,{places})") if scale > places else time
    whole = F.try_multiply(cut, F.lit(10**places).cast("decimal(7,0)")).try_cast("bigint")
    return F.when(cut.try_cast(f"decimal(38,{scale})") == time, whole)


def clock_microseconds(clock: Column, zone: str) -> Column:
    """Returns the time at which a clock of the zone shows this; the first if it does so twice."""
    if zone != "UTC":
        clock = F.convert_timezone(F.lit(zone), F.lit("UTC"), clock)
    # parts of a clock do not depend on the zone of the session, as most other time functions do
    days = F.unix_date(clock.cast("date")).cast("bigint") * _DAY
    seconds = (F.extract(F.lit("SECOND"), clock) * _SECOND).cast("bigint")
    hours, minutes = F.hour(clock).cast("bigint"), F.minute(clock).cast("bigint")
    return days + hours * _HOUR + minutes * _MINUTE + seconds


def _of_iso_8601(text: Column, zone: str) -> Column:
    is_basic = text.rlike(_BASIC_ISO_8601)
    spelled = F.when(is_basic, F.regexp_replace(text, _BASIC_ISO_8601, _PARTS))
    parts = F.split(spelled.otherwise(F.regexp_replace(text, _ISO_8601, _PARTS)), "[|]")
    return F.when(is_basic | text.rlike(_ISO_8601), _once(parts, lambda found: _moment(found, zone)))


def _moment(parts: Column, zone: str) -> Column:
    """Returns the time from the parts of its text."""

    def count(index: int) -> Column:
        return F.coalesce(parts[index].try_cast("int"), F.lit(0))

    fraction = F.coalesce(F.rpad(parts[6], 6, "0").try_cast("int"), F.lit(0))  # which truncates longer fractions
    seconds = (count(5) * F.lit(_SECOND) + fraction).cast("decimal(14,0)") / F.lit(_SECOND)
    valid = (count(5) <= 59) & (count(9) <= 23) & (count(10) <= 59)
    is_end_of_day = (count(3) == 24) & (count(4) == 0) & (count(5) == 0) & ~parts[6].rlike("[1-9]")
    hours = F.when(is_end_of_day, 0).otherwise(count(3))
    fields = [*(count(index) for index in range(3)), hours, count(4), seconds.cast("decimal(8,6)")]
    started = F.when(valid, F.try_make_timestamp_ntz(*fields))
    clock = started + F.when(is_end_of_day, F.expr("INTERVAL 1 DAY")).otherwise(F.expr("INTERVAL 0 DAY"))
    offset = (count(9) * 60 + count(10)).cast("bigint") * F.when(parts[8] == "-", -_MINUTE).otherwise(_MINUTE)
    is_local = (parts[7] == "") & (parts[8] == "")
    if zone == "UTC":
        return clock_microseconds(clock, zone) - offset
    return F.when(is_local, clock_microseconds(clock, zone)).otherwise(clock_microseconds(clock, "UTC") - offset)


def _once(value: Column, function: Callable[[Column], Column]) -> Column:
    """Applies a function to a value that is computed once, however often the function mentions it."""
    return F.transform(F.array(value), function)[0]
