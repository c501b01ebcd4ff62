"""Event operators by name. Each says which components take part, and how two instances have to lie to each other."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType

from cera.instances.instance import Instance
from cera.instances.members import Member, Solution
from cera.instances.types import ComplexType, OperatorName

#: The times after and before which something lies; None where there is no limit.
Window = tuple[int | None, int | None]

EVERYWHERE: Window = (None, None)


class Operator:
    """Base of the operators; by itself it wants all components, in whatever order."""

    #: True if windows alone decide, so that `allows` need not be asked where intervals may overlap.
    exact = True

    def __init__(self, type_: ComplexType) -> None:
        self.type = type_

    def parts(self, places: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Yields the components that take part, as places in the order of traversal; the preferred ones first."""
        yield tuple(places)

    def reach(
        self,
        places: Sequence[int],
        available: Mapping[int, Sequence[Member]],
        needed: Mapping[int, int],
        anchor: tuple[int, int] | None,
    ) -> dict[int, Window] | None:
        """Returns the widest windows of the components that take part, given how many instances each needs, and a time
        at which one of them has one; None where there are not enough."""
        return {}

    def moment(self, terminated: int) -> Window:
        """Returns the window of everything that an event binds, given the time of its terminator."""
        return EVERYWHERE

    def window(self, place: int, bound: Solution) -> Window:
        """Returns the window of an instance at a place beside those bound at others."""
        return EVERYWHERE

    def allows(self, place: int, one: Instance, other_place: int, other: Instance) -> bool:
        """Returns whether two instances at different places, each in the window of the other, may occur together."""
        if self.type.overlapping:
            return True
        return one.end < other.begin or other.end < one.begin


class Simultaneous(Operator):
    """`==`: they occur at the same time."""

    def moment(self, terminated: int) -> Window:
        return terminated - 1, terminated + 1


class InSequence(Operator):
    """`;`: they occur in the order of the components."""

    def reach(
        self,
        places: Sequence[int],
        available: Mapping[int, Sequence[Member]],
        needed: Mapping[int, int],
        anchor: tuple[int, int] | None,
    ) -> dict[int, Window] | None:
        """Returns windows before the latest instance of the next component, and after the earliest of the one
        before."""
        earliest: dict[int, int | None] = {}
        latest: dict[int, int | None] = {}
        after: int | None = None
        for place in places:
            earliest[place] = after
            if anchor is not None and place == anchor[0]:
                if after is not None and after >= anchor[1]:
                    return None
                after = anchor[1]
            elif (count := needed[place]) > 0:
                first = 0 if after is None else bisect_left(available[place], (after + 1,))
                if first + count > len(available[place]):
                    return None
                after = available[place][first + count - 1][0]
        before: int | None = None
        for place in reversed(places):
            latest[place] = before
            if anchor is not None and place == anchor[0]:
                before = anchor[1]
            elif (count := needed[place]) > 0:
                end = len(available[place]) if before is None else bisect_left(available[place], (before,))
                if end < count:
                    return None
                before = available[place][end - count][0]
        return {place: (earliest[place], latest[place]) for place in places}

    def window(self, place: int, bound: Solution) -> Window:
        after = before = None
        for other, members in bound.items():
            if not members:
                continue
            if other < place:
                time = members[-1][0]
                after = time if after is None or time > after else after
            elif other > place:
                time = members[0][0]
                before = time if before is None or time < before else before
        return after, before

    def allows(self, place: int, one: Instance, other_place: int, other: Instance) -> bool:
        if self.type.overlapping:
            return True
        return one.end < other.begin if place < other_place else other.end < one.begin


class Conjunction(Operator):
    """`∧`: all occur, in any order."""


class Disjunction(Operator):
    """`∨`: one of them occurs."""

    def parts(self, places: Sequence[int]) -> Iterator[tuple[int, ...]]:
        for place in places:
            yield (place,)


class Negation(InSequence):
    """`¬`: the first and the last occur in this order, and nothing of the others in between.

    What counts as an occurrence in between depends on the conditions of the type, so that `Search` asks for it.
    """

    exact = False


class AtLeast(Operator):
    """`m of n`: so many of them occur, in any order; Snoop's ANY."""

    def parts(self, places: Sequence[int]) -> Iterator[tuple[int, ...]]:
        return combinations(places, self.type.required or len(places))


OPERATORS: Mapping[OperatorName, type[Operator]] = MappingProxyType(
    {
        "==": Simultaneous,
        ";": InSequence,
        "and": Conjunction,
        "or": Disjunction,
        "not": Negation,
        "of": AtLeast,
    }
)
