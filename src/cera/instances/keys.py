"""The attributes that the instances of an event agree on, by its conditions.

If conditions say that an attribute of each component equals that of every other, instances with different values never
meet: a type has a sequence of its own for each value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cera.instances.conditions import equated
from cera.instances.types import ComplexType
from cera.model.expressions.expression import Expression

_Attribute = tuple[str, str]


def key_of(type_: ComplexType) -> tuple[dict[str, str], frozenset[int]] | None:
    """The attribute of each component by its name, and which conjuncts say that these are equal.

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
    """Whether a type stands at two places with different attributes, so that its instances have two values."""
    by_type: dict[str, str] = {}
    return any(
        by_type.setdefault(each.type, attributes[each.name]) != attributes[each.name] for each in type_.components
    )


def _groups(pairs: Iterable[tuple[_Attribute, _Attribute]]) -> list[set[_Attribute]]:
    """Attributes that equal each other."""
    groups: list[set[_Attribute]] = []
    for pair in pairs:
        touched = [group for group in groups if not group.isdisjoint(pair)]
        groups = [group for group in groups if group not in touched]
        groups.append(set(pair).union(*touched))
    return groups


def remaining(type_: ComplexType, said: frozenset[int]) -> tuple[Expression, ...]:
    """The conjuncts that the key does not say already."""
    return tuple(each for number, each in enumerate(type_.where) if number not in said)
