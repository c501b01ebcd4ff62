"""Shares: how much of a relation what is asked keeps, by rates.

a value in a pattern     the sampled share, else one of as many values as the attribute has
an equality              the same; of two variables, one of as many values as the attribute with most of them has
any other condition      the sampled share, else 1/3; on times 1/2
a join on a variable     one of as many values as the attribute with most of them has
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from cera.algebra.operators import (
    AntiSemiJoin,
    Expression,
    Join,
    Matching,
    Reference,
    Renaming,
    Selection,
    TemporalJoin,
    inputs,
)
from cera.algebra.plan import Plan
from cera.model.events.rates import DISTINCT, Rates
from cera.model.expressions.expression import Comparison, Literal, Variable, event_references, variables
from cera.model.expressions.expression import Expression as Condition
from cera.model.matching.patterns import Pattern
from cera.optimizer.costs.asked import attributes_of, condition_key, constants_of, pattern_key
from cera.rules.analysis.unification import query_label

COMPARISON = 1 / 3
TIME_CONDITION = 1 / 2

#: How many different values variables have.
Values = Mapping[str, float]


def matches_per_second(pattern: Pattern, rates: Rates) -> float:
    """Returns how many events that a pattern finds come in a second."""
    label = query_label(pattern)
    there = prod(1 - rates.missing(label, attribute) for attribute in attributes_of(pattern).values())
    return rates.per_second(label) * _share_of_constants(pattern, rates) * there


def _share_of_constants(pattern: Pattern, rates: Rates) -> float:
    key, label = pattern_key(pattern), query_label(pattern)
    if key is not None and key in rates.asked:
        return rates.asked[key]
    return prod(1 / rates.distinct(label, path) for path, _ in constants_of(pattern))


def condition_share(condition: Condition, values: Values, rates: Rates, pattern: Pattern | None = None) -> float:
    """Returns the share of rows that satisfy a condition; the pattern is that of single events, if they are."""
    key = None if pattern is None else condition_key(pattern, condition)
    if key is not None and key in rates.asked:
        return rates.asked[key]
    if event_references(condition):
        return TIME_CONDITION
    match condition:
        case Comparison(operator="=", left=Variable() | Literal(), right=Variable() | Literal()):
            return 1 / max([values.get(name, DISTINCT) for name in variables(condition)], default=1.0)
        case _:
            return COMPARISON


def joined_share(shared: frozenset[str], left: Values, right: Values) -> float:
    """Returns the share of pairs that agree on the variables that they share."""
    return prod(1 / max(left.get(name, DISTINCT), right.get(name, DISTINCT)) for name in shared)


def values_of(expression: Expression, plan: Plan, rates: Rates) -> dict[str, float]:
    """Returns how many different values the variables of a relation have."""
    match expression:
        case Matching(pattern=pattern):
            label = query_label(pattern)
            return {name: rates.distinct(label, path) for name, path in attributes_of(pattern).items()}
        case Reference(name=name):
            return values_of(plan.by_name[name].expression, plan, rates) if name in plan.by_name else {}
        case Renaming(variables=names, input=inside):
            new = dict(names)
            return {new.get(name, name): number for name, number in values_of(inside, plan, rates).items()}
        case Join() | TemporalJoin() | AntiSemiJoin():
            left, right = (values_of(part, plan, rates) for part in (expression.left, expression.right))
            common = left.keys() & right.keys()
            return {**left, **right, **{name: min(left[name], right[name]) for name in common}}
        case _:
            found: dict[str, float] = {}
            for part in inputs(expression):
                found |= values_of(part, plan, rates)
            return found


def single_pattern(expression: Expression, plan: Plan) -> Pattern | None:
    """Returns the pattern of a relation of single events whose variables have their own names."""
    match expression:
        case Matching(pattern=pattern):
            return pattern
        case Selection(input=inside):
            return single_pattern(inside, plan)
        case Reference(name=name) if name in plan.by_name:
            return single_pattern(plan.by_name[name].expression, plan)
        case _:
            return None
