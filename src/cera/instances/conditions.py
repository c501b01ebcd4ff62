"""Conditions on the data of instances, the conjuncts of `where`, and the key: attributes that they say are all equal.

If conditions say that an attribute of each component equals that of every other, instances with different values never
meet: a type has a sequence of its own for each value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cera.instances.instance import Instance, NoValue
from cera.instances.types import ComplexType
from cera.model.evaluation.evaluator import Evaluator
from cera.model.expressions.expression import Comparison, Expression, Variable, variables
from cera.model.terms.term import Value


class Condition:
    """A conjunct, and the names of the components that it is about."""

    def __init__(self, expression: Expression, evaluator: Evaluator) -> None:
        self.expression = expression
        self._evaluator = evaluator
        self._variables = [(name, *_split(name)) for name in sorted(variables(expression))]
        self.components = frozenset(component for _, component, _ in self._variables)

    def holds(self, bound: Mapping[str, Instance]) -> bool:
        """Returns whether the conjunct holds for one instance of each component, or one lacks a binding inside."""
        values: dict[str, Value] = {}
        for name, component, attribute in self._variables:
            value = bound[component].value_or_reason(attribute)
            if value is NoValue.MISSING:
                return True
            if value is not None and not isinstance(value, NoValue):
                values[name] = value
        return self._evaluator.holds(self.expression, values, {})


def conditions(type_: ComplexType, evaluator: Evaluator) -> tuple[Condition, ...]:
    return tuple(Condition(each, evaluator) for each in type_.where)


def equated(expression: Expression) -> tuple[tuple[str, str], tuple[str, str]] | None:
    """Returns the two attributes (component, attribute) that a conjunct equates, None if it says something else."""
    match expression:
        case Comparison(operator="=", left=Variable(name=left), right=Variable(name=right)):
            return _split(left), _split(right)
        case _:
            return None


def _split(name: str) -> tuple[str, str]:
    component, _, attribute = name.partition(".")
    return component, attribute


_Attribute = tuple[str, str]


def key_of(type_: ComplexType) -> tuple[dict[str, str], frozenset[int]] | None:
    """Returns the attribute of each component by its name, and which conjuncts say that these are equal.

    A conjunct about a component that need not be there says nothing if it is not; so the others have to be tied to each
    other without it.
    """
    if type_.operator in ("or", "of"):
        return None
    needed = {type_.components[place].name for place in type_.bound if type_.components[place].delimiter.least > 0}
    others = [each.name for each in type_.components if each.name not in needed]
    equal = [(number, pair) for number, each in enumerate(type_.where) if (pair := equated(each)) is not None]
    for group in _groups(pair for _, pair in equal if {pair[0][0], pair[1][0]} <= needed):
        attributes = dict(group)
        if len(group) != len(attributes) or attributes.keys() != needed:
            continue
        for name in others:
            tied = {own for _, pair in equal for own, other in (pair, pair[::-1]) if own[0] == name and other in group}
            if len(tied) != 1:
                break
            attributes[name] = next(iter(tied))[1]
        else:
            if _differ(type_, attributes):
                continue
            said = {number for number, pair in equal if all(attributes[name] == what for name, what in pair)}
            return attributes, frozenset(said)
    return None


def _differ(type_: ComplexType, attributes: Mapping[str, str]) -> bool:
    """Returns whether a type stands at two places with different attributes, so that its instances have two values."""
    by_type: dict[str, str] = {}
    return any(
        by_type.setdefault(each.type, attributes[each.name]) != attributes[each.name] for each in type_.components
    )


def _groups(pairs: Iterable[tuple[_Attribute, _Attribute]]) -> list[set[_Attribute]]:
    """Returns groups of attributes that equal each other."""
    groups: list[set[_Attribute]] = []
    for pair in pairs:
        touched = [group for group in groups if not group.isdisjoint(pair)]
        groups = [group for group in groups if group not in touched]
        groups.append(set(pair).union(*touched))
    return groups


def remaining(type_: ComplexType, said: frozenset[int]) -> tuple[Expression, ...]:
    """Returns the conjuncts that the key does not imply."""
    return tuple(each for number, each in enumerate(type_.where) if number not in said)
