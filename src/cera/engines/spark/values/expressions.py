"""Expressions and conditions as Spark columns: the interpretation W of `cera.model.evaluation.evaluator`, natively."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import and_, or_
from typing import Protocol, assert_never

from pyspark.sql import Column

from cera.engines.spark.values import arithmetic, functions, python_functions, temporal
from cera.engines.spark.values import sql_functions as F
from cera.engines.spark.values.arithmetic import Number, literal, number_of, number_test
from cera.engines.spark.values.cells import Cell
from cera.engines.spark.values.comparison import compare
from cera.engines.spark.values.functions import Operand
from cera.engines.spark.values.temporal import (
    DistanceColumns,
    DurationColumns,
    IntervalColumns,
    TimeColumns,
    time_literal,
)
from cera.model.calendars.calendar_files import Calendar
from cera.model.evaluation.evaluator import Evaluator
from cera.model.expressions.expression import (
    Aggregate,
    And,
    Arithmetic,
    Call,
    Comparison,
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
    walk,
)
from cera.model.terms.term import Term
from cera.model.time.allen import CONVERSES
from cera.model.time.durations import Distance, Duration
from cera.model.time.interval import Interval
from cera.model.time.timers import Sign

#: An expression as columns; a `Cell` without components has no value in any row.
ValueColumns = Cell | TimeColumns

_NOTHING = Cell()


class Scope(Protocol):
    """The values of the variables and event identifiers of an expression in a row."""

    @property
    def calendars(self) -> tuple[Calendar, ...]: ...

    @property
    def timezone(self) -> str: ...

    def cell(self, variable: str) -> Cell:
        """Returns the value of a variable; a `Cell()` if it is never bound."""
        ...

    def interval(self, identifier: str) -> tuple[Column, Column]:
        """Returns begin and end of the event; both null where it is absent."""
        ...

    def fallback(self, name: str) -> None:
        """Notes that `name` (a function, a timer) runs in Python."""
        ...


def compile_condition(condition: Expression, scope: Scope) -> Column:
    """Returns whether the condition holds: true or false, never null."""
    return F.coalesce(compile_filter(condition, scope), F.lit(False))


def compile_filter(condition: Expression, scope: Scope) -> Column:
    """Returns true where the condition holds, else false or null: for filters and joins, which take null for false.

    It is simpler than `compile_condition`, and Spark can push it down into the reading of files.
    """
    return _Compiler(scope).condition(condition)


def compile_value(expression: Expression, scope: Scope) -> ValueColumns:
    """Returns the value of the expression, null where it is undefined."""
    return _as_columns(_Compiler(scope).operand(expression))


def _as_columns(operand: Operand | Number) -> ValueColumns:
    match operand:
        case Number():
            return operand.cell()
        case Interval() | Duration() | Distance():
            return time_literal(operand)
        case str() | int() | float():
            return literal(operand)
        case _:
            return operand


def _is_constant(expression: Expression) -> bool:
    return not any(isinstance(part, Variable | EventReference | Periodic | Aggregate) for part in walk(expression))


@dataclass(frozen=True)
class _Compiler:
    """A compiler that keeps constants and sums as they are until they are used, so that the columns are simple."""

    scope: Scope

    def condition(self, condition: Expression) -> Column:
        match condition:
            case And():
                return _balanced(and_, [self.condition(c) for c in condition.operands] or [F.lit(True)])
            case Or():
                return _balanced(or_, [self.condition(c) for c in condition.operands] or [F.lit(False)])
            case Not():
                return ~F.coalesce(self.condition(condition.operand), F.lit(False))
            case Comparison():
                return self._comparison(condition)
            case Temporal():
                return self._temporal(condition)
            case Within():
                return self._within(condition)
            case InOneWindow():
                return self._in_one_window(condition)
            case InState():
                event = self._interval(condition.event)
                begin, end = self.scope.interval(until_of(condition.state.identifier))
                return F.lit(False) if event is None else temporal.in_state(event, IntervalColumns(begin, end))
            case Different():
                raise AssertionError("only rows with the ids of events say whether these are the same")
            case _:
                value = _as_columns(self.operand(condition))
                found = value.boolean if isinstance(value, Cell) else None
                return F.lit(False) if found is None else found

    def operand(self, expression: Expression) -> Operand | Number:
        if _is_constant(expression):
            value = Evaluator().value(expression, {}, {})
            assert not isinstance(value, Term)
            return _NOTHING if value is None else value
        match expression:
            case Variable():
                return self.scope.cell(expression.name)
            case EventReference():
                return IntervalColumns(*self.scope.interval(expression.identifier))
            case Negative():
                return self._negative(expression)
            case Arithmetic():
                return self._arithmetic(expression)
            case Call():
                return self._call(expression)
            case Comparison() | Temporal() | Within() | InOneWindow() | InState() | Different() | Not() | And() | Or():
                return Cell(boolean=F.coalesce(self.condition(expression), F.lit(False)))
            case Aggregate() | Periodic():
                raise AssertionError(f"{type(expression).__name__} has no value of its own; the checks let it pass")
            case Literal() | DurationLiteral() | DateTime():
                raise AssertionError("a constant")
            case _:
                assert_never(expression)

    def _value(self, expression: Expression) -> Operand:
        operand = self.operand(expression)
        return operand.cell() if isinstance(operand, Number) else operand

    def _call(self, call: Call) -> Operand | Number:
        arguments = [self.operand(argument) for argument in call.arguments]
        if call.function in functions.ON_NUMBERS and isinstance(arguments[0], Number):
            return arithmetic.applied(functions.ON_NUMBERS[call.function], arguments[0]) or _NOTHING
        values = [argument.cell() if isinstance(argument, Number) else argument for argument in arguments]
        return functions.call(call.function, values, self.scope.fallback)

    def _negative(self, expression: Negative) -> Operand | Number:
        operand = self.operand(expression.operand)
        if isinstance(operand, DurationColumns | DistanceColumns):
            return temporal.negative_length(operand)
        number = _number(operand)
        return _NOTHING if number is None else arithmetic.negative(number)

    def _arithmetic(self, expression: Arithmetic) -> Operand | Number:
        left, right = self.operand(expression.left), self.operand(expression.right)
        one, other = _number(left), _number(right)
        if one is not None and other is not None:
            return arithmetic.calculate(expression.operator, one, other)
        sign: Sign = 1 if expression.operator == "+" else -1
        match expression.operator, _kept(left), _kept(right):
            case "-", IntervalColumns() as i, IntervalColumns() as j:
                points = temporal.both(temporal.is_point(i), temporal.is_point(j))
                return DistanceColumns(temporal.where(points, j.begin), temporal.where(points, i.begin))
            case (("+" | "-"), IntervalColumns() as i, (Duration() | DurationColumns()) as duration):
                moved = temporal.shift(temporal.point_of(i), duration, sign)
                return IntervalColumns(moved, moved, True)
            case "+", (Duration() | DurationColumns()) as duration, IntervalColumns() as i:
                moved = temporal.shift(temporal.point_of(i), duration)
                return IntervalColumns(moved, moved, True)
            case (
                ("+" | "-"),
                (Duration() | DurationColumns() | DistanceColumns()) as first,
                (Duration() | DurationColumns() | DistanceColumns()) as second,
            ):
                return temporal.add_lengths(sign, first, second)
            case "*", (Duration() | DurationColumns()) as duration, _:
                return _multiplied(duration, other)
            case "*", _, (Duration() | DurationColumns()) as duration:
                return _multiplied(duration, one)
            case _:
                return _NOTHING

    def _comparison(self, comparison: Comparison) -> Column:
        left, right = self.operand(comparison.left), self.operand(comparison.right)
        match left, right:
            case Number(), (Number() | Cell() | str() | int() | float()):
                other = right.cell() if isinstance(right, Number) else right
                return number_test(left, other, lambda cell, other: compare(comparison.operator, cell, other))
            case ((Cell() | str() | int() | float()), Number()):
                return number_test(right, left, lambda cell, other: compare(comparison.operator, other, cell))
            case (Number(), _) | (_, Number()):
                return F.lit(False)
            case ((Cell() | str() | int() | float()), (Cell() | str() | int() | float())):
                return compare(comparison.operator, left, right)
            case ((Cell() | str() | int() | float()), _):
                return F.lit(False)
            case _, (Cell() | str() | int() | float()):
                return F.lit(False)
            case _:
                return temporal.compare_times(comparison.operator, _time(left), _time(right))

    def _temporal(self, condition: Temporal) -> Column:
        if isinstance(condition.left, Periodic):
            return self._periodic(condition.left, condition.relation, condition.right)
        if isinstance(condition.right, Periodic):
            return self._periodic(condition.right, CONVERSES[condition.relation], condition.left)
        left, right = self._interval(condition.left), self._interval(condition.right)
        if left is None or right is None:
            return F.lit(False)
        return temporal.related(condition.relation, left, right)

    def _interval(self, expression: Expression) -> IntervalColumns | None:
        found = _as_columns(self.operand(expression))
        return found if isinstance(found, IntervalColumns) else None

    def _periodic(self, periodic: Periodic, relation: str, expression: Expression) -> Column:
        interval = self._interval(expression)
        if interval is None:
            return F.lit(False)
        self.scope.fallback(f"timer:{periodic.timer.name} in a condition")
        return python_functions.occurs(
            periodic.timer, self.scope.calendars, self.scope.timezone, relation, interval.begin, interval.end
        )

    def _within(self, condition: Within) -> Column:
        intervals = [self._interval(interval) for interval in condition.intervals]
        length = self._value(condition.duration)
        if isinstance(length, Distance):
            length = Duration(0, length.microseconds)
        if any(i is None for i in intervals) or not isinstance(length, Duration | DurationColumns | DistanceColumns):
            return F.lit(False)
        return temporal.within([i for i in intervals if i is not None], length)

    def _in_one_window(self, condition: InOneWindow) -> Column:
        intervals = [self._interval(interval) for interval in condition.intervals]
        known = [interval for interval in intervals if interval is not None]
        return temporal.in_one_window(known, condition.period) if len(known) == len(intervals) else F.lit(False)


def _balanced(operator: Callable[[Column, Column], Column], columns: Sequence[Column]) -> Column:
    """Joins the columns by an operator, as a tree of least depth: Spark walks it by recursion."""
    if len(columns) == 1:
        return columns[0]
    middle = (len(columns) + 1) // 2
    return operator(_balanced(operator, columns[:middle]), _balanced(operator, columns[middle:]))


def _number(operand: Operand | Number) -> Number | None:
    match operand:
        case Number():
            return operand
        case Cell() | str() | int() | float():
            return number_of(operand)
        case _:
            return None


def _kept(operand: Operand | Number) -> ValueColumns | Duration:
    """Returns columns, except for a constant duration, which is simpler as it is."""
    return operand if isinstance(operand, Duration) else _as_columns(operand)


def _time(operand: Operand) -> TimeColumns | Duration:
    found = _kept(operand)
    assert not isinstance(found, Cell)
    return found


def _multiplied(duration: Duration | DurationColumns, factor: Number | None) -> Operand:
    integer = None if factor is None else arithmetic.canonical(factor.cell()).integer
    return _NOTHING if integer is None else temporal.multiply(duration, integer)
