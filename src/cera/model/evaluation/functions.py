"""The built-in functions of expressions: names, parameters, meaning, and how messages show them.

A function gets defined arguments of the kinds it declares and returns None where it is undefined. The kinds also serve
the static checks; other engines translate by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import partial
from math import ceil, floor
from types import MappingProxyType
from typing import Any, Literal

from cera.model.matching.matching import compile_regex
from cera.model.terms.term import Term, Value, format_scalar
from cera.model.terms.values import NumberTooLargeError, infer_scalar, is_number, number
from cera.model.time.durations import Distance, Duration
from cera.model.time.interval import EPOCH, MICROSECOND, Interval, hull, point
from cera.model.time.timers import SYNONYMS, relative_timer

Kind = Literal["number", "string", "boolean", "any", "interval", "duration"]

#: The kinds of values of an expression: a data value, or one of the values of time.
Result = Value | Interval | Duration | Distance

#: The functions that count time, each with how many microseconds it counts as one.
UNITS_OF_TIME: Mapping[str, int] = MappingProxyType({"seconds": 1_000_000, "milliseconds": 1_000, "microseconds": 1})


@dataclass(frozen=True)
class Function:
    """A function; `optional` counts the trailing parameters that may be left out, a variadic one repeats its last
    one."""

    name: str
    parameters: tuple[Kind, ...]
    result: Kind
    apply: Callable[..., Any]
    optional: int = 0
    variadic: bool = False

    def accepts(self, arguments: int) -> bool:
        least = len(self.parameters) - self.optional
        return least <= arguments and (self.variadic or arguments <= len(self.parameters))

    def parameter(self, index: int) -> Kind:
        return self.parameters[min(index, len(self.parameters) - 1)]


def _half_up(value: int | float) -> int:
    return int(Decimal(value).quantize(Decimal(1), ROUND_HALF_UP))


def _whole(to_integer: Callable[[int | float], int], value: int | float) -> int | float | None:
    """Returns a fraction made whole; a double past 64 bits is whole already."""
    return number(to_integer(value)) if abs(value) < 2**63 else value


def extreme(values: Sequence[Value], choose: Callable[..., Value]) -> Value | None:
    """Returns the least or greatest of numbers, or of strings; None on a mixture and on anything else."""
    if all(is_number(value) for value in values) or all(isinstance(value, str) for value in values):
        return choose(values)
    return None


def _substring(text: str, start: int | float, length: int | float | None = None) -> str | None:
    """Returns the characters from the start-th on (the first is 1), at most `length` of them."""
    if not isinstance(start, int) or start < 1 or (length is not None and (not isinstance(length, int) or length < 0)):
        return None
    return text[start - 1 :] if length is None else text[start - 1 : start - 1 + length]


def _matches(text: str, expression: str) -> bool | None:
    try:
        return compile_regex(expression).matches(text)
    except ValueError:
        return None


def _to_number(text: Value) -> int | float | None:
    if isinstance(text, bool):
        return None
    try:
        value = infer_scalar(text) if isinstance(text, str) else text
    except NumberTooLargeError:
        return None
    return value if isinstance(value, int | float) else None


def _to_string(value: Value) -> str | None:
    if isinstance(value, str):
        return value
    return None if isinstance(value, Term) else format_scalar(value)


def _in_units(unit: int, value: Interval | Duration | Distance) -> int | float | None:
    """Returns a duration, a distance, or a time point counted from 1970, in units of so many microseconds."""
    match value:
        case Duration():
            return None if value.months else _divided(value.microseconds, unit)
        case Distance():
            return _divided(value.microseconds, unit)
        case Interval():
            return _divided(value.begin, unit) if value.is_point else None


def _divided(microseconds: int, unit: int) -> int | float | None:
    whole, rest = divmod(microseconds, unit)
    return number(microseconds / unit if rest else whole)


def iso(time: Interval) -> str | None:
    """Returns a point of time as text."""
    if not time.is_point:
        return None
    return (EPOCH + time.begin * MICROSECOND).isoformat().replace("+00:00", "Z")


def _timer(kind: str, anchor: Interval, duration: Duration | Distance) -> Interval | None:
    length = duration if isinstance(duration, Duration) else Duration(0, duration.microseconds)
    return relative_timer(kind, anchor, length)


def _time_difference(i: Interval, j: Interval) -> Distance:
    return Distance(*hull((i, j)))  # ERR-26: symmetric, the length of the hull


_FUNCTIONS = (
    Function("abs", ("number",), "number", lambda x: number(abs(x))),
    Function("round", ("number",), "number", partial(_whole, _half_up)),
    Function("floor", ("number",), "number", partial(_whole, floor)),
    Function("ceiling", ("number",), "number", partial(_whole, ceil)),
    Function("least", ("any",), "any", lambda *values: extreme(values, min), variadic=True),
    Function("greatest", ("any",), "any", lambda *values: extreme(values, max), variadic=True),
    Function("number", ("any",), "number", _to_number),
    Function("string", ("any",), "string", _to_string),
    Function("concat", ("string",), "string", lambda *texts: "".join(texts), variadic=True),
    Function("string-length", ("string",), "number", len),
    Function("substring", ("string", "number", "number"), "string", _substring, optional=1),
    Function("upper-case", ("string",), "string", str.upper),
    Function("lower-case", ("string",), "string", str.lower),
    Function("trim", ("string",), "string", lambda text: text.strip(" \t\r\n")),
    Function("replace", ("string", "string", "string"), "string", lambda text, old, new: text.replace(old, new)),
    Function("contains", ("string", "string"), "boolean", lambda text, part: part in text),
    Function("starts-with", ("string", "string"), "boolean", str.startswith),
    Function("ends-with", ("string", "string"), "boolean", str.endswith),
    Function("matches", ("string", "string"), "boolean", _matches),
    Function("begin", ("interval",), "interval", lambda i: point(i.begin)),
    Function("end", ("interval",), "interval", lambda i: point(i.end)),
    Function("length", ("interval",), "duration", lambda i: Distance(*i)),
    Function("timeDiff", ("interval", "interval"), "duration", _time_difference),
    Function("hull", ("interval",), "interval", lambda *intervals: hull(intervals), variadic=True),
    *(Function(name, ("any",), "number", partial(_in_units, unit)) for name, unit in UNITS_OF_TIME.items()),
    Function("iso", ("interval",), "string", iso),
    *(
        Function(name, ("interval", "duration"), "interval", partial(_timer, canonical))
        for name, canonical in SYNONYMS.items()
    ),
)

FUNCTIONS: Mapping[str, Function] = MappingProxyType({function.name: function for function in _FUNCTIONS})


def arity(function: Function) -> str:
    """Returns `2 arguments`, `2 to 3 arguments`, `1 argument or more`."""
    most = len(function.parameters)
    least = most - function.optional
    if function.variadic:
        return f"{_count(least)} or more"
    return _count(most) if least == most else f"{least} to {_count(most)}"


def _count(number: int) -> str:
    return f"{number} argument" if number == 1 else f"{number} arguments"


def signature(function: Function) -> str:
    """Returns `substring(string, number, number)`."""
    return f"{function.name}({', '.join(function.parameters)}{', …' if function.variadic else ''})"
