"""Expressions and conditions on whole columns, as `cera.model.evaluation.evaluator` defines them for one row.

No value is undefined here: a column in which one could be is left to the event-by-event engine. Numbers are doubles
below 2^53, among which every whole one is the integer that it stands for.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
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
from cera.model.terms.values import Scalar

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
_CONVERSES = MappingProxyType(
    {
        "after": "before",
        "met-by": "meets",
        "overlapped-by": "overlaps",
        "started-by": "starts",
        "contains": "during",
        "finished-by": "finishes",
    }
)


def holds(condition: Expression, rows: Rows, strings: Strings) -> Truths:
    """Returns in which rows a condition holds."""
    match condition:
        case And():
            found = [holds(part, rows, strings) for part in condition.operands]
            return np.logical_and.reduce(found) if found else np.ones(rows.count, np.bool_)
        case Or():
            found = [holds(part, rows, strings) for part in condition.operands]
            return np.logical_or.reduce(found) if found else np.zeros(rows.count, np.bool_)
        case Not():
            return ~holds(condition.operand, rows, strings)
        case Comparison():
            left, right = (value(side, rows, strings) for side in (condition.left, condition.right))
            return _compared(condition.operator, left, right, rows.count, strings)
        case Temporal(left=EventReference(identifier=one), right=EventReference(identifier=other)):
            converse = _CONVERSES.get(condition.relation)
            if converse is not None:
                return _RELATIONS[converse](rows.events[other], rows.events[one])
            return _RELATIONS[condition.relation](rows.events[one], rows.events[other])
        case Within(duration=DurationLiteral(duration=duration)):
            names = [each.identifier for each in condition.intervals if isinstance(each, EventReference)]
            begin, end = hull([rows.events[name] for name in names])
            within: Truths = end - begin <= duration.microseconds
            return within
        case _:
            raise AssertionError(f"{type(condition).__name__} is not evaluated in columns; lowering let it pass")


def hull(events: list[Events]) -> tuple[Times, Times]:
    """Returns the first begins and the last ends."""
    begin, end = events[0].begin, events[0].end
    for other in events[1:]:
        begin, end = np.minimum(begin, other.begin), np.maximum(end, other.end)
    return begin, end


def value(expression: Expression, rows: Rows, strings: Strings) -> Column:
    """Returns the values of an expression."""
    match expression:
        case Variable():
            return rows.data[expression.name]
        case Literal():
            return constant(expression.value, rows.count, strings)
        case Negative():
            operand = _numbers(value(expression.operand, rows, strings))
            return Column("number", 0.0 - operand.values, operand.bound)
        case Arithmetic():
            left, right = (_numbers(value(side, rows, strings)) for side in (expression.left, expression.right))
            return _calculated(expression.operator, left, right)
        case Call():
            return called(expression.function, [value(each, rows, strings) for each in expression.arguments], strings)
        case _:
            raise AssertionError(f"{type(expression).__name__} is not evaluated in columns; lowering let it pass")


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
