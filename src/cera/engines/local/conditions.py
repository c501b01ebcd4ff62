"""Conditions as Python source over the cells of a row: comparisons of values, relations and distances of events."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from cera.algebra.layouts import Column, Layout, Row
from cera.codegen.expressions import OPERATORS, Cell, Constant, ExpressionWriter, Source
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
    written = [source.truth(condition) for condition in conditions]
    return written[0] if len(written) == 1 else " and ".join(f"({each})" for each in written)


@dataclass(frozen=True)
class _Span(Source):
    """The sources of the begin and the end of an interval."""

    begin: str
    end: str


class _Edge(_Span):
    """The begin or the end of an interval, as a point."""


@dataclass(frozen=True)
class _Length(Source):
    """The source of a length of time in microseconds."""

    source: str


@dataclass(frozen=True)
class _Sum(Source):
    """The source of sums, differences and products of numbers of ordinary size, a bound, and the cells in it."""

    source: str
    bound: int
    cells: tuple[str, ...]


class _ConditionSource(ExpressionWriter):
    def __init__(self, layout: Layout, evaluator: Evaluator, cells: Cells, writer: SourceWriter) -> None:
        self.layout = layout
        self.evaluator = evaluator
        self.cells = cells
        self.writer = writer

    def evaluated(self, condition: Expression) -> str:
        layout, evaluator = self.layout, self.evaluator

        def holds(row: Row) -> bool:
            return evaluator.holds(condition, layout.values(row), layout.times(row))

        return f"{self.writer.name(holds)}({self.cells.tuple})"

    # Times

    def temporal(self, condition: Temporal, sides: Iterator[Source | None]) -> str:
        spans = _spans(sides)
        if spans is None:
            return self.evaluated(condition)
        i, j = spans
        return _RELATIONS[condition.relation].format(ib=i.begin, ie=i.end, jb=j.begin, je=j.end)

    def within(self, condition: Within, intervals: Sequence[Source | None], duration: Source | None) -> str:
        spans, limit = _spans(intervals), condition.duration
        if spans is None or not isinstance(limit, DurationLiteral) or limit.duration.months:
            return self.evaluated(condition)
        return f"{_hull_length(spans)} <= {limit.duration.microseconds}"

    def in_one_window(self, condition: InOneWindow, intervals: Sequence[Source | None]) -> str:
        spans = _spans(intervals)
        return self.evaluated(condition) if spans is None else _in_one_window(condition.period, spans)

    def in_state(self, condition: InState, event: Source | None) -> str:
        if Column("event", condition.state.identifier) not in self.layout:
            return self.evaluated(condition)
        position = self.layout.event(condition.state.identifier)
        begin, until = self.cells.begin(position), f"{self.cells[position]}.until"
        match condition.event:
            case Call(function="shift-forward", arguments=(point, DurationLiteral(duration=by))) if by == _NEXT:
                at = self.value(point)
                if isinstance(at, _Span) and at.begin == at.end:  # it holds at this point, and does not end there
                    return f"{begin} <= {at.begin} < {until} and {at.begin} < {MAX_TIME}"
        if not isinstance(event, _Span):
            return self.evaluated(condition)
        return f"{begin} <= {event.begin} and {begin} < {event.end} <= {until}"

    def different(self, condition: Different) -> str:
        one, other = (self.layout.event(each.identifier) for each in (condition.left, condition.right))
        return f"{self.cells[one]}.number != {self.cells[other]}.number"

    def event(self, reference: EventReference) -> _Span | None:
        if Column("event", reference.identifier) not in self.layout:
            return None
        position = self.layout.event(reference.identifier)
        return _Span(self.cells.begin(position), self.cells.end(position))

    def date_time(self, literal: DateTime) -> _Span | None:
        found = literal.interval
        return None if found is None else _Span(str(found.begin), str(found.end))

    def duration(self, literal: DurationLiteral) -> _Length | None:
        return None if literal.duration.months else _Length(str(literal.duration.microseconds))

    def call(self, call: Call, arguments: Iterator[Source | None]) -> Source | None:
        match call.function, _spans(arguments):
            case "begin", [interval]:
                return _Edge(interval.begin, interval.begin)
            case "end", [interval]:
                return _Edge(interval.end, interval.end)
            case "length", [interval]:
                return _Length(f"{interval.end} - {interval.begin}")
            case "timeDiff", [_, _] as spans:
                return _Length(_hull_length(spans))
            case _:
                return None

    # Values

    def variable(self, variable: Variable) -> Cell | None:
        known = Column("data", variable.name) in self.layout
        return Cell(self.cells[self.layout.data(variable.name)]) if known else None

    def arithmetic(self, expression: Arithmetic, left: Source | None, right: Source | None) -> Source | None:
        operator = expression.operator
        if operator == "-" and isinstance(left, _Edge) and isinstance(right, _Edge):
            return _Length(f"{left.begin} - {right.begin}")
        one, other = _sum_of(left), _sum_of(right)
        if one is None or other is None or operator not in ("+", "-", "*"):
            return None
        bound = one.bound * other.bound if operator == "*" else one.bound + other.bound
        source = f"({one.source} {operator} {other.source})"
        return _Sum(source, bound, (*one.cells, *other.cells)) if bound < _EXACT else None

    def comparison(self, condition: Comparison, left: Source | None, right: Source | None) -> str:
        operator = OPERATORS[condition.operator]
        match left, right:
            case _Length(), _Length():
                return f"{left.source} {operator} {right.source}"
            case _Edge(), _Edge():
                return f"{left.begin} {operator} {right.begin}"
            case Cell(), Cell():
                return super().comparison(condition, left, right)
            case Cell(), Constant() if is_number(right.value):
                return super().comparison(condition, left, right)
            case Cell(), Constant() if condition.operator == "=":
                name = self.writer.name(wrap(right.value))
                return f"{left.source} == {name} if {left.source} is not None else {self.evaluated(condition)}"
            case (_Sum(), _) | (_, _Sum()):
                return self._calculated(condition, _sum_of(left), _sum_of(right))
            case _:
                return self.evaluated(condition)

    def _calculated(self, condition: Comparison, left: _Sum | None, right: _Sum | None) -> str:
        """Returns the source of a comparison of what is calculated, which is exact for numbers of ordinary size, whole
        ones or not: nothing overflows, and every whole double is the integer that it stands for.
        """
        if left is None or right is None or not left.cells + right.cells:
            return self.evaluated(condition)
        ordinary = " and ".join(map(is_ordinary, dict.fromkeys(left.cells + right.cells)))
        compared = f"{left.source} {OPERATORS[condition.operator]} {right.source}"
        return f"({compared}) if {ordinary} else {self.evaluated(condition)}"


def _sum_of(source: Source | None) -> _Sum | None:
    match source:
        case _Sum():
            return source
        case Cell(source=cell):
            return _Sum(cell, ORDINARY, (cell,))
        case Constant(value=int() | float() as value) if is_number(value) and abs(value) < ORDINARY:
            return _Sum(f"({value!r})", math.ceil(abs(value)), ())
        case _:
            return None


def _spans(sources: Iterable[Source | None]) -> list[_Span] | None:
    """Returns the intervals if all are."""
    found = list(sources)
    spans = [source for source in found if isinstance(source, _Span)]
    return spans if len(spans) == len(found) else None


def _in_one_window(period: Period, intervals: Sequence[_Span]) -> str:
    """Returns the source of `Period.in_one` on the hull of some intervals."""
    begins = ", ".join(i.begin for i in intervals)
    first = f"min({begins})" if len(intervals) > 1 else begins
    return f"{_hull_length(intervals)} + ({first} - {period.origin}) % {period.slide} < {period.length}"


def _hull_length(intervals: Sequence[_Span]) -> str:
    if len(intervals) == 1:
        return f"{intervals[0].end} - {intervals[0].begin}"
    ends, begins = ", ".join(i.end for i in intervals), ", ".join(i.begin for i in intervals)
    return f"max({ends}) - min({begins})"
