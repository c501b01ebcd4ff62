"""Expressions: numbers, texts, intervals and durations over the variables and identifiers of a body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cera.model.expressions.expression import (
    Arithmetic,
    ArithmeticOperator,
    Call,
    DateTime,
    DurationLiteral,
    EventReference,
    Expression,
    Literal,
    Negative,
    TimerQuery,
    Variable,
    walk,
)
from cera.model.matching.patterns import Pattern, ScalarPattern, TermPattern, VariablePattern
from cera.model.time.durations import Duration
from cera.model.time.timers import TIMERS
from cera.rules.reasoning.undefined import always_undefined
from cera.testing import SECOND

from .choices import Choices
from .patterns import CHILD_VARIABLE, TERM_VARIABLE
from .streams import LAST_SECOND

OPERATORS: tuple[ArithmeticOperator, ...] = ("+", "-", "*", "/", "mod")
_TIME_FUNCTIONS = ("seconds", "milliseconds", "microseconds")
_NUMBER_FUNCTIONS = (
    *("abs", "round", "floor", "ceiling", "least", "greatest", "number", "string-length"),
    *_TIME_FUNCTIONS,
)
_TEXT_FUNCTIONS = ("string", "concat", "substring", "upper-case", "lower-case", "trim", "replace", "iso")


@dataclass(frozen=True)
class Scope:
    """What a condition or a head may refer to: what every branch declares and binds, and what `optional` may bind.

    Of the variables, `collected` are those that a collection may have many values for. Those in `partial` are bound in
    some branches of an `or` and not in others: only a head may name them, under `optional`.
    """

    identifiers: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    collected: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """The variables that may have no value."""
        return (*self.optional, *self.partial)

    @property
    def scalars(self) -> tuple[str, ...]:
        """The variables that mostly hold a scalar."""
        return tuple(name for name in self.variables if name not in (CHILD_VARIABLE, TERM_VARIABLE))


def call(function: str, *arguments: Expression) -> Call:
    return Call(function, arguments)


def duration(choices: Choices) -> Duration:
    """Seconds most of the time, now and then a month of the calendar."""
    if choices.may("calendar months", 3):
        return Duration(1, choices.one_of((0, 5 * SECOND)))
    return Duration(0, choices.one_of((10, 20, 5, 12, LAST_SECOND, 1, 3, 15, 0)) * SECOND)


def duration_literal(choices: Choices) -> DurationLiteral:
    return DurationLiteral(duration(choices))


def reference(choices: Choices, scope: Scope) -> EventReference:
    return EventReference(choices.one_of(scope.identifiers))


def number(choices: Choices, scope: Scope, depth: int = 2) -> Expression:
    """A number, as far as the variables in it hold numbers."""
    if depth and choices.chance(35):
        operator = choices.featured(OPERATORS, lambda o: f"arithmetic {o}")
        if operator is not None and choices.chance(45):
            left, right = number(choices, scope, depth - 1), number(choices, scope, depth - 1)
            return _with_a_value(Arithmetic(operator, left, right), left)
        if choices.may("negative", 20):
            return Negative(number(choices, scope, depth - 1))
        function = choices.featured(_NUMBER_FUNCTIONS, lambda name: f"function {name}")
        if function is not None:
            return _with_a_value(_number_function(choices, scope, function, depth - 1), Literal(1))
    if scope.scalars and choices.chance(70):
        return Variable(choices.one_of(scope.scalars))
    return Literal(choices.one_of((1, 2, 3, 0, 2.5, -1)))


def _with_a_value(expression: Expression, otherwise: Expression) -> Expression:
    """The expression, unless the checks refuse it because it is undefined for all data, as 1 / 0 is.

    What a written time comes to is known to the checks, but not here: nothing is divided by it.
    """
    match expression:
        case Arithmetic(operator="/" | "mod", right=divisor) if any(isinstance(p, DateTime) for p in walk(divisor)):
            return otherwise
        case _:
            return expression if always_undefined(expression) is None else otherwise


def _number_function(choices: Choices, scope: Scope, function: str, depth: int) -> Expression:
    match function:
        case "least" | "greatest":
            return call(function, number(choices, scope, depth), number(choices, scope, depth))
        case "number" if choices.allows("function string"):
            return call("number", call("string", number(choices, scope, depth)))
        case "string-length":
            return call("string-length", text(choices, scope, depth))
        case "seconds" | "milliseconds" | "microseconds":
            return call(function, length(choices, scope))
        case _:
            return call(function, number(choices, scope, depth))


def text(choices: Choices, scope: Scope, depth: int = 1) -> Expression:
    function = choices.featured(_TEXT_FUNCTIONS, lambda name: f"function {name}") if choices.chance(70) else None
    match function:
        case "string" if scope.scalars:
            return call("string", Variable(choices.one_of(scope.scalars)))
        case "concat" if depth:
            return call("concat", text(choices, scope, 0), text(choices, scope, 0))
        case "substring" if depth:
            rest = (Literal(choices.integer(0, 2)),) if choices.chance(50) else ()
            return call("substring", text(choices, scope, 0), Literal(choices.integer(1, 2)), *rest)
        case "upper-case" | "lower-case" | "trim" if depth:
            return call(function, text(choices, scope, 0))
        case "replace" if depth:
            return call("replace", text(choices, scope, 0), Literal("x"), Literal(choices.one_of(("y", ""))))
        case "iso" if has_instants(choices, scope):
            return call("iso", instant(choices, scope))
        case _:
            return Literal(choices.one_of(("x", "y", "", " xy ", 'a "b"\n')))


def interval(choices: Choices, scope: Scope) -> Expression:
    """An event, a time, or an interval made from an event."""
    if choices.may("datetime", 10):
        return datetime(choices)
    if choices.may("interval function", 15):
        return interval_function(choices, choices.one_of(sorted(TIMERS)), reference(choices, scope))
    if choices.may("function hull", 8):
        return call("hull", reference(choices, scope), reference(choices, scope))
    return reference(choices, scope)


def interval_function(choices: Choices, kind: str, operand: Expression) -> Expression:
    return call(kind, operand, duration_literal(choices))


def datetime(choices: Choices) -> DateTime:
    """A point of the stream's half minute, with or without a time zone, or an interval of it."""
    first = choices.integer(0, LAST_SECOND)
    suffix = choices.one_of(("", "Z"))
    texts = [f"1970-01-01T00:00:{first:02}{suffix}"]
    if choices.may("datetime interval", 40):
        texts.append(f"1970-01-01T00:00:{choices.integer(first, LAST_SECOND):02}{suffix}")
    return DateTime(tuple(texts))


def has_instants(choices: Choices, scope: Scope) -> bool:
    """Whether there is a point of time to speak of."""
    return choices.allows("datetime") or (
        bool(scope.identifiers) and (choices.allows("function begin") or choices.allows("function end"))
    )


def instant(choices: Choices, scope: Scope) -> Expression:
    """A point of time."""
    end = choices.featured(("begin", "end"), lambda name: f"function {name}")
    if not scope.identifiers or end is None:
        return DateTime((f"1970-01-01T00:00:{choices.integer(0, LAST_SECOND):02}Z",))
    return call(end, reference(choices, scope))


def length(choices: Choices, scope: Scope) -> Expression:
    """A length of time: of an event, between two, or a literal."""
    options: list[Callable[[], Expression]] = []
    if scope.identifiers and choices.allows("function length"):
        options.append(lambda: call("length", interval(choices, scope)))
    if scope.identifiers and choices.allows("function timeDiff"):
        options.append(lambda: call("timeDiff", reference(choices, scope), interval(choices, scope)))
    if choices.allows("time arithmetic") and has_instants(choices, scope):
        options.append(lambda: Arithmetic("-", instant(choices, scope), instant(choices, scope)))
    if not options:
        return seconds(choices)
    found = choices.one_of(options)()
    return (
        Arithmetic(choices.one_of(("+", "-")), found, seconds(choices)) if choices.may("time arithmetic", 15) else found
    )


def limit(choices: Choices, compared: Expression) -> Expression:
    """A literal to compare a length with; a sum of lengths has no begin from which to count months (XC405)."""
    if choices.may("time arithmetic", 10):
        return Arithmetic("*", Literal(2), seconds(choices))
    return seconds(choices) if isinstance(compared, Arithmetic) or choices.chance(80) else duration_literal(choices)


def seconds(choices: Choices) -> DurationLiteral:
    """A duration without months, which can be compared with any other and added to it."""
    return DurationLiteral(Duration(0, choices.one_of((30, 10, 5, 20, 1, 0)) * SECOND))


def timer_query(choices: Choices, calendars: tuple[str, ...], *, binding: bool) -> TimerQuery:
    """An absolute timer that ticks within the stream's half minute, or a calendar; `binding` ones have a variable."""
    if calendars and choices.may("calendar", 35):
        name = choices.one_of(calendars)
        parts: list[Pattern] = [_part("hour", ScalarPattern(0))] if choices.chance(30) else []
    else:
        name = "datetime"
        second = choices.one_of((10, 5, 0, 20, 30))
        parts = [_part("second", ScalarPattern(second))]
        if binding and choices.may("timer variable", 10):
            parts.insert(0, _part("minute", VariablePattern("X")))
        elif choices.chance(20):
            parts.insert(0, _part("minute", ScalarPattern(0)))
    if binding and choices.may("timer variable", 15):
        parts.append(_part("weekday", VariablePattern("K")))  # Thursday is day 4 of the week
    return TimerQuery(name, TermPattern(f"timer:{name}", tuple(parts), False, False))


def _part(name: str, value: Pattern) -> TermPattern:
    return TermPattern(name, (value,))
