"""Scalars: strings, numbers, truth values.

A number that is a whole number of 64 bits is an integer, however it was written: 1.0 is 1. All other numbers are
IEEE doubles; NaN and the infinities are not values. A number, a string and a truth value are never equal to one
another (Python's own `True == 1` is not ours, which is why values are compared by `sort_key` and `same`).
"""

from __future__ import annotations

import math
from typing import Any

Scalar = str | int | float | bool

MIN_INTEGER = -(2**63)
MAX_INTEGER = 2**63 - 1


class NumberTooLargeError(ValueError):
    """A number without a value was written: an integer past 64 bits, or a fraction past the doubles."""


def number(value: int | float) -> int | float | None:
    """Returns the value in its one representation, or None if there is none (overflow, NaN, infinity)."""
    if isinstance(value, int):
        return value if MIN_INTEGER <= value <= MAX_INTEGER else None
    if not math.isfinite(value):
        return None
    if value.is_integer() and MIN_INTEGER <= (whole := int(value)) <= MAX_INTEGER:
        return whole
    return value


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def scalar_key(value: Scalar) -> tuple[Any, ...]:
    """Returns a key that orders all scalars: truth values, then numbers, then strings by code point."""
    if isinstance(value, bool):
        return (0, value)
    if isinstance(value, str):
        return (2, value)
    return (1, value)


def read_integer(digits: str) -> int:
    """Returns the integer of some digits, perhaps with a sign and without zeros in front."""
    # 19 digits and a sign; Python itself refuses to read integers of thousands of digits.
    value = number(int(digits)) if len(digits) <= 20 else None
    if value is None:
        raise NumberTooLargeError(f"the number {_cut(digits)} is too large: integers have 64 bits")
    return int(value)


def read_fraction(text: str) -> int | float:
    value = number(float(text))
    if value is None:
        raise NumberTooLargeError(f"the number {_cut(text)} is too large for a 64-bit floating point number")
    return value


def _cut(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "…"


def infer_scalar(text: str) -> Scalar:
    """Returns the value that a piece of untyped text (XML, CSV) stands for: an integer, a decimal, else the string
    itself.

    `007` and `1e5` are strings, because they are more often names than numbers. Raises NumberTooLargeError.
    """
    stripped = text.strip()
    digits = stripped[1:] if stripped[:1] in "+-" else stripped
    whole, point, fraction = digits.partition(".")
    if not (whole.isascii() and whole.isdigit()) or (len(whole) > 1 and whole[0] == "0"):
        return text
    if point and not (fraction.isascii() and fraction.isdigit()):
        return text
    return read_fraction(stripped) if point else read_integer(stripped)
