"""Expressions and conditions as Spark columns: the interpretation W of `cera.model.evaluation.evaluator`, natively."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import and_, or_
from typing import NoReturn, Protocol

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
from cera.model.expressions.meaning import Meaning
from cera.model.terms.term import Term
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
    return _Columns(scope).truth(condition)


def compile_value(expression: Expression, scope: Scope) -> ValueColumns:
    """Returns the value of the expression, null where it is undefined."""
    return _as_columns(_Columns(scope).value(expression))


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
class _Columns(Meaning[Column, Operand | Number]):
    """Columns. Constants and sums are kept as they are until they are used, so that the columns are simple.

    The column of a condition may be null where it does not hold.
    """

    scope: Scope

    def value(self, expression: Expression) -> Operand | Number:
        if not _is_constant(expression):
            return super().value(expression)
        value = Evaluator().value(expression, {}, {})
        assert not isinstance(value, Term)
        return _NOTHING if value is None else value

    def value_as_truth(self, expression: Expression) -> Column:
        value = _as_columns(self.value(expression))
        found = value.boolean if isinstance(value, Cell) else None
        return F.lit(False) if found is None else found

    def truth_as_value(self, condition: Expression) -> Cell:
        return Cell(boolean=F.coalesce(self.truth(condition), F.lit(False)))

    def conjunction(self, condition: And, operands: Iterator[Column]) -> Column:
        return _balanced(and_, list(operands) or [F.lit(True)])

    def disjunction(self, condition: Or, operands: Iterator[Column]) -> Column:
        return _balanced(or_, list(operands) or [F.lit(False)])

    def negation(self, condition: Not, operand: Column) -> Column:
        return ~F.coalesce(operand, F.lit(False))

    def comparison(self, condition: Comparison, left: Operand | Number, right: Operand | Number) -> Column:
        match left, right:
            case Number(), (Number() | Cell() | str() | int() | float()):
                other = right.cell() if isinstance(right, Number) else right
                return number_test(left, other, lambda cell, other: compare(condition.operator, cell, other))
            case ((Cell() | str() | int() | float()), Number()):
                return number_test(right, left, lambda cell, other: compare(condition.operator, other, cell))
            case (Number(), _) | (_, Number()):
                return F.lit(False)
            case ((Cell() | str() | int() | float()), (Cell() | str() | int() | float())):
                return compare(condition.operator, left, right)
            case ((Cell() | str() | int() | float()), _):
                return F.lit(False)
            case _, (Cell() | str() | int() | float()):
                return F.lit(False)
            case _:
                return temporal.compare_times(condition.operator, _time(left), _time(right))

    def temporal(self, condition: Temporal, sides: Iterator[Operand | Number]) -> Column:
        left, right = map(_interval, sides)
        if left is None or right is None:
            return F.lit(False)
        return temporal.related(condition.relation, left, right)

    def recurrence(self, condition: Temporal, timer: Periodic, relation: str, interval: Operand | Number) -> Column:
        found = _interval(interval)
        if found is None:
            return F.lit(False)
        self.scope.fallback(f"timer:{timer.timer.name} in a condition")
        return python_functions.occurs(
            timer.timer, self.scope.calendars, self.scope.timezone, relation, found.begin, found.end
        )

    def within(self, condition: Within, intervals: Sequence[Operand | Number], duration: Operand | Number) -> Column:
        known = _intervals(intervals)
        length = _operand(duration)
        if isinstance(length, Distance):
            length = Duration(0, length.microseconds)
        if known is None or not isinstance(length, Duration | DurationColumns | DistanceColumns):
            return F.lit(False)
        return temporal.within(known, length)

    def in_one_window(self, condition: InOneWindow, intervals: Sequence[Operand | Number]) -> Column:
        known = _intervals(intervals)
        return F.lit(False) if known is None else temporal.in_one_window(known, condition.period)

    def in_state(self, condition: InState, event: Operand | Number) -> Column:
        found = _interval(event)
        begin, end = self.scope.interval(until_of(condition.state.identifier))
        return F.lit(False) if found is None else temporal.in_state(found, IntervalColumns(begin, end))

    def different(self, condition: Different) -> Column:
        raise AssertionError("only rows with the ids of events say whether these are the same")

    def literal(self, literal: Literal) -> NoReturn:
        raise AssertionError("a constant")

    def duration(self, literal: DurationLiteral) -> NoReturn:
        raise AssertionError("a constant")

    def date_time(self, literal: DateTime) -> NoReturn:
        raise AssertionError("a constant")

    def variable(self, variable: Variable) -> Cell:
        return self.scope.cell(variable.name)

    def event(self, reference: EventReference) -> IntervalColumns:
        return IntervalColumns(*self.scope.interval(reference.identifier))

    def negative(self, expression: Negative, operand: Operand | Number) -> Operand | Number:
        if isinstance(operand, DurationColumns | DistanceColumns):
            return temporal.negative_length(operand)
        number = _number(operand)
        return _NOTHING if number is None else arithmetic.negative(number)

    def arithmetic(self, expression: Arithmetic, left: Operand | Number, right: Operand | Number) -> Operand | Number:
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

    def call(self, call: Call, arguments: Iterator[Operand | Number]) -> Operand | Number:
        found = list(arguments)
        if call.function in functions.ON_NUMBERS and isinstance(found[0], Number):
            return arithmetic.applied(functions.ON_NUMBERS[call.function], found[0]) or _NOTHING
        return functions.call(call.function, [_operand(argument) for argument in found], self.scope.fallback)


def _balanced(operator: Callable[[Column, Column], Column], columns: Sequence[Column]) -> Column:
    """Joins the columns by an operator, as a tree of least depth: Spark walks it by recursion."""
    if len(columns) == 1:
        return columns[0]
    middle = (len(columns) + 1) // 2
    return operator(_balanced(operator, columns[:middle]), _balanced(operator, columns[middle:]))


def _operand(operand: Operand | Number) -> Operand:
    return operand.cell() if isinstance(operand, Number) else operand


def _interval(operand: Operand | Number) -> IntervalColumns | None:
    found = _as_columns(operand)
    return found if isinstance(found, IntervalColumns) else None


def _intervals(operands: Sequence[Operand | Number]) -> list[IntervalColumns] | None:
    """Returns the intervals if all operands are intervals."""
    known = [interval for operand in operands if (interval := _interval(operand)) is not None]
    return known if len(known) == len(operands) else None


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
