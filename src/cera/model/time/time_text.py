"""Times as people and files write them: ISO 8601 or a number of a unit, in and out.

A time without an offset is that of a clock in a named zone; `cera.model.time.clock` says what it is where the clock is
changed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from math import floor
from types import MappingProxyType
from typing import Literal

from cera.model.time.clock import TimeError, from_local, time_zone
from cera.model.time.interval import EPOCH, MAX_TIME, MICROSECOND, MIN_TIME, Interval, Time, point
from cera.wording import Setting

__all__ = ["TimeError", "TimeFormat", "TimeUnit", "parse_datetime"]

TimeUnit = Literal["s", "ms", "us", "ns"]

#: For each unit, how many decimal places of it a microsecond is, and its name.
_UNITS: Mapping[TimeUnit, tuple[int, str]] = MappingProxyType(
    {"s": (6, "seconds"), "ms": (3, "milliseconds"), "us": (0, "microseconds"), "ns": (-3, "nanoseconds")}
)

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_CLOCK = r"(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?"
_OFFSET = r"(?: ?(?:([Zz]|UTC)|([+-])(\d{2})(?::?(\d{2}))?))?"
_ISO_8601 = re.compile(rf"(\d{{4}})-(\d{{2}})-(\d{{2}}){_CLOCK}{_OFFSET})?", re.ASCII)
#: Without signs between the parts; a date alone would be a number.
_BASIC_ISO_8601 = re.compile(
    rf"(\d{{4}})(\d{{2}})(\d{{2}})[Tt](\d{{2}})(\d{{2}})(?:(\d{{2}})(?:[.,](\d+))?)?{_OFFSET}", re.ASCII
)
_NAIVE_EPOCH = EPOCH.replace(tzinfo=None)
_FRACTION_DIGITS = 6
#: Times have fewer digits before the point, in whatever unit.
_MOST_DIGITS, _MOST_BITS = 20, 70
_YEAR_DIGITS = 4
#: Digits that may be a year or a day; they are a number if the unit of numbers is given.
YEAR_OR_DAY = r"\d{4}|(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
_YEAR_OR_DAY = re.compile(YEAR_OR_DAY, re.ASCII)
#: Follows such digits.
YEAR_OR_NUMBER = (
    " is a year or a number of seconds; write the date, like {date}, or give the unit of numbers, like "
    f"{Setting.TIME_UNIT.of('s')}"
)
DAY_OR_NUMBER = YEAR_OR_NUMBER.replace("a year", "a day")
_CHECK_UNIT = "; is the unit of time right?"
_SHOWN = 60


def _year_or_day(digits: str) -> str:
    """Returns why digits are ambiguous as a time."""
    if len(digits) == _YEAR_DIGITS:
        return YEAR_OR_NUMBER.format(date=f"{digits}-01-01")
    return DAY_OR_NUMBER.format(date=f"{digits[:4]}-{digits[4:6]}-{digits[6:]}")


_EXAMPLE = "%d/%m/%Y %H:%M"
#: The letters that `strptime` reads after a percent sign.
_DIRECTIVES = frozenset("aAwdbBmyYHIpMSfzZjUWcxXGuV%")
#: A text with several numbers may be a time in another format, which a setting says.
LIKE_A_DATE = r"[0-9][^0-9]+[0-9]"
OTHER_FORMAT = f"; for another format give {Setting.TIME_FORMAT}, like '{_EXAMPLE}'"


@dataclass(frozen=True)
class TimeFormat:
    """The way in which a source writes times: numbers count `unit` (seconds when None), times without offset are those
    of `timezone`.

    Texts are ISO 8601 unless there is a `pattern`, a format of Python's `strptime` like `%d/%m/%Y %H:%M`. Fractions of
    a microsecond are cut off in texts of ISO 8601 and numbers of nanoseconds. With a unit, the output's times are
    numbers of it, else ISO 8601.
    """

    unit: TimeUnit | None = None
    timezone: str = "UTC"
    pattern: str | None = None

    def __post_init__(self) -> None:
        time_zone(self.timezone)
        if self.pattern is not None:
            _check_pattern(self.pattern)

    def parse(self, value: object) -> Time:
        """Returns the time that a field of a source holds; a text of digits, as in CSV, is a number.

        A text of four digits may be a year, and one like 20260302 a day: it is a number only where the unit of numbers
        was given.
        """
        match value:
            case bool() | None:
                raise self._not_a_time(value)
            case int():
                if value.bit_length() > _MOST_BITS:
                    raise _outside("a number of so many digits", _CHECK_UNIT)
                return self._number(Decimal(value), value)
            case float():
                if not math.isfinite(value):
                    raise self._not_a_time(value)
                return self._number(Decimal(repr(value)), value)
            case str() if self.pattern is not None:
                return _by_pattern(value, self.pattern, self.timezone)
            case str() if _NUMBER.fullmatch(text := value.strip()):
                if self.unit is None and _YEAR_OR_DAY.fullmatch(text):
                    raise TimeError(f"{_shown(value)}{_year_or_day(text)}")
                try:
                    return self._number(Decimal(text), value)
                except InvalidOperation:
                    raise _outside(_shown(value), _CHECK_UNIT) from None
            case str() if moment := _iso_parts(value):
                return _moment(moment, self.timezone)
            case _:
                raise self._not_a_time(value)

    @property
    def unit_length(self) -> int | None:
        """How many microseconds a number of the output counts; None where that is not a whole number, or for texts."""
        places = -1 if self.unit is None else _UNITS[self.unit][0]
        return None if places < 0 else 10**places

    def format(self, time: Time) -> str | int | float:
        """Returns the time as it is written out; `parse` reads the same time back.

        ISO 8601 in UTC with as few digits of fraction as needed, or a number of the unit. A fraction that no double
        holds to the microsecond (before 1697, after 2242) is written as a text of digits.
        """
        if self.unit is None:
            return _iso_8601(time)
        places, _ = _UNITS[self.unit]
        exact = Decimal(time).scaleb(-places)
        if exact == (whole := int(exact)):
            return whole
        approximate = float(exact)
        return approximate if Decimal(repr(approximate)) == exact else str(exact)

    def _number(self, amount: Decimal, found: object) -> Time:
        """Scales the number to microseconds digit by digit, without rounding on the way."""
        places, name = _UNITS[self.unit or "s"]
        if not amount:
            return 0
        if amount.adjusted() > _MOST_DIGITS:
            raise _outside(f"{_shown(found)} {name}", _CHECK_UNIT)
        sign, digits, exponent = amount.as_tuple()
        assert isinstance(exponent, int)
        significant = len(digits)
        while digits[significant - 1] == 0:
            significant -= 1
        exponent += len(digits) - significant + places
        if exponent < 0 and self.unit == "ns":  # rounded down, before 1970 too
            return _dated(floor(amount.scaleb(places)), f"{_shown(found)} {name}", _CHECK_UNIT)
        if exponent < 0:
            raise TimeError(f"{_shown(found)} {name} is not a whole number of microseconds, the finest time there is")
        magnitude = int("".join(map(str, digits[:significant]))) * 10**exponent
        return _dated(-magnitude if sign else magnitude, f"{_shown(found)} {name}", _CHECK_UNIT)

    def _not_a_time(self, found: object) -> TimeError:
        name = _UNITS[self.unit or "s"][1]
        text = "ISO 8601 like 2006-09-18T09:00:00Z" if self.pattern is None else f"a text like {self.pattern}"
        is_other = self.pattern is None and isinstance(found, str) and re.search(LIKE_A_DATE, found)
        expected = f"{text}, or a number of {name}{OTHER_FORMAT if is_other else ''}"
        return TimeError(f"{_shown(found)} is not a time; expected {expected}")


def parse_datetime(text: str, timezone: str) -> Interval:
    """Returns the point of time that an ISO 8601 text stands for; a date alone is its midnight."""
    moment = _iso_parts(text)
    if moment is None:
        raise TimeError(f"{_shown(text)} is not a date or a time; write for example 2006-09-18 or 2006-09-18T09:00")
    return point(_moment(moment, timezone))


def _iso_parts(text: str) -> re.Match[str] | None:
    stripped = text.strip()
    return _ISO_8601.fullmatch(stripped) or _BASIC_ISO_8601.fullmatch(stripped)


def _check_pattern(pattern: str) -> None:
    """Raises TimeError if a format does not determine a time."""
    for directive in re.findall(r"%-?.?", pattern, re.DOTALL):
        if directive[1:] not in _DIRECTIVES:
            raise TimeError(f"the time format '{pattern}' has {directive}, which is unknown; write one like {_EXAMPLE}")
    if "%Z" in pattern:
        raise TimeError(f"the time format '{pattern}' has %Z: names of zones are not unique; use %z for offsets")
    one, other = (datetime(*date, 10, 20, 30, tzinfo=EPOCH.tzinfo) for date in ((2026, 3, 2), (2027, 4, 5)))
    try:
        found = [datetime.strptime(each.strftime(pattern), pattern).date() for each in (one, other)]
    except (ValueError, re.error):
        found = []
    if found != [one.date(), other.date()]:
        raise TimeError(f"the time format '{pattern}' does not tell year, month and day; write one like {_EXAMPLE}")


def _by_pattern(text: str, pattern: str, timezone: str) -> Time:
    try:
        moment = datetime.strptime(text.strip(), pattern)
    except ValueError:
        raise TimeError(f"{_shown(text)} is not a time like {pattern}") from None
    if moment.tzinfo is not None:
        return _dated((moment - EPOCH) // MICROSECOND, _shown(text))
    return _dated(from_local(moment, time_zone(timezone)), _shown(text))


def _moment(moment: re.Match[str], timezone: str) -> Time:
    found = _shown(moment[0])
    year, month, day, hour, minute, second = (int(digits or 0) for digits in moment.groups()[:6])
    fraction, zulu, sign = moment[7] or "", moment[8], moment[9]
    microsecond = int(fraction[:_FRACTION_DIGITS].ljust(_FRACTION_DIGITS, "0"))
    is_end_of_day = (hour, minute, second) == (24, 0, 0) and not fraction.strip("0")
    try:
        clock = datetime(year, month, day, 0 if is_end_of_day else hour, minute, second, microsecond)
        clock += timedelta(days=1) if is_end_of_day else timedelta()
    except ValueError as error:
        raise TimeError(f"{found} is not a date and time of the calendar: {error}") from None
    except OverflowError:
        raise _outside(found, "") from None
    if zulu:
        return (clock - _NAIVE_EPOCH) // MICROSECOND
    if sign:
        hours, minutes = int(moment[10]), int(moment[11] or 0)
        if hours > 23 or minutes > 59:
            raise TimeError(f"{found} has no offset from UTC; expected Z or one like +02:00, at most 23:59")
        offset = timedelta(hours=hours, minutes=minutes)
        return _dated((clock - _NAIVE_EPOCH - (offset if sign == "+" else -offset)) // MICROSECOND, found)
    return _dated(from_local(clock, time_zone(timezone)), found)


def _iso_8601(time: Time) -> str:
    moment = _NAIVE_EPOCH + time * MICROSECOND
    text = moment.isoformat()
    return (text.rstrip("0") if moment.microsecond else text) + "Z"


def _dated(time: Time, found: str, hint: str = "") -> Time:
    if not MIN_TIME <= time <= MAX_TIME:
        raise _outside(found, hint)
    return time


def _outside(found: str, hint: str) -> TimeError:
    return TimeError(f"{found} lies outside of the years 1 to 9999 in UTC{hint}")


def _shown(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            text = value.strip()
            return f"'{text if len(text) <= _SHOWN else text[:_SHOWN] + '…'}'"
        case int() | float():
            return str(value)
        case dict():
            return "an object"
        case list() | tuple():
            return "a list"
        case _:
            return f"a {type(value).__name__}"
