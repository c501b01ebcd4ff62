"""Lines of constant texts and columns side by side, thousands at a time.

What is equally wide in all lines, ids and most times, is written into one array of bytes, in which the constant texts
stand already; Arrow joins only these arrays and the columns of texts between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from cera.engines.columns.rows import Places, Times
from cera.model.columns.arrow_buffers import array_of, binaries, binary
from cera.model.time.time_text import TimeFormat

#: Texts of one width, one in each row.
Fixed = npt.NDArray[np.uint8]
#: The last digits of a number, of which all texts are known, and how many there are.
_LAST, _LAST_DIGITS = 10_000, 4
#: A second in microseconds, and how many digits that are; a day in seconds.
_SECOND, _FRACTION_DIGITS, _DAY = 1_000_000, 6, 86_400
#: So many digits of a fraction are looked up at once.
_HALF = 3


class LineTemplate:
    """The lines of answers of a rule. Arrays of bytes are used again for the next lines, which have the same texts."""

    def __init__(self) -> None:
        self._arrays: dict[tuple[bytes | int, ...], Fixed] = {}

    def lines(self, parts: Sequence[str | Fixed | pa.Array], rows: int) -> pa.Array:
        """Returns the lines made of parts, as binary values: constant texts, and columns with a text in each row."""
        joined: list[Any] = []
        run: list[bytes | Fixed] = []
        for part in parts:
            if isinstance(part, str):
                run.append(part.encode("utf-8", "backslashreplace"))
            elif isinstance(part, np.ndarray):
                run.append(part)
            else:
                joined += [*self._run(run, rows), part]
                run = []
        return pc.binary_join_element_wise(*joined, *self._run(run, rows), binary(b""))

    def _run(self, parts: Sequence[bytes | Fixed], rows: int) -> list[Any]:
        """Returns constant texts and columns of one width as one column."""
        if not parts:
            return []
        texts = [part for part in parts if isinstance(part, bytes)]
        if len(texts) == len(parts):
            return [binary(b"".join(texts))]
        key = tuple(part if isinstance(part, bytes) else part.shape[1] for part in parts)
        array = self._arrays.get(key)
        if array is None or len(array) < rows:
            line = b"".join(part if isinstance(part, bytes) else bytes(part) for part in key)
            array = self._arrays[key] = np.tile(np.frombuffer(line, np.uint8), (rows, 1))
        at = 0
        for part in parts:
            if not isinstance(part, bytes):
                array[:rows, at : at + part.shape[1]] = part
            at += len(part) if isinstance(part, bytes) else part.shape[1]
        return [_binaries(array[:rows])]


def _binaries(texts: Fixed) -> pa.Array:
    rows, width = texts.shape
    offsets = np.arange(0, (rows + 1) * width, width, dtype=np.int32) if width else np.zeros(rows + 1, np.int32)
    return pa.Array.from_buffers(pa.binary(), rows, [None, pa.py_buffer(offsets), pa.py_buffer(texts)])


def time_texts(times: Times, shown: TimeFormat) -> Fixed | pa.Array:
    """Returns times as JSON."""
    unit = shown.unit_length
    if unit is not None:
        numbers = times // unit
        if bool((numbers * unit == times).all()):
            found = _digits(numbers)
            return pc.cast(array_of(numbers), pa.string()).cast(pa.binary()) if found is None else found
    if shown.unit is None:
        return _iso_texts(times)
    different, places = np.unique(times, return_inverse=True)
    texts = [_time(shown.format(time)) for time in different.tolist()]
    if len(set(map(len, texts))) == 1:
        return _bytes_of(np.array(texts)[places])
    return binaries(texts).take(array_of(places))


def _time(found: str | int | float) -> bytes:
    return (f'"{found}"' if isinstance(found, str) else repr(found)).encode()


def _iso_texts(times: Times) -> Fixed | pa.Array:
    """Returns times as texts of ISO 8601 with as few digits of fraction as needed."""
    fractions = times % _SECOND
    digits = np.where(fractions == 0, 0, _FRACTION_DIGITS)
    for fewer in range(1, _FRACTION_DIGITS):
        digits -= (fractions != 0) & (fractions % 10**fewer == 0)
    used = np.flatnonzero(np.bincount(digits)).tolist()
    if len(used) == 1:
        return _iso_of(times, used[0])
    texts = pa.concat_arrays([_binaries(_iso_of(times[digits == number], number)) for number in used])
    places = np.empty(len(times), np.int64)
    places[np.argsort(digits, kind="stable")] = np.arange(len(times))
    return texts.take(array_of(places))


def _iso_of(times: Times, digits: int) -> Fixed:
    """Returns times as texts with so many digits of fraction."""
    seconds, fractions = np.divmod(times, _SECOND)
    days, seconds = np.divmod(seconds, _DAY)
    minutes, seconds = np.divmod(seconds, 60)
    different, places = np.unique(days, return_inverse=True)
    dates = np.datetime_as_string(different.astype("M8[D]")).astype("S10")
    columns: list[Any] = [np.bytes_(b'"'), dates[places], _minute_texts()[minutes], _numbers(2)[seconds]]
    if digits:
        number = fractions // 10 ** (_FRACTION_DIGITS - digits)
        high, low = min(digits, _HALF), max(digits - _HALF, 0)
        columns += [np.bytes_(b"."), _numbers(high)[number // 10**low]]
        if low:
            columns.append(_numbers(low)[number % 10**low])
    columns.append(np.bytes_(b'Z"'))
    found = np.empty(len(times), [(f"part {number}", each.dtype) for number, each in enumerate(columns)])
    for name, column in zip(found.dtype.names or (), columns, strict=True):
        found[name] = column
    return _bytes_of(found)


@lru_cache(1)
def _minute_texts() -> npt.NDArray[np.bytes_]:
    """Returns the texts of the minutes of a day."""
    return np.array([b"T%02d:%02d:" % divmod(minute, 60) for minute in range(_DAY // 60)])


def _digits(numbers: Places) -> Fixed | None:
    """Returns numbers that lie near each other and have equally many digits, as texts; None for others."""
    if not len(numbers):
        return None
    high = numbers // _LAST
    least, most = int(high.min()), int(high.max())
    if least <= 0 or most - least > len(numbers) or len(str(least)) != len(str(most)):
        return None
    texts = np.array([b"%d" % number for number in range(least, most + 1)])
    kind = np.dtype([("high", texts.dtype), ("last", f"S{_LAST_DIGITS}")])
    found = np.empty(len(numbers), kind)
    found["high"] = texts[high - least]
    found["last"] = _numbers(_LAST_DIGITS)[numbers - high * _LAST]
    return _bytes_of(found)


@lru_cache(_LAST_DIGITS)
def _numbers(digits: int) -> npt.NDArray[np.bytes_]:
    """Returns the texts of all numbers with so many digits."""
    return np.array([b"%0*d" % (digits, number) for number in range(10**digits)])


def _bytes_of(texts: npt.NDArray[Any]) -> Fixed:
    return texts.view(np.uint8).reshape(len(texts), -1)
