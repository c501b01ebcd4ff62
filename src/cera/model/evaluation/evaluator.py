"""The fixed interpretation W of expressions and conditions (seed 000 Fig. 14, seed 001 section 3.4).

W maps a substitution σ, an event trace τ (here: the interval of each identifier) and an expression to a value.
An expression can be undefined (division by zero, overflow, a string where a number is needed, a variable that
`optional` left unbound); that is None here. A comparison with an undefined side is false, and the connectives
work on that. No data makes an evaluation fail; how often something was undefined is counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cera.model.calendars.calendar_files import Calendar, occurs_in_relation
from cera.model.evaluation.functions import FUNCTIONS, Kind, Result
from cera.model.expressions.expression import (
    And,
    Arithmetic,
    ArithmeticOperator,
    Call,
    Comparison,
    ComparisonOperator,
    DateTime,
    Different,
    DurationLiteral,
    EventReference,
    Expression,
    InOneWindow,
    InState,
    Literal,
    Negative,
    Not,
    Or,
    Periodic,
    Temporal,
    Variable,
    Within,
    until_of,
)
from cera.model.expressions.meaning import Meaning
from cera.model.terms.term import Term, Value, value_key
from cera.model.terms.values import is_number, number
from cera.model.time.allen import RELATIONS
from cera.model.time.containment import is_in_state
from cera.model.time.durations import Distance, Duration, shift
from cera.model.time.interval import Interval, hull, point


@dataclass
class Evaluator:
    """W, with calendars, the time zone, and the count of undefined results."""

    calendars: tuple[Calendar, ...] = ()
    timezone: str = "UTC"
    undefined: int = 0

    def holds(self, condition: Expression, values: Mapping[str, Value], times: Mapping[str, Interval]) -> bool:
        """Returns whether W(condition) = true."""
        return _Valuation(self, values, times).truth(condition)

    def value(
        self, expression: Expression, values: Mapping[str, Value], times: Mapping[str, Interval]
    ) -> Result | None:
        """Returns the value of an expression, or None where it is undefined."""
        return _Valuation(self, values, times).value(expression)


class _Valuation(Meaning[bool, Result | None]):
    """W for one substitution and the intervals of its events."""

    __slots__ = ("evaluator", "times", "values")

    def __init__(self, evaluator: Evaluator, values: Mapping[str, Value], times: Mapping[str, Interval]) -> None:
        self.evaluator = evaluator
        self.values = values
        self.times = times

    def value_as_truth(self, expression: Expression) -> bool:
        return self.value(expression) is True

    def truth_as_value(self, condition: Expression) -> bool:
        return self.truth(condition)

    def conjunction(self, condition: And, operands: Iterator[bool]) -> bool:
        return all(operands)

    def disjunction(self, condition: Or, operands: Iterator[bool]) -> bool:
        return any(operands)

    def negation(self, condition: Not, operand: bool) -> bool:
        return not operand

    def comparison(self, condition: Comparison, left: Result | None, right: Result | None) -> bool:
        if left is None or right is None:
            return False
        result = compare(condition.operator, left, right)
        if result is None:
            self.evaluator.undefined += 1
        return result is True

    def temporal(self, condition: Temporal, sides: Iterator[Result | None]) -> bool:
        """Returns whether Allen's relation holds."""
        left = next(sides)
        if not isinstance(left, Interval):
            return False
        right = next(sides)
        return isinstance(right, Interval) and RELATIONS[condition.relation](left, right)

    def recurrence(self, condition: Temporal, timer: Periodic, relation: str, interval: Result | None) -> bool:
        """Returns whether Allen's relation holds for any interval of the timer."""
        calendars, timezone = self.evaluator.calendars, self.evaluator.timezone
        return isinstance(interval, Interval) and occurs_in_relation(
            timer.timer, calendars, relation, interval, timezone
        )

    def within(self, condition: Within, intervals: Sequence[Result | None], duration: Result | None) -> bool:
        found = _intervals(intervals)
        if found is None or duration is None:
            return False
        result = compare("<=", Distance(*hull(found)), duration)
        if result is None:
            self.evaluator.undefined += 1
        return result is True

    def in_one_window(self, condition: InOneWindow, intervals: Sequence[Result | None]) -> bool:
        found = _intervals(intervals)
        return found is not None and condition.period.in_one(hull(found))

    def in_state(self, condition: InState, event: Result | None) -> bool:
        name = condition.state.identifier
        state = self.times.get(until_of(name)) or self.times.get(name)
        return isinstance(event, Interval) and state is not None and is_in_state(event, state)

    def different(self, condition: Different) -> bool:
        raise AssertionError("the times of events do not say whether they are the same")

    def literal(self, literal: Literal) -> Result:
        return literal.value

    def duration(self, literal: DurationLiteral) -> Result:
        return literal.duration

    def date_time(self, literal: DateTime) -> Result | None:
        return literal.interval

    def variable(self, variable: Variable) -> Result | None:
        value = self.values.get(variable.name)
        if value is None:
            self.evaluator.undefined += 1
        return value

    def event(self, reference: EventReference) -> Result | None:
        interval = self.times.get(reference.identifier)
        if interval is None:
            self.evaluator.undefined += 1
        return interval

    def negative(self, expression: Negative, operand: Result | None) -> Result | None:
        return self._defined(negative(operand))

    def arithmetic(self, expression: Arithmetic, left: Result | None, right: Result | None) -> Result | None:
        if left is None or right is None:
            return None
        return self._defined(calculate(expression.operator, left, right))

    def call(self, call: Call, arguments: Iterator[Result | None]) -> Result | None:
        function = FUNCTIONS[call.function]
        found = list(arguments)
        if any(argument is None for argument in found):
            return None
        if not all(_is_of_kind(argument, function.parameter(i)) for i, argument in enumerate(found)):
            return self._defined(None)
        return self._defined(function.apply(*found))

    def _defined(self, result: Result | None) -> Result | None:
        if result is None:
            self.evaluator.undefined += 1
        return result


def _intervals(values: Sequence[Result | None]) -> list[Interval] | None:
    """Returns the values if all of them are intervals."""
    intervals = [value for value in values if isinstance(value, Interval)]
    return intervals if len(intervals) == len(values) else None


def _is_of_kind(value: object, kind: Kind) -> bool:
    match kind:
        case "any":
            return True
        case "number":
            return is_number(value)
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "interval":
            return isinstance(value, Interval)
        case "duration":
            return isinstance(value, Duration | Distance)


def negative(value: Result | None) -> Result | None:
    match value:
        case bool():
            return None
        case int() | float():
            return number(-value)
        case Duration():
            return _duration(-value.months, -value.microseconds)
        case Distance():
            return Distance(value.end, value.begin)
        case _:
            return None


def calculate(operator: ArithmeticOperator, left: Result, right: Result) -> Result | None:
    """Returns left operator right, on numbers and on times; None where it is undefined."""
    if isinstance(left, bool) or isinstance(right, bool):
        return None
    if isinstance(left, int | float) and isinstance(right, int | float):
        return _arithmetic(operator, left, right)
    return _time_arithmetic(operator, left, right)


def _arithmetic(operator: ArithmeticOperator, left: int | float, right: int | float) -> int | float | None:
    """Calculates on numbers: whole ones exactly and undefined past 64 bits, others by IEEE double arithmetic."""
    try:
        match operator:
            case "+":
                return number(left + right)
            case "-":
                return number(left - right)
            case "*":
                return number(left * right)
            case "/":
                return number(float(left) / float(right))
            case "mod":  # the remainder has the sign of the dividend, as in SQL and Java
                if isinstance(left, int) and isinstance(right, int):
                    return int(math.copysign(1, left)) * (abs(left) % abs(right))
                return number(math.fmod(left, right))
    except (ZeroDivisionError, OverflowError, ValueError):
        return None


def _time_arithmetic(operator: ArithmeticOperator, left: Result, right: Result) -> Result | None:
    match operator, left, right:
        case "-", Interval(), Interval() if left.is_point and right.is_point:
            return Distance(right.begin, left.begin)
        case (("+" | "-"), Interval(), Duration()) if left.is_point:
            moved = shift(left.begin, right if operator == "+" else -right)
            return None if moved is None else point(moved)
        case "+", Duration(), Interval() if right.is_point:
            return _time_arithmetic("+", right, left)
        case (("+" | "-"), Duration(), Duration()):
            total = left + (right if operator == "+" else -right)
            return _duration(total.months, total.microseconds)
        case "*", Duration(), int():
            return _duration(left.months * right, left.microseconds * right)
        case "*", int(), Duration():
            return _time_arithmetic("*", right, left)
        case (("+" | "-"), (Duration() | Distance()), (Duration() | Distance())):
            one, other = _microseconds(left), _microseconds(right)
            if one is None or other is None:
                return None
            return _duration(0, one + other if operator == "+" else one - other)
        case _:
            return None


def _duration(months: int, microseconds: int) -> Duration | None:
    """Returns a duration, or None if one of its parts does not fit into 64 bits."""
    return None if number(months) is None or number(microseconds) is None else Duration(months, microseconds)


def _microseconds(value: Duration | Distance) -> int | None:
    if isinstance(value, Duration) and value.months:
        return None
    return value.microseconds


_ORDER_TESTS = {
    "=": lambda order: order == 0,
    "!=": lambda order: order != 0,
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    ">": lambda order: order > 0,
    ">=": lambda order: order >= 0,
}


def compare(operator: ComparisonOperator, left: Result, right: Result) -> bool | None:
    """Returns left operator right, or None where the two cannot be compared that way.

    Equality is defined between any two data values (a number and a string are never equal); order only between two
    numbers, two strings, two time points, two lengths of time.
    """
    order = _order(left, right)
    if order is not None:
        return bool(_ORDER_TESTS[operator](order))
    if operator not in ("=", "!="):
        return None
    if isinstance(left, Interval) and isinstance(right, Interval):
        return (left == right) == (operator == "=")
    if isinstance(left, str | int | float | bool | Term) and isinstance(right, str | int | float | bool | Term):
        return (value_key(left) == value_key(right)) == (operator == "=")
    return None


def _order(left: Result, right: Result) -> int | None:
    """Returns -1, 0 or 1 where left and right are ordered, else None."""
    match left, right:
        case (bool(), _) | (_, bool()):
            return None
        case ((int() | float()), (int() | float())):
            return _sign(left, right)
        case str(), str():
            return _sign(left, right)
        case Interval(), Interval() if left.is_point and right.is_point:
            return _sign(left.begin, right.begin)
        case Distance(), Distance():
            return _sign(left.microseconds, right.microseconds)
        case Distance(), Duration(months=0):
            return _sign(left.microseconds, right.microseconds)
        case Distance(), Duration():
            limit = shift(left.begin, right)
            return None if limit is None else _sign(left.end, limit)
        case Duration(), Distance():
            order = _order(right, left)
            return None if order is None else -order
        case Duration(), Duration():
            return _duration_order(left, right)
        case _:
            return None


def _duration_order(left: Duration, right: Duration) -> int | None:
    """Returns the order of durations with the same number of months; `1 month` and `30 day` have none."""
    if left.months != right.months:
        return None
    return _sign(left.microseconds, right.microseconds)


def _sign(left: int | float | str, right: int | float | str) -> int:
    return (left > right) - (left < right)  # type: ignore[operator]  # both are numbers or both are strings
