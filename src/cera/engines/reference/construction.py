"""Construction: Σ_τ(h), the terms that a head h yields for the matches of one event trace τ.

Matches are grouped by the free variables of the head, and by those of each `all` inside it, as in Xcerpt. An
aggregate folds the matches of its group from left to right in the order of their events; in the formal semantics it
folds distinct substitutions (ERR-07). What is undefined is left out: the smallest `optional` or instance of `all`
around it, or else the whole event. A term that would be nested too deep or too large is undefined as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, assert_never

from cera.engines.reference.entailment import Theory
from cera.engines.reference.enumeration import Match
from cera.model.evaluation.evaluator import calculate
from cera.model.evaluation.functions import Result, extreme
from cera.model.expressions import expression as expressions
from cera.model.expressions.constructs import (
    All,
    Construct,
    ConstructTerm,
    ConstructValue,
    OptionalConstruct,
    free_variables,
)
from cera.model.expressions.expression import Aggregate, Expression, Variable
from cera.model.matching.matching import substitution_key
from cera.model.terms.term import Term, TermError, Value, value_key
from cera.model.terms.values import is_number

Group = Sequence[Match]
Item = TypeVar("Item")


def construct_terms(head: Construct, matches: Group, theory: Theory) -> Iterator[tuple[Term, Group]]:
    """Yields the terms of one rule and one event trace, each with the matches it was made from."""
    in_order = sorted(matches, key=lambda m: m.key)
    if theory.semantics == "formal":
        ordered = distinct(in_order, lambda m: substitution_key(m.values))
    else:  # one for each event and substitution, also where two branches of an `or` find it
        ordered = distinct(in_order, lambda m: m.key)
    for group in groups(ordered, free_variables(head)):
        for value in instantiate(head, group, theory) or ():
            if isinstance(value, Term):
                yield value, group
            else:  # a scalar is not an event
                theory.evaluator.undefined += 1


def distinct(items: Sequence[Item], key: Callable[[Item], Any]) -> list[Item]:
    """Returns the first item of each key, in order."""
    first: dict[Any, Item] = {}
    for item in items:
        first.setdefault(key(item), item)
    return list(first.values())


def groups(matches: Group, variables: frozenset[str]) -> list[list[Match]]:
    """Returns the matches by their values for the variables, in the order of the first match of each group."""
    names = sorted(variables)
    found: dict[tuple[Any, ...], list[Match]] = {}
    for match in matches:
        key = tuple(value_key(match.values[name]) if name in match.values else None for name in names)
        found.setdefault(key, []).append(match)
    return list(found.values())


def instantiate(construct: Construct, group: Group, theory: Theory) -> tuple[Value, ...] | None:
    """Returns the values that a construct yields for one group of matches; None where it is undefined."""
    match construct:
        case ConstructTerm():
            children: list[Value] = []
            for child in construct.children:
                values = instantiate(child, group, theory)
                if values is None:
                    return None
                children += values
            try:
                return (Term(construct.label, children, ordered=construct.ordered),)
            except TermError:
                theory.too_large += 1
                theory.evaluator.undefined += 1
                return None
        case ConstructValue():
            value = evaluate(construct.expression, group, theory)
            return (value,) if isinstance(value, str | int | float | bool | Term) else None
        case OptionalConstruct():
            before = theory.evaluator.undefined
            values = instantiate(construct.construct, group, theory)
            theory.evaluator.undefined = before  # an optional part may be missing
            if values:  # an `all` without an instance is missing too
                return values
            return () if construct.default is None else instantiate(construct.default, group, theory)
        case All():
            grouping = free_variables(construct.construct) | frozenset(construct.group_by)
            instances: list[Value] = []
            for subgroup in _ordered(groups(group, grouping), construct, theory):
                instances += instantiate(construct.construct, subgroup, theory) or ()
            return tuple(instances)
        case _:
            assert_never(construct)


def _ordered(subgroups: list[list[Match]], construct: All, theory: Theory) -> list[list[Match]]:
    """Returns the groups by the keys of `order-by`; groups that are equal in them stay in the order of their events."""
    for key in reversed(construct.order_by):
        subgroups = sorted(
            subgroups,
            key=lambda group, expression=key.expression: _sort_key(evaluate(expression, group, theory)),  # type: ignore[misc]
            reverse=key.descending,
        )
    return subgroups


def _sort_key(value: Result | None) -> tuple[Any, ...]:
    return value_key(value) if isinstance(value, str | int | float | bool | Term) else ()


def evaluate(expression: Expression, group: Group, theory: Theory) -> Result | None:
    """Returns the value of an expression of a head: aggregates over the group, the rest on what its matches share."""
    values: dict[str, Value] = dict(group[0].values)

    def replace_aggregates(part: Expression) -> Expression:
        if not isinstance(part, Aggregate):
            return expressions.rebuild(part, replace_aggregates)
        name = f"aggregate {len(values)}"
        value = aggregate(part, group, theory)
        if value is not None:
            values[name] = value
        return Variable(name)

    plain = replace_aggregates(expression)
    times = {identifier: event.interval for identifier, event in group[0].trace.items()}
    return theory.evaluator.value(plain, values, times)


def aggregate(expression: Aggregate, group: Group, theory: Theory) -> Value | None:
    """Returns the value of an aggregate over a group of matches; undefined values of a match do not count."""
    found: list[Value] = []
    for match in group:
        times = {identifier: event.interval for identifier, event in match.trace.items()}
        value = theory.evaluator.value(expression.operand, match.values, times)
        if isinstance(value, str | int | float | bool | Term):
            found.append(value)
    if expression.distinct:
        found = distinct(found, value_key)
    return fold(expression.function, found)


def fold(function: str, values: Sequence[Value]) -> Value | None:
    """Returns an aggregate function over values in their order. Only `count` is defined on none."""
    if function == "count":
        return len(values)
    if function in ("sum", "avg"):
        values = [value for value in values if is_number(value)]
    if not values:
        return None
    match function:
        case "sum":
            return _sum(values)
        case "avg":
            total = _sum(values)
            quotient = None if total is None else calculate("/", total, len(values))
            return quotient if isinstance(quotient, int | float) else None
        case "min":
            return extreme(values, min)
        case "max":
            return extreme(values, max)
        case "first":
            return values[0]
        case "last":
            return values[-1]
        case _:
            raise AssertionError(f"there is no aggregate '{function}'; the checks let it pass")


def _sum(values: Sequence[Value]) -> Value | None:
    total: Result | None = values[0]
    for value in values[1:]:
        total = None if total is None else calculate("+", total, value)
    return total if isinstance(total, int | float) else None
