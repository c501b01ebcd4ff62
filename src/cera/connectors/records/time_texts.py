"""Times of lines, parsed by their common parts.

Times that follow one another mostly differ in their seconds: the text of the date and the minute is parsed once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from cera.model.terms.values import number
from cera.model.time.interval import MAX_TIME, MIN_TIME, Time
from cera.model.time.time_text import TimeFormat

#: For each unit: microseconds in it, and below which size doubles of it still distinguish microseconds.
UNITS = {"s": (1_000_000, 2.0**33), "ms": (1_000, 2.0**43)}

#: The parts of an ISO 8601 text: date and minute, seconds that a minute has, offset. Of the seconds, SECONDS_LENGTH
#: characters count: what is finer than a microsecond is cut off.
MINUTE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ](?:[01][0-9]|2[0-3]):[0-9]{2}"
SECONDS = r"[0-5][0-9](?:\.[0-9]{1,9}+)?+"
SECONDS_LENGTH = len("00.123456")
OFFSET = r"[+-][0-9]{2}:?[0-9]{2}"

_USUAL = re.compile(f"{MINUTE}:{SECONDS}(Z|{OFFSET})?")
_MINUTE_LENGTH = 16
_LAST = 59_999_999

#: How many minutes are kept.
_MOST = 10_000


def offset_of(text: str) -> str | None:
    """Returns what follows the seconds of an ISO 8601 text with seconds, perhaps nothing; None for any other text."""
    found = _USUAL.fullmatch(text)
    return None if found is None else found[1] or ""


class Minutes(dict[str, Time]):
    """The time at which a minute begins, by its text and the offset behind it, such as `2026-03-02T10:00+01:00`.

    A text that is not a minute raises ValueError. A time is the sum of its minute and its seconds, but for a time
    without offset in a minute in which the clock is changed: that minute raises ValueError, too. (No clock is changed
    twice in a minute, so that its offset at both ends is that in between.)
    """

    def __init__(self, times: TimeFormat, suffix: str = "") -> None:
        self._parse = times.parse
        #: An offset that the texts lack, since all have the same.
        self._suffix = suffix

    def __missing__(self, text: str) -> Time:
        minute, offset = text[:_MINUTE_LENGTH], text[_MINUTE_LENGTH:] + self._suffix
        time = self._parse(f"{minute}:00{offset}")
        if not offset and self._parse(f"{minute}:59.999999") != time + _LAST:
            raise ValueError(f"the clock is changed in the minute {minute}")
        if len(self) >= _MOST:
            self.clear()
        self[text] = time
        return time


def time_reader(times: TimeFormat) -> Callable[[Any], Time]:
    """Returns `times.parse`, faster for numbers.

    A double is converted to microseconds and back: if it comes back the same, it is the one that stands for that
    microsecond, since below the limit no two microseconds share a double.
    """
    parse = times.parse
    microseconds, limit = UNITS.get(times.unit or "s", (1, 0.0))

    def time_of(value: Any) -> Time:
        if value.__class__ is float and -limit < value < limit:
            time = round(value * microseconds)
            if time / microseconds == value:
                return time
        elif value.__class__ is int and MIN_TIME <= (time := value * microseconds) <= MAX_TIME:
            return time
        return parse(number(value) if value.__class__ is float else value)

    return time_of
