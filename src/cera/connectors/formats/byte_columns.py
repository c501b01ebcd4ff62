"""The bytes of a block of lines, looked at as words of eight bytes at any place, and the numbers written there.

Text is compared, and digits become numbers, for thousands of places at once.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

Places = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Truths = npt.NDArray[np.bool_]

_WORD = 8
#: So many bytes lie before and behind a block, so that words can be read beyond its edges.
_MARGIN = 64
#: The most digits, a point among them, of a number that is read here.
MOST_DIGITS = 16
#: Below this every whole double is the integer that was written.
_EXACT = 2**53

_ZEROS = np.uint64(0x3030303030303030)
_HIGH = np.uint64(0xF0F0F0F0F0F0F0F0)
_SIXES = np.uint64(0x0606060606060606)
_POINTS = np.uint64(0x2E2E2E2E2E2E2E2E)
_ONES = np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)
#: The masks of the first bytes of a word, by their number.
_FIRST = np.array([(1 << 8 * count) - 1 for count in range(_WORD + 1)], np.uint64)
_POWERS = 10.0 ** np.arange(MOST_DIGITS + 1)


class BlockBytes:
    """A block of whole lines. Places are those of `array`, which has a margin on both sides."""

    def __init__(self, data: bytes) -> None:
        margin = bytes(_MARGIN)
        self._data = b"".join((margin, data, margin))
        self.array: npt.NDArray[np.uint8] = np.frombuffer(self._data, np.uint8)
        self.first = _MARGIN
        self._words: Words = np.ndarray((len(self._data) - _WORD + 1,), "<u8", self._data, 0, (1,))
        self._halves: npt.NDArray[Any] = np.ndarray((len(self._data) - 3,), "<u4", self._data, 0, (1,))

    @cached_property
    def line_ends(self) -> Places:
        """The places of the ends of lines."""
        return np.flatnonzero(self.array == ord("\n"))

    @property
    def has_zeros(self) -> bool:
        """Whether one of the bytes is zero."""
        return self._data.find(b"\0", _MARGIN, len(self._data) - _MARGIN) >= 0

    def words(self, places: Places) -> Words:
        found: Words = self._words[places]
        return found

    def bytes_at(self, first: int, end: int) -> bytes:
        return self._data[first:end]

    def line_at(self, first: int, end: int) -> bytes:
        """Returns the line in which some places lie, from the one that begins it to the end of the line."""
        return self._data[first : self._data.index(b"\n", end) + 1]

    def occurrences(self, text: bytes) -> Places:
        """Returns the places of a text of at least four bytes."""
        found = np.flatnonzero(self._halves == int.from_bytes(text[:4], "little"))
        return found if len(text) == 4 else found[self.has(text, found)]

    def has(self, text: bytes, places: Places) -> Truths:
        """Returns at which places the text stands."""
        found = np.ones(len(places), np.bool_)
        for first in range(0, len(text), _WORD):
            part = text[first : first + _WORD]
            words = self.words(places + first)
            if len(part) < _WORD:
                words &= _FIRST[len(part)]
            found &= words == np.uint64(int.from_bytes(part, "little"))
        return found

    def padded(self, starts: Places, ends: Places, width: int) -> npt.NDArray[np.uint64]:
        """Returns texts of at most so many words, with zeros behind them."""
        lengths = ends - starts
        if width == 1:
            only: Words = self.words(starts) & _FIRST[lengths]
            return only.reshape(-1, 1)
        found = np.empty((len(starts), width), np.uint64)
        for number in range(width):
            mask = _FIRST[np.clip(lengths - _WORD * number, 0, _WORD)]
            found[:, number] = self.words(starts + _WORD * number) & mask
        return found

    def next(self, byte: int, places: Places) -> Places:
        """Returns where a byte stands first, at a place or behind it; where it is not near, a place behind."""
        found, first, wanted = places, 0, np.uint64(byte * int(_ONES))
        rows: Places | None = None
        while first < _MARGIN:
            distance = _first_zero(self.words(places + first) ^ wanted)
            if rows is None:
                found = places + distance
            else:
                found[rows] = places + (first + distance)
            first += _WORD
            missing = np.flatnonzero(distance == _WORD)
            if not len(missing):
                break
            rows, places = missing if rows is None else rows[missing], places[missing]
        return found

    def digits_end(self, starts: Places) -> Places:
        """Returns where the digits end, at most sixteen of them."""
        first, second = _digits_before(self.words(starts)), _digits_before(self.words(starts + _WORD))
        return starts + first + np.where(first == _WORD, second, 0)

    def integers(self, starts: Places, ends: Places) -> npt.NDArray[np.int64] | None:
        """Returns the integers at some places; None if one is not written as JSON has it, or is too long."""
        found = self._magnitudes(starts, ends, point=False)
        if found is None:
            return None
        values, _, negative = found
        integers = values.view(np.int64)
        return integers if negative is None else np.where(negative, -integers, integers)

    def doubles(self, starts: Places, ends: Places) -> npt.NDArray[np.float64] | None:
        """Returns the numbers at some places; None if one is not a double below 2^53 that is sure to be exact."""
        found = self._magnitudes(starts, ends, point=True)
        if found is None:
            return None
        values, fractions, negative = found
        if len(values) and int(values.max()) >= _EXACT:
            return None
        doubles = values.astype(np.float64)  # a quotient of two exact doubles is rounded once, as the text is
        if fractions is not None:
            doubles /= _POWERS[fractions]
        return doubles if negative is None else np.where(negative, 0.0 - doubles, doubles)

    def _magnitudes(
        self, starts: Places, ends: Places, *, point: bool
    ) -> tuple[Words, Places | None, Truths | None] | None:
        """Returns the digits of numbers as integers, how many stand behind the point, and which have a sign."""
        signs = self.array[starts] == ord("-")
        negative = signs if signs.any() else None
        if negative is not None:
            starts = starts + negative
        lengths = ends - starts
        if not len(lengths):
            return np.empty(0, np.uint64), None, None
        if int(lengths.min()) < 1 or int(lengths.max()) > MOST_DIGITS:
            return None
        last, before = self.words(ends - _WORD), None
        if int(lengths.max()) > _WORD:
            before = self.words(ends - 2 * _WORD)
        fractions: Places | None = None
        whole = lengths
        if point:
            last, before, fractions, whole = _without_point(last, before, lengths)
            lengths = lengths if fractions is None else lengths - (fractions > 0)
        leading = (self.array[starts] == ord("0")) & (whole > 1)
        if bool(leading.any()) or int(whole.min()) < 1:
            return None
        last = _filled(last, np.minimum(lengths, _WORD))
        if not are_digits(last):
            return None
        values = parsed_digits(last)
        if before is not None:
            before = _filled(before, np.maximum(lengths - _WORD, 0))
            if not are_digits(before):
                return None
            values += parsed_digits(before) * np.uint64(10**_WORD)
        return values, fractions, negative


def _first_zero(words: Words) -> Places:
    """Returns the place of the first byte of each word that is zero, 8 if none is."""
    return _first_top((words - _ONES) & ~words & _TOPS)


def _first_top(words: Words) -> Places:
    """Returns the place of the first byte whose highest bit is set, and no other bit; 8 if there is none."""
    below = (words ^ (words - np.uint64(1))) & _ONES  # a bit in the bytes up to that one; in all, if there is none
    count: Places = ((below * _ONES) >> np.uint64(56)).view(np.int64)
    return np.where(words == 0, count, count - 1)


def _digits_before(words: Words) -> Places:
    """Returns how many digits each word begins with."""
    others = ((words & _HIGH) ^ _ZEROS) | (((words + _SIXES) & _HIGH) ^ _ZEROS)
    return _first_top((((others & ~_TOPS) + ~_TOPS) | others) & _TOPS)


def _without_point(
    last: Words, before: Words | None, lengths: Places
) -> tuple[Words, Words | None, Places | None, Places]:
    """Takes the point out of numbers that end with a word. Returns also how many digits stand behind and before it.

    A point outside of a number is not looked at; a second point is not a digit.
    """
    place = _point_in(last, np.minimum(lengths, _WORD))
    in_last = place < _WORD
    fractions = np.where(in_last, _WORD - 1 - place, 0)
    if before is None:
        if not in_last.any():
            return last, None, None, lengths
        return _closed(last, place, None), None, fractions, _before_point(in_last, fractions, lengths)
    earlier = np.where(in_last, _WORD, _point_in(before, np.maximum(lengths - _WORD, 0)))
    in_before = earlier < _WORD
    carried = before >> np.uint64(56)
    before = np.where(in_last, before << np.uint64(8), np.where(in_before, _closed(before, earlier, None), before))
    last = _closed(last, place, carried)
    fractions = np.where(in_before, 2 * _WORD - 1 - earlier, fractions)
    return last, before, fractions, _before_point(in_last | in_before, fractions, lengths)


def _before_point(points: Truths, fractions: Places, lengths: Places) -> Places:
    """Returns how many digits stand before the point; zero, which no number has, if none stands behind it."""
    return np.where(points, np.where(fractions > 0, lengths - fractions - 1, 0), lengths)


def _point_in(words: Words, lengths: Places) -> Places:
    """Returns the place of the first point among the last bytes of each word, 8 if there is none."""
    words = words & ~_FIRST[_WORD - lengths]
    return _first_zero(words ^ _POINTS)


def _closed(words: Words, place: Places, carried: Words | None) -> Words:
    """Returns words without the byte at a place: those before it move up, and the first is the one `carried`."""
    low = _FIRST[np.minimum(place, _WORD)]
    there = place < _WORD
    moved = ((words & low) << np.uint64(8)) | (words & ~(low << np.uint64(8) | np.uint64(0xFF)))
    if carried is not None:
        moved |= carried
    return np.where(there, moved, words)


def _filled(words: Words, lengths: Places) -> Words:
    """Returns words whose bytes before the last `lengths` ones are the digit zero."""
    outside = _FIRST[_WORD - lengths]
    return (words & ~outside) | (_ZEROS & outside)


def first_bytes(counts: Places) -> Words:
    """Returns the masks of the first bytes of words, by their number."""
    return _FIRST[counts]


def are_digits(words: Words) -> bool:
    """Returns whether all bytes of words are digits."""
    return bool((((words & _HIGH) == _ZEROS) & (((words + _SIXES) & _HIGH) == _ZEROS)).all())


def parsed_digits(words: Words) -> Words:
    """Returns the numbers that eight digits stand for."""
    words = words & np.uint64(0x0F0F0F0F0F0F0F0F)
    words = (words * np.uint64(10) + (words >> np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
    words = (words * np.uint64(100) + (words >> np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
    return (words * np.uint64(10_000) + (words >> np.uint64(32))) & np.uint64(0xFFFFFFFF)
