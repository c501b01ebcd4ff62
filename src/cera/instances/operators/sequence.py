""";: they occur in the order of the components."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from cera.instances.instance import Instance
from cera.instances.members import Member, Solution
from cera.instances.operators.operator import Operator, Window


class InSequence(Operator):
    def reach(
        self,
        places: Sequence[int],
        available: Mapping[int, Sequence[Member]],
        needed: Mapping[int, int],
        anchor: tuple[int, int] | None,
    ) -> dict[int, Window] | None:
        """Each lies before the latest that the next one can have, and after the earliest of the one before."""
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
