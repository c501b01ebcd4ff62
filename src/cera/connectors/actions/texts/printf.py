"""Texts with values put in, written as C's printf does: `%d`, `%-8s`, `%.2f`, `%x`, `%%`; and times as C's asctime.

A call of a program is split into words, each of which may have places for values.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Literal

from cera.model.terms.term import Value, format_value
from cera.model.terms.values import is_number
from cera.model.time.clock import time_zone
from cera.model.time.interval import EPOCH, MICROSECOND, Time

#: The kind of an argument before there is a value; None: unknown.
ArgumentKind = Literal["number", "string", "boolean"] | None

_CONVERSION = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\d+|\*)?(?P<precision>\.(?:\d+|\*)?)?(?:hh|h|ll|l|L|q|j|z|t)?(?P<letter>.)?", re.S
)
_WHOLE, _BITS, _FRACTION = "diu", "xXo", "fFeEgG"
KNOWN = "%d, %i, %u, %x, %X, %o, %f, %e, %g, %s and %%"
#: A greater width is a slip, and could fill the memory.
_WIDEST = 10_000
#: Numbers may come as texts, since not every database has numbers of every size.
_WHOLE_TEXT = re.compile(r"[+-]?\d{1,40}", re.ASCII)
_NUMBER_TEXT = re.compile(r"[+-]?\d{1,40}(\.\d{1,40})?", re.ASCII)
#: An argument without a value, such as a column that is null.
_NO_VALUE = "null"


class FormatError(ValueError):
    """A format is wrong, or a value does not fit into it."""


@dataclass(frozen=True)
class Conversion:
    """A place for a value: `%`, flags, width, precision, and a letter that says what the value is written as."""

    flags: str
    width: str
    precision: str
    letter: str

    def __str__(self) -> str:
        return f"%{self.flags}{self.width}{self.precision}{self.letter}"

    def fits(self, kind: ArgumentKind) -> bool:
        """Returns whether a value of a kind can be written; an unknown text may be that of a number, a known text is
        not.
        """
        return kind is None or self.letter == "s" or kind == "number"

    def apply(self, value: Value | None) -> str:
        if value is None:
            return f"%{self.flags.replace('0', '').replace('#', '')}{self.width}s" % _NO_VALUE
        if self.letter == "s":
            return f"%{self.flags}{self.width}{self.precision}s" % as_text(value)
        if self.letter in _FRACTION:
            return str(self) % self._number(value)
        whole = self._whole(value)
        if self.letter in _BITS:
            return str(self) % (whole % 2**64)  # as in C, negative numbers are those of 64 bits
        return f"%{self.flags}{self.width}{self.precision}d" % whole

    def _number(self, value: Value) -> float:
        if is_number(value) or (isinstance(value, str) and _NUMBER_TEXT.fullmatch(value)):
            return float(value)  # type: ignore[arg-type]  # a number, or the text of one
        raise FormatError(f"{self} takes a number, found {format_value(value)}")

    def _whole(self, value: Value) -> int:
        if is_number(value) and isinstance(value, int):
            return value
        if isinstance(value, str) and _WHOLE_TEXT.fullmatch(value):
            return int(value)
        raise FormatError(f"{self} takes a whole number, found {format_value(value)}")


@dataclass(frozen=True)
class Format:
    """Texts, and places for values between them."""

    parts: tuple[str | Conversion, ...]

    @cached_property
    def conversions(self) -> tuple[Conversion, ...]:
        return tuple(part for part in self.parts if isinstance(part, Conversion))

    def apply(self, values: Sequence[Value | None]) -> str:
        """Returns the text with the values in their places. Raises FormatError where one does not fit."""
        if len(values) != len(self.conversions):
            raise FormatError(_different(len(self.conversions), len(values)))
        waiting = iter(values)
        return "".join(part if isinstance(part, str) else part.apply(next(waiting)) for part in self.parts)


def parse_format(text: str) -> Format:
    """Returns the format that a text describes. Raises FormatError."""
    parts: list[str | Conversion] = []
    end = 0
    for found in _CONVERSION.finditer(text):
        parts.append(text[end : found.start()])
        end = found.end()
        flags, width, precision, letter = (found[name] or "" for name in ("flags", "width", "precision", "letter"))
        if found[0] == "%%":
            parts.append("%")
        elif not letter:
            raise FormatError(f"the format ends within a conversion, '{found[0]}'; a percent sign itself is %%")
        elif letter not in _WHOLE + _BITS + _FRACTION + "s":
            raise FormatError(f"unknown conversion '{found[0]}'; known are {KNOWN}")
        elif "*" in width + precision:
            raise FormatError(f"'{found[0]}' takes its width from an argument; write the width itself")
        elif int(width or 0) > _WIDEST or int(precision[1:] or 0) > _WIDEST:
            raise FormatError(f"'{found[0]}' is wider than {_WIDEST:,} characters")
        else:
            parts.append(Conversion(flags, width, precision, letter))
    parts.append(text[end:])
    return Format(tuple(part for part in parts if part != ""))


def format_problems(text: str, kinds: Sequence[ArgumentKind]) -> list[str]:
    """Returns the problems of a format with arguments of these kinds; none if it is right."""
    try:
        return conversion_problems(parse_format(text).conversions, kinds)
    except FormatError as error:
        return [str(error)]


def conversion_problems(conversions: Sequence[Conversion], kinds: Sequence[ArgumentKind]) -> list[str]:
    """Returns the problems of the places of a format with arguments of these kinds."""
    if len(conversions) != len(kinds):
        return [_different(len(conversions), len(kinds))]
    return [
        f"argument {number} of the format is a {kind}, and {conversion} takes a number"
        for number, (conversion, kind) in enumerate(zip(conversions, kinds, strict=True), 1)
        if not conversion.fits(kind)
    ]


def _different(conversions: int, arguments: int) -> str:
    places = f"{conversions} value{'' if conversions == 1 else 's'}"
    return f"the format has places for {places}, and there are {arguments} arguments; a percent sign itself is %%"


def as_text(value: Value) -> str:
    """Returns a value as `%s` writes it: texts without quotes."""
    return value if isinstance(value, str) else format_value(value)


def asctime(time: Time, timezone: str = "UTC") -> str:
    """Returns a time as C writes it, without the line end: `Mon Mar  2 10:00:00 2026`."""
    moment: datetime = (EPOCH + time * MICROSECOND).astimezone(time_zone(timezone))
    days, months = "Mon Tue Wed Thu Fri Sat Sun", "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
    day, month = days.split()[moment.weekday()], months.split()[moment.month - 1]
    return f"{day} {month} {moment.day:2} {moment:%H:%M:%S} {moment.year:04}"


_QUOTED_OR_OPERATOR = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[|&;<>`]""", re.DOTALL)


def parse_command(text: str) -> list[Format]:
    """Returns the words of a call. Raises FormatError."""
    for found in _QUOTED_OR_OPERATOR.finditer(text):
        if found[0] in "|&;<>`":
            raise FormatError(f"'{found[0]}' is for a shell, and none is used; call a script, or put it into quotes")
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise FormatError(f"the call cannot be cut into words: {error}") from None
    formats = [parse_format(word) for word in words]
    if not formats or not words[0]:
        raise FormatError("the call is empty; it begins with the name of a program")
    if formats[0].conversions:
        raise FormatError("the program itself must not come from data; write its name")
    return formats
