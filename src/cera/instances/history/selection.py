"""Which of the legal solutions are bound: enumerated in the order in which they are preferred.

Components with the modes first, last and combinations are *fixed*: a candidate is a choice of their sets. The others
are cumulative, and filled with all that fits to the candidate.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

from cera.instances.history.legality import (
    Sets,
    Situation,
    are_simultaneous,
    conditions_hold,
    is_legal,
    is_recent,
    pair_holds,
)
from cera.instances.instance import Instance
from cera.instances.types import ComplexType


def solutions(situation: Situation) -> Iterator[Sets]:
    """Yields all solutions with the terminator, the preferred one first."""
    ranks = {one: rank for rank, one in enumerate(situation.available)}
    for candidate in sorted(candidates(situation), key=lambda sets: preference(situation.type, sets, ranks)):
        for role in roles(situation, candidate):
            if is_possible(situation, candidate, role):
                filled = fill(situation, candidate, role)
                if all(are_few_enough(situation, filled, place) for place in filled) and (
                    not situation.type.continuous or is_uninterrupted(situation, filled)
                ):
                    yield filled


def candidates(situation: Situation) -> Iterator[Sets]:
    """Yields all choices of the components that take part, and of sets for the fixed ones; the others are empty."""
    for places in participations(situation.type):
        for chosen in product(*(fixed_sets(situation, place) for place in places)):
            yield dict(zip(places, chosen, strict=True))


def participations(type_: ComplexType) -> Iterator[tuple[int, ...]]:
    """Returns the sets of components that take part: all of them; of "or" one, of "m of n" m."""
    match type_.operator:
        case "or":
            return combinations(type_.bound, 1)
        case "of":
            assert type_.required is not None
            return combinations(type_.bound, type_.required)
        case _:
            return iter([type_.bound])


def fixed_sets(situation: Situation, place: int) -> Iterator[tuple[Instance, ...]]:
    """Returns the sets of as many instances as the delimiter demands at least; with the mode combinations also more."""
    component = situation.type.components[place]
    if not component.is_fixed:
        return iter([()])
    instances, least = situation.of(place), component.delimiter.least
    if component.selection == "combinations":
        return (chosen for size in range(least, len(instances) + 1) for chosen in combinations(instances, size))
    return combinations(instances, least)


def preference(type_: ComplexType, sets: Sets, ranks: dict[Instance, int]) -> tuple[object, ...]:
    """Returns a sort key, the less the better: by the components that take part, then by each in traversal order."""
    order = in_traversal(type_)
    taking_part = tuple(number for number, place in enumerate(order) if place in sets)
    wishes: list[object] = [taking_part]
    for place in order:
        if place in sets:
            ascending = tuple(sorted(ranks[one] for one in sets[place]))
            match type_.components[place].selection:
                case "first" | "combinations minimum":
                    wishes.append(ascending)
                case "combinations":
                    wishes.append((len(ascending), *ascending))
                case "last":
                    wishes.append(tuple(-rank for rank in reversed(ascending)))
                case "cumulative" | "restricted cumulative":
                    pass
    return tuple(wishes)


def in_traversal(type_: ComplexType) -> tuple[int, ...]:
    return type_.bound[::-1] if type_.right_to_left else type_.bound


#: Instances that have to be at places.
Asked = tuple[tuple[int, Instance], ...]


def roles(situation: Situation, candidate: Sets) -> Iterator[Asked]:
    """Yields the possible places of the terminator: in the candidate, or else at one of the cumulative components."""
    terminator = situation.terminator
    if any(terminator in several for several in candidate.values()):
        yield ()
        return
    for place in in_traversal(situation.type):
        component = situation.type.components[place]
        if place in candidate and not component.is_fixed and component.type == terminator.type:
            yield ((place, terminator),)


def completions(situation: Situation, candidate: Sets, asked: Asked) -> Iterator[Sets]:
    """Yields all ways to give each cumulative component as many instances as its delimiter demands at least.

    What is asked for is among them, so there may have to be more.
    """
    components = situation.type.components
    places = [place for place in candidate if not components[place].is_fixed]
    choices = []
    for place in places:
        demanded = {one for at, one in asked if at == place}
        size = max(components[place].delimiter.least, len(demanded))
        choices.append([each for each in combinations(situation.of(place), size) if demanded <= set(each)])
    for chosen in product(*choices):
        yield {**candidate, **dict(zip(places, chosen, strict=True))}


def is_possible(situation: Situation, candidate: Sets, role: Asked) -> bool:
    """Returns whether there is a legal completion with the terminator; an illegal candidate has none."""
    return is_legal(situation, candidate) and any(
        is_legal(situation, each) for each in completions(situation, candidate, role)
    )


def fill(situation: Situation, candidate: Sets, role: Asked) -> Sets:
    """Returns a candidate with all instances that its cumulative components have in some legal completion.

    For the mode cumulative the place in time of the instances with this mode does not matter.
    """
    components = situation.type.components
    filled = dict(candidate)
    for place in candidate:
        if not components[place].is_fixed:
            loose = unrestricted(situation.type) if components[place].selection == "cumulative" else frozenset()
            filled[place] = tuple(
                one
                for one in situation.of(place)
                if any(
                    is_legal(situation, each, loose=loose)
                    for each in completions(situation, candidate, (*role, (place, one)))
                )
            )
    return filled


def unrestricted(type_: ComplexType) -> frozenset[int]:
    """Returns the places of the components with the mode cumulative."""
    return frozenset(place for place in type_.bound if type_.components[place].selection == "cumulative")


def are_few_enough(situation: Situation, sets: Sets, place: int) -> bool:
    """Returns whether no more instances than the delimiter allows could stand at a place, those that do included.

    At a cumulative component there are all that can.
    """
    component = situation.type.components[place]
    if component.delimiter.most is None:
        return True
    standing = set(sets[place])
    if component.is_fixed:
        standing |= {one for one in situation.of(place) if could_stand(situation, sets, place, one)}
    return len(standing) <= component.delimiter.most


def could_stand(situation: Situation, sets: Sets, place: int, instance: Instance) -> bool:
    """Returns whether an instance fulfils all conditions at a place, with the other components as they are bound."""
    others = {other: several for other, several in sets.items() if other != place}
    loose = unrestricted(situation.type)
    pairs = (
        pair_holds(situation, instance, one) if place < other else pair_holds(situation, one, instance)
        for other, several in others.items()
        if other not in loose
        for one in several
    )
    return (
        not any(instance in several for several in others.values())
        and is_recent(situation, instance)
        and are_simultaneous(situation, {place: (instance,)}, loose)
        and all(pairs)
        and conditions_hold(situation, {**others, place: (instance,)}, about=place)
    )


def is_uninterrupted(situation: Situation, sets: Sets) -> bool:
    """Returns whether no other event lies between the earliest and the latest one that the solution rests on."""
    leaves = [leaf for several in sets.values() for one in several for leaf in one.leaves()]
    times = [leaf.time for leaf in leaves]
    events = {id(leaf.event) for leaf in leaves if leaf.event is not None}
    return not any(min(times) < one.time < max(times) and id(one.event) not in events for one in situation.history)
