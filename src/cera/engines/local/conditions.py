"""Conditions as Python source over the cells of a row: comparisons of values, relations and distances of events."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from cera.algebra.layouts import Column, Layout, Row
from cera.codegen.expressions import OPERATORS, ExpressionWriter
from cera.engines.local.python_source import ORDINARY, Cells, SourceWriter, is_ordinary
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.occurrence import wrap
from cera.model.expressions.expression import (
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
    Temporal,
    Variable,
    Within,
)
from cera.model.terms.values import is_number
from cera.model.time.durations import Duration
from cera.model.time.interval import MAX_TIME
from cera.model.time.periodic_windows import Period

Test = Callable[[Row], bool]

_RELATIONS = {
    "before": "{ie} < {jb}",
    "after": "{je} < {ib}",
    "meets": "{ie} == {jb}",
    "met-by": "{je} == {ib}",
    "overlaps": "{ib} < {jb} < {ie} < {je}",
    "overlapped-by": "{jb} < {ib} < {je} < {ie}",
    "starts": "{ib} == {jb} and {ie} < {je}",
    "started-by": "{ib} == {jb} and {je} < {ie}",
    "during": "{jb} < {ib} and {ie} < {je}",
    "contains": "{ib} < {jb} and {je} < {ie}",
    "finishes": "{jb} < {ib} and {ie} == {je}",
    "finished-by": "{ib} < {jb} and {ie} == {je}",
    "equals": "{ib} == {jb} and {ie} == {je}",
}
#: How far a point of time is moved to ask whether a state holds there.
_NEXT = Duration(0, 1)
#: Below this, every whole double is one integer.
_EXACT = 2**53


def compile_conditions(conditions: Sequence[Expression], layout: Layout, evaluator: Evaluator) -> Test | None:
    """Returns a function that says whether all conditions hold on a row; None if there are none."""
    if not conditions:
        return None
    writer = SourceWriter()
    source = write_conditions(conditions, layout, evaluator, Cells.of("row", len(layout.columns)), writer)
    test: Test = writer.function("test", "row", [f"return {source}"])
    return test


def write_conditions(
    conditions: Sequence[Expression], layout: Layout, evaluator: Evaluator, cells: Cells, writer: SourceWriter
) -> str:
    """Returns the source of a test that all conditions hold on a row."""
    source = _ConditionSource(layout, evaluator, cells, writer)
    written = [source.condition(condition) for condition in conditions]
    return written[0] if len(written) == 1 else " and ".join(f"({each})" for each in written)


class _ConditionSource(ExpressionWriter):
    def __init__(self, layout: Layout, evaluator: Evaluator, cells: Cells, writer: SourceWriter) -> None:
        self.layout = layout
        self.evaluator = evaluator
        self.cells = cells
        self.writer = writer

    def relation(self, condition: Expression) -> str | None:
        match condition:
            case InState(event=Call(function="shift-forward", arguments=(point, DurationLiteral(duration=by)))) if (
                by == _NEXT and Column("event", condition.state.identifier) in self.layout
            ):
                event, position = self.interval(point), self.layout.event(condition.state.identifier)
                if event and event[0] == event[1]:  # it holds at this point, and does not end there
                    begin, until = self.cells.begin(position), f"{self.cells[position]}.until"
                    return f"{begin} <= {event[0]} < {until} and {event[0]} < {MAX_TIME}"
            case Temporal():
                i, j = self.interval(condition.left), self.interval(condition.right)
                if i and j:
                    return _RELATIONS[condition.relation].format(ib=i[0], ie=i[1], jb=j[0], je=j[1])
            case Within():
                intervals = [self.interval(i) for i in condition.intervals]
                limit = condition.duration
                if all(intervals) and isinstance(limit, DurationLiteral) and not limit.duration.months:
                    return f"{_hull_length([i for i in intervals if i])} <= {limit.duration.microseconds}"
            case InOneWindow():
                intervals = [self.interval(i) for i in condition.intervals]
                if all(intervals):
                    return _in_one_window(condition.period, [i for i in intervals if i])
            case InState() if Column("event", condition.state.identifier) in self.layout:
                event, position = self.interval(condition.event), self.layout.event(condition.state.identifier)
                if event:
                    begin, until = self.cells.begin(position), f"{self.cells[position]}.until"
                    return f"{begin} <= {event[0]} and {begin} < {event[1]} <= {until}"
            case Different():
                one, other = (self.layout.event(each.identifier) for each in (condition.left, condition.right))
                return f"{self.cells[one]}.number != {self.cells[other]}.number"
            case _:
                pass
        return None

    def evaluated(self, condition: Expression) -> str:
        layout, evaluator = self.layout, self.evaluator

        def holds(row: Row) -> bool:
            return evaluator.holds(condition, layout.values(row), layout.times(row))

        return f"{self.writer.name(holds)}({self.cells.tuple})"

    def value(self, variable: str) -> str:
        return self.cells[self.layout.data(variable)]

    def interval(self, expression: Expression) -> tuple[str, str] | None:
        """Returns the sources of the begin and the end of an interval; None if it may not be one."""
        match expression:
            case EventReference() if Column("event", expression.identifier) in self.layout:
                position = self.layout.event(expression.identifier)
                return self.cells.begin(position), self.cells.end(position)
            case DateTime() if expression.interval is not None:
                return str(expression.interval.begin), str(expression.interval.end)
            case Call(function="begin" | "end", arguments=(argument,)):
                inner = self.interval(argument)
                edge = None if inner is None else inner[expression.function == "end"]
                return None if edge is None else (edge, edge)
            case _:
                return None

    def length(self, expression: Expression) -> str | None:
        """Returns the source of a length of time in microseconds."""
        match expression:
            case DurationLiteral() if not expression.duration.months:
                return str(expression.duration.microseconds)
            case Call(function="length", arguments=(argument,)):
                inner = self.interval(argument)
                return None if inner is None else f"{inner[1]} - {inner[0]}"
            case Call(function="timeDiff", arguments=(one, other)):
                i, j = self.interval(one), self.interval(other)
                return _hull_length([i, j]) if i and j else None
            case Arithmetic(operator="-", left=Call(function="begin" | "end"), right=Call(function="begin" | "end")):
                i, j = self.interval(expression.left), self.interval(expression.right)
                return f"{i[0]} - {j[0]}" if i and j else None
            case _:
                return None

    def comparison(self, condition: Comparison) -> str | None:
        operator = OPERATORS[condition.operator]
        left, right = self.length(condition.left), self.length(condition.right)
        if left and right:
            return f"{left} {operator} {right}"
        match condition.left, condition.right:
            case Call(function="begin" | "end"), Call(function="begin" | "end"):
                i, j = self.interval(condition.left), self.interval(condition.right)
                return f"{i[0]} {operator} {j[0]}" if i and j else None
            case Variable(), Variable():
                return super().comparison(condition)
            case Variable(), Literal() if is_number(condition.right.value):
                return super().comparison(condition)
            case Variable(), Literal() if condition.operator == "=":
                name = self.writer.name(wrap(condition.right.value))
                cell = self.value(condition.left.name)
                return f"{cell} == {name} if {cell} is not None else {self.evaluated(condition)}"
            case (Arithmetic(), _) | (_, Arithmetic()):
                return self._calculated(condition)
            case _:
                return None

    def _calculated(self, condition: Comparison) -> str | None:
        """Returns the source of a comparison of what is calculated; None unless it is exact for numbers of ordinary
        size, whole ones or not, so that nothing overflows and every whole double is the integer that it stands for.
        """
        cells: dict[str, None] = {}
        left, right = self._arithmetic(condition.left, cells), self._arithmetic(condition.right, cells)
        if left is None or right is None or not cells:
            return None
        ordinary = " and ".join(map(is_ordinary, cells))
        compared = f"{left[0]} {OPERATORS[condition.operator]} {right[0]}"
        return f"({compared}) if {ordinary} else {self.evaluated(condition)}"

    def _arithmetic(self, expression: Expression, cells: dict[str, None]) -> tuple[str, int] | None:
        """Returns the source of sums, differences and products, with a bound of the result; notes the cells in it."""
        match expression:
            case Variable():
                cells[cell := self.value(expression.name)] = None
                return cell, ORDINARY
            case Literal(value=int() | float() as value) if is_number(value) and abs(value) < ORDINARY:
                return f"({value!r})", math.ceil(abs(value))
            case Arithmetic(operator="+" | "-" | "*" as operator):
                left, right = self._arithmetic(expression.left, cells), self._arithmetic(expression.right, cells)
                if left is None or right is None:
                    return None
                bound = left[1] * right[1] if operator == "*" else left[1] + right[1]
                return (f"({left[0]} {operator} {right[0]})", bound) if bound < _EXACT else None
            case _:
                return None


def _in_one_window(period: Period, intervals: Sequence[tuple[str, str]]) -> str:
    """Returns the source of `Period.in_one` on the hull of some intervals."""
    begins = ", ".join(i[0] for i in intervals)
    first = f"min({begins})" if len(intervals) > 1 else begins
    return f"{_hull_length(intervals)} + ({first} - {period.origin}) % {period.slide} < {period.length}"


def _hull_length(intervals: Sequence[tuple[str, str]]) -> str:
    if len(intervals) == 1:
        return f"{intervals[0][1]} - {intervals[0][0]}"
    ends, begins = ", ".join(i[1] for i in intervals), ", ".join(i[0] for i in intervals)
    return f"max({ends}) - min({begins})"
