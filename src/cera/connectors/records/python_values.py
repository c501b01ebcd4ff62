"""Values of Python, numpy and pandas as the values of a record: what JSON could hold, or None."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from cera.connectors.records.layout import RecordError
from cera.errors import UsageError
from cera.model.terms.json_terms import describe
from cera.model.terms.term import MAX_DEPTH
from cera.model.terms.values import NumberTooLargeError, number, read_fraction
from cera.model.time.durations import DurationError, parse_duration
from cera.model.time.interval import Time
from cera.model.time.time_text import TimeError, TimeFormat

_PLAIN = frozenset({int, bool, type(None)})
_HALF_PAIR = re.compile("[\ud800-\udfff]")


def plain(value: object, timezone: str, depth: int = 0) -> object:
    """Returns a value as JSON would hold it. None, NaN, NaT and NA are None: an absent child.

    Times become ISO 8601 texts in UTC (those without a zone belong to `timezone`), dates texts, decimals numbers; of
    nanoseconds the microseconds are kept. Raises RecordError for values without such a form.
    """
    if type(value) in _PLAIN:
        return value
    if type(value) is str:
        return checked_text(value)
    if depth > MAX_DEPTH:
        raise RecordError(f"a value is nested deeper than {MAX_DEPTH} levels")
    match value:
        case float():
            return float(value) if math.isfinite(value) else None
        case str():
            return checked_text(str(value))
        case int():
            return int(value)
        case datetime():
            return None if value != value else _moment(value, timezone)  # only NaT differs from itself
        case date():
            return value.isoformat()
        case Decimal():
            return _decimal(value)
        case Mapping():
            return {_key(key): plain(child, timezone, depth + 1) for key, child in value.items()}
        case list() | tuple():
            return [plain(child, timezone, depth + 1) for child in value]
        case _ if type(value).__name__ == "NAType":
            return None
        case _ if hasattr(value, "dtype") and hasattr(value, "tolist"):
            return plain(_from_numpy(value), timezone, depth + 1)
        case _:
            raise RecordError(f"a value is a text, a number, a truth value or a time; found {describe(value)}")


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise RecordError(f"a field's name is a text; found {describe(key)}")
    return checked_text(str(key))


def checked_text(text: str) -> str:
    """Returns the text. Raises RecordError where it has half of a surrogate pair, which no encoding has."""
    if not text.isascii() and _HALF_PAIR.search(text):
        raise RecordError("a string contains half of a surrogate pair, which is not a character")
    return text


def time_argument(name: str, value: object, times: TimeFormat) -> Time:
    """Returns the time that an argument gives: microseconds, a text that is read as `times` says, or a datetime."""
    try:
        match value:
            case bool():
                pass
            case int():
                return TimeFormat("us").parse(value)
            case str():
                return times.parse(value)
            case date() if value == value:  # not NaT
                return TimeFormat(timezone=times.timezone).parse(plain(value, times.timezone))
    except (TimeError, RecordError) as error:
        raise UsageError(f"`{name}`: {error}") from error
    expected = "a text like '2026-03-02T10:01:00Z', a datetime, or an int of microseconds since 1970"
    raise UsageError(f"`{name}` is a time: {expected}; found {value!r}")


def _moment(value: datetime, timezone: str) -> str:
    """Returns the time in UTC; the text has no more digits than needed."""
    try:
        clock = value if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError:
        raise RecordError(f"the time {value} lies outside of the years 1 to 9999 in UTC") from None
    text = clock.replace(tzinfo=None).isoformat(timespec="microseconds")[:26]
    zone = timezone if value.tzinfo is None else "UTC"
    return str(TimeFormat().format(TimeFormat(timezone=zone).parse(text)))


def _decimal(value: Decimal) -> int | float | None:
    if not value.is_finite():
        return None
    try:
        if value == value.to_integral_value():
            whole = number(int(value)) if value.adjusted() < 20 else None
            if whole is None:
                raise RecordError(f"the number {str(value)[:40]} is too large: integers have 64 bits")
            return whole
        return read_fraction(str(value))
    except NumberTooLargeError as error:
        raise RecordError(str(error)) from None


def _from_numpy(value: Any) -> object:
    if value.dtype.kind == "M":  # as a list they would be numbers of nanoseconds
        return value.astype("datetime64[us]").tolist()
    if value.dtype.kind in "mV":
        raise RecordError(f"a value is a text, a number, a truth value or a time; found {describe(value)}")
    return value.tolist()


def microseconds(duration: int | str) -> int:
    """Returns a duration, which is not of calendar months, in microseconds."""
    if isinstance(duration, int) and duration >= 0:
        return duration
    if not isinstance(duration, str):
        raise UsageError(f"{duration!r} is not a duration; give microseconds, or a text like '5 sec'")
    try:
        parsed = parse_duration(duration)
    except DurationError as error:
        raise UsageError(str(error)) from error
    if parsed.months:
        raise UsageError(f"'{duration}' has no fixed length; give days instead of months")
    return parsed.microseconds


def limit_argument(name: str, limit: object) -> None:
    """Raises UsageError for a limit that is not a whole number above zero."""
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise UsageError(f"`{name}` is a whole number above zero; found {limit!r}")


def duration_argument(name: str, duration: int | str | None) -> int | None:
    try:
        return None if duration is None else microseconds(duration)
    except UsageError as error:
        raise UsageError(f"`{name}`: {error.message}") from error
