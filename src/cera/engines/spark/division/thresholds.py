"""Conditions on single events that are checked before an event is sent to an operator.

A rule that asks for temperatures above 40 has no use for the others. Where every query of an operator for a label
compares a value of the event to a constant, the events for which none of these comparisons holds are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cera.engines.spark.division.slots import Place, places
from cera.model.expressions.expression import And, Comparison, ComparisonOperator, Expression, Literal, Variable
from cera.model.matching.patterns import Pattern
from cera.model.terms.values import Scalar
from cera.rules.analysis.unification import query_label
from cera.rules.rule import Branch, Rule
from cera.rules.states import arriving

_CONVERSE: dict[ComparisonOperator, ComparisonOperator] = {
    "=": "=",
    "!=": "!=",
    "<": ">",
    "<=": ">=",
    ">": "<",
    ">=": "<=",
}


@dataclass(frozen=True)
class Threshold:
    """A comparison of the value at a place with a constant."""

    place: Place
    operator: ComparisonOperator
    value: Scalar


def thresholds(rules: Sequence[Rule], label: str | None) -> tuple[frozenset[Threshold], ...] | None:
    """Returns sets of conditions, of which an event with a label must fulfil one; None if a query takes any event."""
    found: list[frozenset[Threshold]] = []
    for rule in rules:
        for branch in rule.branches:
            for pattern, conditions in _queries(branch):
                if query_label(pattern) in (None, label):
                    needed = frozenset(_needed(pattern, conditions))
                    if not needed:
                        return None
                    found.append(needed)
    return tuple(dict.fromkeys(found))


def _queries(branch: Branch) -> Iterator[tuple[Pattern, Sequence[Expression]]]:
    """Yields the queries of a branch, with the conditions that everything they match must fulfil."""
    for query in branch.events:
        for pattern in arriving(query):
            yield pattern, branch.conditions
    for part in branch.accumulations:
        yield part.pattern, part.conditions
        if part.opening is not None:
            yield part.opening.pattern, ()


def _needed(pattern: Pattern, conditions: Sequence[Expression]) -> Iterator[Threshold]:
    for condition in conditions:
        match condition:
            case And():
                yield from _needed(pattern, condition.operands)
            case Comparison(left=Variable(name=name), right=Literal(value=value), operator=operator):
                yield from _at(pattern, name, operator, value)
            case Comparison(left=Literal(value=value), right=Variable(name=name), operator=operator):
                yield from _at(pattern, name, _CONVERSE[operator], value)
            case _:
                pass


def _at(pattern: Pattern, variable: str, operator: ComparisonOperator, value: Scalar) -> Iterator[Threshold]:
    stands = places(pattern, variable)
    if stands:
        yield Threshold(min(stands), operator, value)
