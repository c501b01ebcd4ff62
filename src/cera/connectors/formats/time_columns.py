"""Times of many records at once: numbers of a unit, and texts of ISO 8601, read where they stand.

A text is read if it has a date, a clock with seconds and at most nine digits of fraction, and Z, an offset or nothing
behind them. Days, and minutes of clocks that may be changed, are read by `TimeFormat`, each once; the rest is
arithmetic on words. Whatever else a text may be is left to the ordinary reader.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cera.connectors.formats.byte_columns import BlockBytes, Places, Truths, are_digits, first_bytes, parsed_digits
from cera.connectors.records.time_texts import Minutes
from cera.model.columns.arrow_buffers import numbers_in
from cera.model.time.interval import MAX_TIME, MIN_TIME, Time
from cera.model.time.time_text import TimeError, TimeFormat

Times = npt.NDArray[np.int64]
_Words = npt.NDArray[np.uint64]

#: The length of a date, of a date with hour and minute, and of these with seconds.
_DAY, _MINUTE, _SECOND = len("2011-10-01"), len("2011-10-01T00:38"), len("2011-10-01T00:38:44")
#: The lengths of what may follow the seconds.
_ZULU, _SHORT, _LONG = len("Z"), len("+0200"), len("+02:00")
_MOST_FRACTION = len(".123456789")
_MICROSECOND_DIGITS = 6
_WORD = 8
#: The signs between the digits of the three words of a text, and where they stand; of the last only the seconds count.
_SIGNS = tuple(int.from_bytes(text, "little") for text in (b"\0\0\0\0-\0\0-", b"\0\0\0\0\0:\0\0", b":\0\0\0\0\0\0\0"))
_ZEROS = 0x3030303030303030
_IN_FIRST = 0xFF0000FF00000000
_IN_SECOND = 0x0000FF0000FF0000
_COLON_OF_SECOND = 0x0000FF0000000000
_IN_THIRD = 0xFFFFFFFFFF0000FF
_DAY_OF_SECOND = np.uint64(0xFFFF)
_LETTER = np.uint64(16)
#: How many days are kept.
_MOST_DAYS = 100_000
_MICROSECONDS = 1_000_000


class TimeColumns:
    """A reader of times in one format, in microseconds. None stands for times that must be read one by one."""

    def __init__(self, times: TimeFormat) -> None:
        self._parse = times.parse
        self._unit = _MICROSECONDS if times.unit is None else times.unit_length
        self._is_utc = times.timezone == "UTC"
        self._days: dict[bytes, Time] = {}
        self._minutes = Minutes(times)

    def numbers(self, numbers: npt.NDArray[Any]) -> Times | None:
        """Returns the times that integers stand for."""
        unit = self._unit
        if unit is None or (len(numbers) and max(abs(int(numbers.min())), abs(int(numbers.max()))) > MAX_TIME // unit):
            return None
        return numbers * unit

    def digits(self, block: BlockBytes, starts: Places, ends: Places) -> Times | None:
        """Returns the times that integers stand for which are written at some places."""
        numbers = block.integers(starts, ends)
        return None if numbers is None else self.numbers(numbers)

    def texts(self, block: BlockBytes, starts: Places, ends: Places) -> Times | None:
        """Returns the times that texts stand for."""
        lengths = ends - starts
        if not len(lengths):
            return np.empty(0, np.int64)
        if int(lengths.min()) < _SECOND or int(lengths.max()) > _SECOND + _MOST_FRACTION + _LONG:
            return None
        first, second, third = (block.words(starts + at) for at in (0, _WORD, 2 * _WORD))
        days = self._days_of(block, starts, first, second)
        clock = _clock(first, second, third)
        suffix = _suffix(block, starts, ends)
        if days is None or clock is None or suffix is None:
            return None
        fraction = _fraction(block, starts, lengths - _SECOND - suffix.length)
        if fraction is None:
            return None
        found = days + clock + fraction
        if not self._is_utc and not suffix.given.all():
            local = np.flatnonzero(~suffix.given)
            shifts = self._ahead(block, starts[local], found[local])
            if shifts is None:
                return None
            found[local] -= shifts
        found -= suffix.offset
        return found if int(found.min()) >= MIN_TIME and int(found.max()) <= MAX_TIME else None

    def array(self, array: pa.Array) -> Times | None:
        """Returns the times of an array of Arrow without gaps: integers, texts, or moments."""
        kind = array.type
        if pa.types.is_signed_integer(kind):
            return self.numbers(numbers_in(array).astype(np.int64))
        if pa.types.is_timestamp(kind) and (kind.tz is not None or self._is_utc):
            return self._moments(numbers_in(array.cast(pa.int64())), kind.unit)
        if not pa.types.is_string(kind):
            return None
        _, offsets, data = array.buffers()
        edges = np.frombuffer(offsets, np.int32)[array.offset : array.offset + len(array) + 1].astype(np.int64)
        first, last = int(edges[0]), int(edges[-1])
        block = BlockBytes(b"" if data is None else data[first:last].to_pybytes())
        places = edges - first + block.first
        return self.texts(block, places[:-1], places[1:])

    def _moments(self, values: Times, unit: str) -> Times | None:
        """Returns moments since 1970; nanoseconds are cut off."""
        if unit == "ns":
            return values // 1_000 if int(values.min(initial=0)) >= 0 else None
        length = {"s": _MICROSECONDS, "ms": 1_000, "us": 1}[unit]
        bounds = (int(values.min(initial=0)), int(values.max(initial=0)))
        return values * length if bounds[0] * length >= MIN_TIME and bounds[1] * length <= MAX_TIME else None

    def _days_of(self, block: BlockBytes, starts: Places, first: _Words, second: _Words) -> Times | None:
        """Returns when the days begin in UTC; of several days that follow one another and are equal, one is read."""
        changed = (first[1:] != first[:-1]) | (((second[1:] ^ second[:-1]) & _DAY_OF_SECOND) != 0)
        places = np.concatenate([[0], np.flatnonzero(changed) + 1])
        found: list[Time] = []
        for start in starts[places].tolist():
            text = block.bytes_at(start, start + _DAY)
            day = self._days.get(text)
            if day is None:
                try:
                    day = self._parse(f"{text.decode('ascii')}T00:00:00Z")
                except (TimeError, UnicodeDecodeError):
                    return None
                if len(self._days) < _MOST_DAYS:
                    self._days[text] = day
            found.append(day)
        return np.repeat(np.array(found, np.int64), np.diff(places, append=len(starts)))

    def _ahead(self, block: BlockBytes, starts: Places, shown: Times) -> Times | None:
        """Returns how far a clock was ahead of UTC when it showed some times, of which no minute has a change."""
        minutes, first, places = np.unique(shown // (60 * _MICROSECONDS), return_index=True, return_inverse=True)
        found: list[Time] = []
        for minute, start in zip(minutes.tolist(), starts[first].tolist(), strict=True):
            try:
                begin = self._minutes[block.bytes_at(start, start + _MINUTE).decode("ascii")]
            except ValueError:
                return None
            found.append(minute * 60 * _MICROSECONDS - begin)
        return np.array(found, np.int64)[places]


def _clock(first: _Words, second: _Words, third: _Words) -> Times | None:
    """Returns the microseconds since midnight, without fractions, that stand in the words of a text."""
    letter = (second >> _LETTER) & np.uint64(0xFF)
    signs = (
        ((first & np.uint64(_IN_FIRST)) == np.uint64(_SIGNS[0]))
        & ((second & np.uint64(_COLON_OF_SECOND)) == np.uint64(_SIGNS[1]))
        & ((third & np.uint64(0xFF)) == np.uint64(_SIGNS[2]))
        & ((letter == ord("T")) | (letter == ord(" ")))
    )
    digits = [_only_digits(w, mask) for w, mask in ((first, _IN_FIRST), (second, _IN_SECOND), (third, _IN_THIRD))]
    if not bool(signs.all()) or not all(map(are_digits, digits)):
        return None
    hours, minutes, seconds = _pair(second, 3), _pair(second, 6), _pair(third, 1)
    if int(hours.max()) > 23 or int(minutes.max()) > 59 or int(seconds.max()) > 59:
        return None
    return ((hours * 60 + minutes) * 60 + seconds) * _MICROSECONDS


def _only_digits(words: _Words, others: int) -> _Words:
    return (words & np.uint64(~others & (2**64 - 1))) | np.uint64(_ZEROS & others)


def _pair(words: _Words, place: int) -> Times:
    """Returns the number that two digits at a place of each word stand for."""
    tens, ones = words >> np.uint64(8 * place), words >> np.uint64(8 * place + 8)
    found = (tens & np.uint64(0xF)) * np.uint64(10) + (ones & np.uint64(0xF))
    return found.view(np.int64)


@dataclass(frozen=True)
class _Suffix:
    """What stands behind the seconds and their fraction: Z, an offset, or nothing, as `given` says.

    Where all have the same offset, there is one value for all.
    """

    given: Truths
    length: Places
    offset: Times


def _suffix(block: BlockBytes, starts: Places, ends: Places) -> _Suffix | None:
    """Returns what stands behind the seconds; None if it is something else."""
    if len(ends) > 1 and _have_one_offset(block, starts, ends):
        one = _suffix(block, starts[:1], ends[:1])
        return one if one is not None and one.given.all() else None
    array, behind = block.array, starts + _SECOND
    zulu: Truths = array[ends - _ZULU] == ord("Z")
    given = zulu
    length: Places = zulu.astype(np.int64) * _ZULU
    offset = np.zeros(len(ends), np.int64)
    for width, colon in () if zulu.all() else ((_LONG, 1), (_SHORT, 0)):
        sign = array[ends - width]
        here = ((sign == ord("+")) | (sign == ord("-"))) & (ends - width >= behind) & ~given
        if colon:
            here &= array[ends - 3] == ord(":")
        if here.any():
            shifts = _shifts(block, ends[here], colon)
            if shifts is None:
                return None
            given = given | here
            length[here] = width
            offset[here] = np.where(sign[here] == ord("-"), -shifts, shifts)
    return _Suffix(given, length, offset)


def _shifts(block: BlockBytes, ends: Places, colon: int) -> Times | None:
    """Returns the lengths of offsets that end at some places; None if one is not of a clock."""
    digits = [block.array[ends - at].astype(np.int64) - ord("0") for at in (4 + colon, 3 + colon, 2, 1)]
    hours, minutes = digits[0] * 10 + digits[1], digits[2] * 10 + digits[3]
    usual = all(int(digit.min()) >= 0 and int(digit.max()) <= 9 for digit in digits)
    if not usual or int(hours.max()) > 23 or int(minutes.max()) > 59:
        return None
    return (hours * 60 + minutes) * (60 * _MICROSECONDS)


def _have_one_offset(block: BlockBytes, starts: Places, ends: Places) -> bool:
    """Returns whether all texts end with the same offset, like +02:00."""
    last = block.words(ends - _WORD) >> np.uint64(8 * (_WORD - _LONG))
    sign = int(last[0]) & 0xFF
    return sign in b"+-" and bool((last == last[0]).all()) and bool((ends - starts >= _SECOND + _LONG).all())


def _fraction(block: BlockBytes, starts: Places, lengths: Places) -> Times | int | None:
    """Returns the microseconds that are written behind the seconds, in texts of these lengths, a point among them."""
    if not lengths.any():
        return 0
    there = lengths > 0
    points = block.array[starts + _SECOND] == ord(".")
    if int(lengths.min()) < 0 or bool((lengths == 1).any()) or not bool((points | ~there).all()):
        return None
    if int(lengths.max()) > _MOST_FRACTION:
        return None
    at, digits = starts + _SECOND + 1, np.maximum(lengths - 1, 0)
    words = block.words(at)
    if not are_digits(_padded(words, np.minimum(digits, _WORD))):
        return None
    if int(digits.max()) > _WORD and not are_digits(_padded(block.words(at + _WORD), np.maximum(digits - _WORD, 0))):
        return None
    counted = _padded(words, np.minimum(digits, _MICROSECOND_DIGITS))
    return (parsed_digits(counted) // np.uint64(100)).view(np.int64)


def _padded(words: _Words, count: Places) -> _Words:
    """Returns words whose bytes behind the first ones are the digit zero."""
    mask = first_bytes(count)
    return (words & mask) | (np.uint64(_ZEROS) & ~mask)
