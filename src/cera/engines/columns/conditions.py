"""Expressions and conditions on whole columns, as `cera.model.evaluation.evaluator` defines them for one row.

No value is undefined here: a column in which one could be is left to the event-by-event engine. Numbers are doubles
below 2^53, among which every whole one is the integer that it stands for.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from cera.engines.columns.calls import called
from cera.engines.columns.coverage import EXACT
from cera.engines.columns.rows import Column, Events, OutsideColumnsError, Rows, Times, Truths
from cera.engines.columns.strings import Strings
from cera.model.expressions.expression import (
    And,
    Arithmetic,
    Call,
    Comparison,
    DurationLiteral,
    EventReference,
    Expression,
    Literal,
    Negative,
    Not,
    Or,
    Temporal,
    Variable,
    Within,
)
from cera.model.expressions.meaning import PartialMeaning
from cera.model.terms.values import Scalar
from cera.model.time.allen import CONVERSES
from cera.model.time.durations import Duration

_COMPARISONS: Mapping[str, Callable[[Any, Any], Any]] = MappingProxyType(
    {
        "=": operator.eq,
        "!=": operator.ne,
        "<": operator.lt,
        "<=": operator.le,
        ">": operator.gt,
        ">=": operator.ge,
    }
)

_RELATIONS: Mapping[str, Callable[[Events, Events], Truths]] = MappingProxyType(
    {
        "before": lambda i, j: i.end < j.begin,
        "meets": lambda i, j: i.end == j.begin,
        "overlaps": lambda i, j: (i.begin < j.begin) & (j.begin < i.end) & (i.end < j.end),
        "starts": lambda i, j: (i.begin == j.begin) & (i.end < j.end),
        "during": lambda i, j: (j.begin < i.begin) & (i.end < j.end),
        "finishes": lambda i, j: (j.begin < i.begin) & (i.end == j.end),
        "equals": lambda i, j: (i.begin == j.begin) & (i.end == j.end),
    }
)
_Value = Column | Events | Duration


def holds(condition: Expression, rows: Rows, strings: Strings) -> Truths:
    """Returns in which rows a condition holds."""
    return _Arrays(rows, strings).truth(condition)


def value(expression: Expression, rows: Rows, strings: Strings) -> Column:
    """Returns the values of an expression."""
    return _column(_Arrays(rows, strings).value(expression))


class _Arrays(PartialMeaning[Truths, _Value]):
    """Arrays of the rows of a relation: truth values, columns, the events of identifiers."""

    def __init__(self, rows: Rows, strings: Strings) -> None:
        self.rows = rows
        self.strings = strings

    def other_truth(self, condition: Expression) -> Truths:
        raise AssertionError(f"{type(condition).__name__} is not evaluated in columns; lowering let it pass")

    def other_value(self, expression: Expression) -> Column:
        raise AssertionError(f"{type(expression).__name__} is not evaluated in columns; lowering let it pass")

    def conjunction(self, condition: And, operands: Iterator[Truths]) -> Truths:
        found = list(operands)
        return np.logical_and.reduce(found) if found else np.ones(self.rows.count, np.bool_)

    def disjunction(self, condition: Or, operands: Iterator[Truths]) -> Truths:
        found = list(operands)
        return np.logical_or.reduce(found) if found else np.zeros(self.rows.count, np.bool_)

    def negation(self, condition: Not, operand: Truths) -> Truths:
        return ~operand

    def comparison(self, condition: Comparison, left: _Value, right: _Value) -> Truths:
        return _compared(condition.operator, _column(left), _column(right), self.rows.count, self.strings)

    def temporal(self, condition: Temporal, sides: Iterator[_Value]) -> Truths:
        one, other = map(_events, sides)
        relation = condition.relation
        if relation not in _RELATIONS:
            one, other, relation = other, one, CONVERSES[relation]
        return _RELATIONS[relation](one, other)

    def within(self, condition: Within, intervals: Sequence[_Value], duration: _Value) -> Truths:
        assert isinstance(duration, Duration)
        begin, end = hull([_events(interval) for interval in intervals])
        within: Truths = end - begin <= duration.microseconds
        return within

    def literal(self, literal: Literal) -> Column:
        return constant(literal.value, self.rows.count, self.strings)

    def duration(self, literal: DurationLiteral) -> Duration:
        return literal.duration

    def variable(self, variable: Variable) -> Column:
        return self.rows.data[variable.name]

    def event(self, reference: EventReference) -> Events:
        return self.rows.events[reference.identifier]

    def negative(self, expression: Negative, operand: _Value) -> Column:
        numbers = _numbers(_column(operand))
        return Column("number", 0.0 - numbers.values, numbers.bound)

    def arithmetic(self, expression: Arithmetic, left: _Value, right: _Value) -> Column:
        return _calculated(expression.operator, _numbers(_column(left)), _numbers(_column(right)))

    def call(self, call: Call, arguments: Iterator[_Value]) -> Column:
        return called(call.function, [_column(argument) for argument in arguments], self.strings)


def _column(found: _Value) -> Column:
    assert isinstance(found, Column)
    return found


def _events(found: _Value) -> Events:
    assert isinstance(found, Events)
    return found


def hull(events: list[Events]) -> tuple[Times, Times]:
    """Returns the first begins and the last ends."""
    begin, end = events[0].begin, events[0].end
    for other in events[1:]:
        begin, end = np.minimum(begin, other.begin), np.maximum(end, other.end)
    return begin, end


def constant(scalar: Scalar, count: int, strings: Strings) -> Column:
    """Returns a column of equal values."""
    match scalar:
        case bool():
            return Column("boolean", np.full(count, scalar))
        case str():
            return Column("string", np.full(count, strings.code(scalar)))
        case _:
            return Column("number", np.full(count, float(scalar)), abs(float(scalar)))


def _numbers(column: Column) -> Column:
    if column.kind == "nothing":
        return Column("number", column.values)
    if column.kind != "number":
        raise OutsideColumnsError("a rule calculates with what is not a number")
    return column


def _calculated(operation: str, left: Column, right: Column) -> Column:
    one, other = left.values, right.values
    match operation:
        case "+":
            found, bound = one + other, left.bound + right.bound
        case "-":
            found, bound = one - other, left.bound + right.bound
        case "*":
            found, bound = one * other, left.bound * right.bound
        case "/":  # by a constant that is not zero
            least = float(np.abs(other).min()) if len(other) else 1.0
            found, bound = one / other, left.bound / least
        case _:  # the remainder has the sign of the dividend
            found, bound = np.fmod(one, other), left.bound
    if not bound < EXACT:
        raise OutsideColumnsError("a rule calculates with large numbers")
    return Column("number", found, bound)


def _compared(operation: str, left: Column, right: Column, count: int, strings: Strings) -> Truths:
    if "nothing" in (left.kind, right.kind):
        return np.empty(0, np.bool_)
    if left.kind != right.kind:
        if operation not in ("=", "!="):
            raise OutsideColumnsError("a rule compares values of different kinds")
        return np.full(count, operation == "!=")
    one, other = left.values, right.values
    if operation not in ("=", "!="):
        if left.kind == "boolean":
            raise OutsideColumnsError("a rule asks which truth value is greater")
        if left.kind == "string":
            one, other = strings.ranks(one), strings.ranks(other)
    found: Truths = _COMPARISONS[operation](one, other)
    return found
