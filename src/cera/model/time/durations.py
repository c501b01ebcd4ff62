"""Lengths of time: calendar durations, and the distance between two time points.

Months and years are added by the calendar, everything else is a count of microseconds. A distance keeps the
points it lies between, because `length(i) < 1 month` compares begin + 1 month with end (DESIGN, "Time and events").
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from cera.model.tags import tagged
from cera.model.time.interval import EPOCH, MAX_TIME, MICROSECOND, MIN_TIME, Time

_MICROSECONDS: Mapping[str, int] = MappingProxyType(
    {
        "us": 1,
        "ms": 1_000,
        "sec": 1_000_000,
        "min": 60_000_000,
        "hour": 3_600_000_000,
        "day": 86_400_000_000,
        "week": 604_800_000_000,
    }
)
_MONTHS: Mapping[str, int] = MappingProxyType({"month": 1, "year": 12})

_PLURAL = ("hour", "day", "week", "month", "year")

#: Every accepted spelling of a unit and the one that is printed.
UNITS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("us", "microsecond", "microseconds"), "us"),
        **dict.fromkeys(("ms", "millisecond", "milliseconds"), "ms"),
        **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), "sec"),
        **dict.fromkeys(("min", "mins", "minute", "minutes"), "min"),
        **dict.fromkeys(("h", "hour", "hours"), "hour"),
        **dict.fromkeys(("d", "day", "days"), "day"),
        **dict.fromkeys(("w", "week", "weeks"), "week"),
        **dict.fromkeys(("month", "months"), "month"),
        **dict.fromkeys(("y", "year", "years"), "year"),
    }
)

_PART = re.compile(r"\s*(\d{1,30}(?:\.\d{1,30})?)\s*([a-z]+)\s*", re.ASCII)


@tagged("Duration")
@dataclass(frozen=True)
class Duration:
    """Calendar months and, on top, microseconds; both have the same sign or one of them is zero."""

    months: int = 0
    microseconds: int = 0

    def __add__(self, other: Duration) -> Duration:
        return Duration(self.months + other.months, self.microseconds + other.microseconds)

    def __setstate__(self, state: Mapping[str, int]) -> None:
        """Sets the fields when a duration is read back from a state."""
        vars(self).update(months=state["months"], microseconds=state["microseconds"])

    def __neg__(self) -> Duration:
        return Duration(-self.months, -self.microseconds)

    def __str__(self) -> str:
        return format_duration(self)


@dataclass(frozen=True)
class Distance:
    """The time from one point to another; negative when `end` lies before `begin`."""

    begin: Time
    end: Time

    @property
    def microseconds(self) -> int:
        return self.end - self.begin


class DurationError(ValueError):
    """A text is not a duration."""


def parse_duration(text: str) -> Duration:
    """Reads `3 min 14 sec`, `1hour`, `2 months`, `0.5 sec`."""
    at, months, microseconds = 0, 0, 0
    while at < len(text):
        part = _PART.match(text, at)
        if part is None:
            raise DurationError(f"'{text.strip()}' is not a duration; write for example '3 min 14 sec'")
        amount, unit = Fraction(part[1]), UNITS.get(part[2])
        if unit is None:
            raise DurationError(f"'{part[2]}' is not a unit of time; there are {', '.join(canonical_units())}")
        if unit in _MONTHS:
            months += _whole(amount * _MONTHS[unit], text)
        else:
            microseconds += _whole(amount * _MICROSECONDS[unit], text)
        at = part.end()
    if at == 0:
        raise DurationError("a duration is empty; write for example '3 min 14 sec'")
    if months > 12 * 9999 or microseconds > MAX_TIME - MIN_TIME:
        raise DurationError(f"'{text.strip()}' is longer than the years 1 to 9999")
    return Duration(months, microseconds)


def _whole(amount: Fraction, text: str) -> int:
    if amount.denominator != 1:
        raise DurationError(f"'{text.strip()}' is not a whole number of microseconds or months")
    return int(amount)


def canonical_units() -> list[str]:
    """Returns the units of time, each by the name that is printed."""
    return [*_MICROSECONDS, *_MONTHS]


def format_duration(duration: Duration) -> str:
    """Returns the duration in the largest units that divide it; `parse_duration` reads it back.

    Weeks only where it is a number of weeks: `30 days`, not `4 weeks 2 days`.
    """
    if duration.months < 0 or duration.microseconds < 0:
        return f"-({format_duration(-duration)})"
    parts: list[str] = []
    months, microseconds = duration.months, duration.microseconds
    for unit, size in reversed(list(_MONTHS.items())):
        amount, months = divmod(months, size)
        parts += [_counted(amount, unit)] if amount else []
    for unit, size in reversed(list(_MICROSECONDS.items())):
        if unit == "week" and microseconds % size:
            continue
        amount, microseconds = divmod(microseconds, size)
        parts += [_counted(amount, unit)] if amount else []
    return " ".join(parts) or "0 sec"


def _counted(amount: int, unit: str) -> str:
    """Returns `1 hour`, `2 hours`, `12 sec`."""
    return f"{amount} {unit}{'s' if amount != 1 and unit in _PLURAL else ''}"


def shift(time: Time, duration: Duration) -> Time | None:
    """Returns time + duration: first the months by the calendar (the 31st becomes the month's last day), then the rest.

    None when the result has no calendar date.
    """
    if duration.months:
        if not MIN_TIME <= time <= MAX_TIME:
            return None
        date = EPOCH + time * MICROSECOND
        years, month = divmod(date.year * 12 + date.month - 1 + duration.months, 12)
        if not 1 <= years <= 9999:
            return None
        day = min(date.day, calendar.monthrange(years, month + 1)[1])
        time = (date.replace(year=years, month=month + 1, day=day) - EPOCH) // MICROSECOND
    time += duration.microseconds
    return time if MIN_TIME <= time <= MAX_TIME else None
