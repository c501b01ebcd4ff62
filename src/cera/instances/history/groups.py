"""The events that a new instance triggers, and the instances that they consume."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from cera.instances.history.legality import Sets, Situation, conditions_hold
from cera.instances.history.selection import solutions
from cera.instances.instance import Instance
from cera.instances.limits import admit
from cera.instances.types import STRENGTH, ComplexType, ConsumptionName

Domain = Literal["inside", "outside"]


def group(situation: Situation, produced: set[frozenset[Instance]]) -> list[Sets]:
    """Returns the solutions that the terminator triggers, in order; consumption inside the group lies between them.

    `produced` are the sets of instances that the type has been detected with at this stage, by any terminator. None of
    them is detected again. Combinations are used one after the other; when all have been, and what they were combined
    with has been consumed, they are used again with what is left.
    """
    detected: list[Sets] = []
    used: set[tuple[frozenset[Instance], ...]] = set()
    less = False
    combining = [place for place in situation.type.bound if situation.type.components[place].combines]

    def combination(sets: Sets) -> tuple[frozenset[Instance], ...]:
        return tuple(frozenset(sets.get(place, ())) for place in combining)

    while True:
        found = next((one for one in solutions(situation) if combination(one) not in used), None)
        if found is None and combining and less:
            used, less = set(), False
            continue
        if found is None:
            return detected
        if combining:
            used.add(combination(found))
        instances = frozenset(one for several in found.values() for one in several)
        if instances in produced:
            if combining:
                continue
            return detected
        produced.add(instances)
        detected.append(found)
        admit(situation.type, detected)
        gone = consumed(situation, [found], "inside")
        less = less or bool(gone)
        situation = replace(situation, available=tuple(one for one in situation.available if one not in gone))


def consumed(situation: Situation, group: Iterable[Sets], domain: Domain) -> set[Instance]:
    """Returns the available instances consumed by the solutions of a group, or inside of it by one of them."""
    return {one for one in situation.available if any(is_consumed(situation, sets, one, domain) for sets in group)}


def is_consumed(situation: Situation, sets: Sets, instance: Instance, domain: Domain) -> bool:
    """Returns whether an instance is consumed. Shared: never. Exclusive parameter: if it is bound. Exclusive: also if
    it is older than the terminator and fulfils the conditions on its data in the place of those that are bound."""
    mode = strongest(situation.type, instance.type, domain)
    is_bound = any(instance in several for several in sets.values())
    match mode:
        case "shared":
            return False
        case "exclusive parameter":
            return is_bound
        case "exclusive":
            places = [p for p in situation.type.bound if situation.type.components[p].type == instance.type]
            return is_bound or (
                instance.time < situation.terminator.time
                and any(conditions_hold(situation, {**sets, place: (instance,)}, about=place) for place in places)
            )


def strongest(type_: ComplexType, component_type: str, domain: Domain) -> ConsumptionName:
    """Returns the mode of all components of a type; those between the delimiters of "not" have none."""
    components = [type_.components[place] for place in type_.bound]
    modes = [getattr(each, domain) for each in components if each.type == component_type]
    return max(modes, key=STRENGTH.index, default="shared")
