"""The members that could stand at a place of an event: in its time, with its conditions, beside those bound already."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import product

from cera.instances.instance import Instance
from cera.instances.members import Member, Members, Solution, between
from cera.instances.operators import Window
from cera.instances.type_plan import Asked, TypePlan
from cera.model.time.interval import Time


class Candidates:
    """The members of one sequence at one time. `past` are the times of all events of the history, in order."""

    def __init__(self, plan: TypePlan, members: Members, now: Time, past: Sequence[int]) -> None:
        self.plan = plan
        self._by_type = members.by_type
        self._past = past
        within = plan.type.within
        self._since = None if within is None else now - within

    def of(self, place: int) -> list[Member]:
        return self._by_type[self.plan.components[place].type]

    def beside(
        self, place: int, bound: Solution, timed: Solution, limit: Window, *, backwards: bool = False
    ) -> Iterator[Member]:
        """Yields the members that could stand at a place beside `bound`; in time they have to fit to `timed`."""
        plan, since = self.plan, self._since
        after, before = plan.operator.window(place, timed)
        lowest, highest = limit
        after = lowest if after is None or (lowest is not None and lowest > after) else after
        before = highest if before is None or (highest is not None and highest < before) else before
        found = between(self.of(place), after, before)
        asked = plan.asked[place]
        ask_pairs = not (plan.operator.exact and plan.type.overlapping)
        taken = {number for members in bound.values() for _, number, _ in members} if self._may_meet(place) else ()
        for member in reversed(found) if backwards else found:
            if since is not None and member[2].begin < since:
                continue
            if member[1] in taken:
                continue
            if ask_pairs and not self._fits(place, member[2], timed):
                continue
            if asked and not all(self._holds(each, place, member, bound) for each in asked):
                continue
            yield member

    def allowed(self, solution: Solution, place: int, member: Member) -> bool:
        """Returns whether the conditions hold with a member in the place of those bound there."""
        return all(self._holds(asked, place, member, solution) for asked in self.plan.asked[place])

    def _may_meet(self, place: int) -> bool:
        """Returns whether the same instance could stand at another place."""
        return len(self.plan.roles[self.plan.components[place].type]) > 1

    def _fits(self, place: int, one: Instance, timed: Solution) -> bool:
        operator = self.plan.operator
        for other, members in timed.items():
            if other != place:
                for _, _, instance in members:
                    if not operator.allows(place, one, other, instance):
                        return False
                    if not operator.exact and not self._free(place, one, instance):
                        return False
        return True

    def _free(self, place: int, one: Instance, other: Instance) -> bool:
        """Returns whether nothing forbidden occurs between two instances, of which one stands at a place."""
        plan = self.plan
        first, last = (one, other) if place == 0 else (other, one)
        ends: Solution = {0: ((first.time, -1, first),), len(plan.components) - 1: ((last.time, -1, last),)}
        for inner in plan.type.forbidden:
            found = between(self.of(inner), first.time, last.time)
            delimiter = plan.components[inner].delimiter
            asked = plan.asked[inner]
            count = sum(all(self._holds(each, inner, member, ends) for each in asked) for member in found)
            if count >= delimiter.least and (delimiter.most is None or count <= delimiter.most):
                return False
        return True

    def _holds(self, asked: Asked, place: int, member: Member, bound: Solution) -> bool:
        """Returns whether a conjunct holds for every combination with bound members, if there are any."""
        condition, others = asked
        names = [self.plan.components[other].name for other in others]
        sets = [bound.get(other, ()) for other in others]
        own = self.plan.components[place].name
        return all(
            condition.holds({own: member[2], **{name: one[2] for name, one in zip(names, chosen, strict=True)}})
            for chosen in product(*sets)
        )

    def uninterrupted(self, solution: Solution) -> bool:
        """Returns whether no other event of the history lies among the bound ones."""
        leaves = [leaf for members in solution.values() for _, _, one in members for leaf in one.leaves()]
        first, last = min(leaf.time for leaf in leaves), max(leaf.time for leaf in leaves)
        own = {id(leaf.event) for leaf in leaves if leaf.event is not None and first < leaf.time < last}
        return len(own) == max(0, bisect_left(self._past, last) - bisect_right(self._past, first))
