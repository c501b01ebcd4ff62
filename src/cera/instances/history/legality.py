"""Which instances may stand together: the conditions between them, on their data, and on the time.

A solution binds a set of instances to each component that takes part in it: `Sets`, by the place of the component.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, product

from cera.instances.conditions import Condition
from cera.instances.instance import Instance
from cera.instances.types import ComplexType, Delimiter
from cera.model.time.interval import Time

#: The instances at each place, in the order in which they are available.
Sets = Mapping[int, tuple[Instance, ...]]


@dataclass(frozen=True)
class Situation:
    """A type at a stage: the time, and what a new instance, the terminator, may be detected with.

    `available` are the instances that the type can use, in their order, and `history` all primitive ones so far.
    """

    type: ComplexType
    conditions: tuple[Condition, ...]
    now: Time
    terminator: Instance
    available: tuple[Instance, ...]
    history: tuple[Instance, ...]

    def of(self, place: int) -> tuple[Instance, ...]:
        """Returns the available instances of a component's type."""
        return tuple(one for one in self.available if one.type == self.type.components[place].type)


def is_legal(situation: Situation, sets: Sets, *, loose: frozenset[int] = frozenset()) -> bool:
    """Returns whether no instance is bound twice, and times, pairs (not of loose components) and data are right."""
    bound = [one for several in sets.values() for one in several]
    return (
        len(set(bound)) == len(bound)
        and all(is_recent(situation, one) for one in bound)
        and are_simultaneous(situation, sets, loose)
        and pairs_hold(situation, sets, loose)
        and conditions_hold(situation, sets)
    )


def is_recent(situation: Situation, instance: Instance) -> bool:
    """Returns whether an instance began no longer than d ago, for `within` d."""
    length = situation.type.within
    return length is None or instance.begin >= situation.now - length


def are_simultaneous(situation: Situation, sets: Sets, loose: frozenset[int]) -> bool:
    """Returns whether all instances occur with the terminator, as the operator "==" says."""
    return situation.type.operator != "==" or all(
        one.time == situation.terminator.time
        for place, several in sets.items()
        if place not in loose
        for one in several
    )


def pairs_hold(situation: Situation, sets: Sets, loose: frozenset[int]) -> bool:
    asked = sorted(place for place in sets if place not in loose)
    return all(
        pair_holds(situation, one, other)
        for left, right in combinations(asked, 2)
        for one, other in product(sets[left], sets[right])
    )


def pair_holds(situation: Situation, one: Instance, other: Instance) -> bool:
    """Returns whether the operator allows two instances, `one` at a component written before that of `other`."""
    type_ = situation.type
    match type_.operator:
        case ";":
            return _follows(type_, one, other)
        case "and" | "of":
            return type_.overlapping or one.end < other.begin or other.end < one.begin
        case "or" | "==":
            return True
        case "not":
            return _follows(type_, one, other) and not any(
                occurs_between(situation, place, one, other) for place in type_.forbidden
            )


def _follows(type_: ComplexType, one: Instance, other: Instance) -> bool:
    return one.time < other.time and (type_.overlapping or one.end < other.begin)


def occurs_between(situation: Situation, place: int, first: Instance, last: Instance) -> bool:
    """Returns whether as many instances of an inner component of "not" lie between two as its delimiter says."""
    type_ = situation.type
    inner = type_.components[place]
    names = (type_.components[0].name, inner.name, type_.components[-1].name)
    asked = [each for each in situation.conditions if inner.name in each.components]
    between = [
        one
        for one in situation.of(place)
        if first.time < one.time < last.time
        and all(each.holds(dict(zip(names, (first, one, last), strict=True))) for each in asked)
    ]
    return lies_within(inner.delimiter, len(between))


def lies_within(delimiter: Delimiter, count: int) -> bool:
    return delimiter.least <= count and (delimiter.most is None or count <= delimiter.most)


def conditions_hold(situation: Situation, sets: Sets, *, about: int | None = None) -> bool:
    """Returns whether each conjunct holds for every choice of one instance of each component it mentions.

    One about a component that binds none holds. With `about`, only those count that mention the component of
    that place. Those about inner components of "not" say which of its instances count, and nothing here.
    """
    components = situation.type.components
    inner = {components[place].name for place in situation.type.forbidden}
    place_of = {components[place].name: place for place in situation.type.bound}
    for condition in situation.conditions:
        if condition.components & inner or (about is not None and components[about].name not in condition.components):
            continue
        names = sorted(condition.components)
        choices = product(*(sets.get(place_of[name], ()) for name in names))
        if not all(condition.holds(dict(zip(names, chosen, strict=True))) for chosen in choices):
            return False
    return True
