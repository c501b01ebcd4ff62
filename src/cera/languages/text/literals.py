"""From the text of a literal to its value, strings, numbers, durations, regular expressions; and back for strings.

Each reader raises LiteralError with the reason when the text has the shape of the literal but no value.
"""

from __future__ import annotations

import json
import re

from cera.model.regex.regular_expressions import RegexError, compile_regex
from cera.model.terms.values import number
from cera.model.time.durations import Duration, DurationError, parse_duration

_MOST_DIGITS = 20


class LiteralError(ValueError):
    """A literal has no value; the message says why, `hint` what to write."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def read_string(text: str) -> str:
    """Returns the string between the quotes, its escapes resolved as in JSON; a raw tab is taken as it is."""
    try:
        value: str = json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        raise LiteralError(
            f"the string has a bad escape: {_escape_at(text, error.pos)}",
            'the escapes are those of JSON: \\" \\\\ \\/ \\b \\f \\n \\r \\t \\u00e9; write \\\\ for a backslash',
        ) from None
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise LiteralError("the string has half of a surrogate pair, which is not a character")
    return value


def string_text(text: str) -> str:
    """Returns the string in quotes, as `read_string` reads it."""
    return json.dumps(text, ensure_ascii=False)


def _escape_at(text: str, position: int) -> str:
    """Returns the escape that the JSON reader stopped in: from the last backslash before the position."""
    start = text.rfind("\\", 0, position + 1)
    length = 6 if text[start + 1 : start + 2] == "u" else 2
    return text[start : start + length].rstrip('"')


def read_number(text: str) -> int | float:
    """Returns an integer of 64 bits or a double; 1.0 is the integer 1."""
    if re.fullmatch(r"-?[0-9]+", text):
        value = number(int(text)) if len(text.lstrip("-0")) < _MOST_DIGITS else None
        hint = "an integer has 64 bits; with a point, as in 1.0e20, it is a fraction of double precision"
    else:
        try:
            value, hint = number(float(text)), "a fraction has double precision, up to 1.7e308"
        except ValueError:  # the text around a mistake, where recovery has put something else in its place
            raise LiteralError(f"{shortened(text)} is no number", None) from None
    if value is None:
        raise LiteralError(f"the number {shortened(text)} is too large", hint)
    return value


def read_duration(text: str) -> Duration:
    try:
        return parse_duration(text)
    except DurationError as error:
        raise LiteralError(str(error).replace(text, shortened(text))) from None
    except ArithmeticError:
        raise LiteralError(f"the duration {shortened(text)} is too large") from None


def read_regex(text: str) -> str:
    """Returns the expression between the slashes, as it was written: `\\/` stays, it means a slash to every engine."""
    expression = text[1:-1]
    try:
        compile_regex(expression)
    except RegexError as error:
        raise LiteralError(f"the regular expression cannot be used: {error}") from None
    return expression


def shortened(text: str, width: int = 30) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"
