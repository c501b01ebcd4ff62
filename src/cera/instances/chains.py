"""Sequences of three and more made short: each component uses one instance up, the oldest or the youngest.

What is detected and consumed is what `Search` would find. Nothing but a key and the order of time decides it, so that
no choice has to be taken back: a component chooses among the instances from which the others can still be reached.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from cera.instances.instance import Bound, Instance
from cera.instances.limits import admit
from cera.instances.members import Member, Members
from cera.instances.type_plan import TypePlan
from cera.model.time.interval import Time


class Chains:
    """The detector of a type that `fits`."""

    def __init__(self, plan: TypePlan) -> None:
        type_ = self._type = plan.type
        self._within = type_.within
        *firsts, last = type_.components
        self.last = last.type
        self._names = [each.name for each in type_.components]
        #: The types of the components before the last one.
        self._types = [each.type for each in firsts]
        self._before = dict(zip(self._types[1:], self._types, strict=False))
        self._youngest = [each.selection == "last" for each in firsts]
        self._right_to_left = type_.right_to_left
        self._terminator_stays = last.inside == "shared"

    @property
    def is_single(self) -> bool:
        """Whether an instance terminates one event at most."""
        return not self._terminator_stays

    def needs_earlier(self, type_: str) -> bool:
        """Returns whether instances of a type have to come after others (see `is_of_use`)."""
        return type_ in self._before

    def is_of_use(self, members: Members, one: Instance) -> bool:
        """Returns whether an instance can be used by any event, now or later: one of the component before has to have
        occurred."""
        before = self._before.get(one.type)
        if before is None:
            return True
        earlier = members.by_type[before]
        return bool(earlier) and earlier[0][0] < one.time

    def detect(self, members: Members, terminator: Instance, now: Time) -> Sequence[Bound]:
        """Returns what each event binds, and removes what is consumed."""
        by_type = members.by_type
        for name in self._types:
            if not by_type[name]:
                return ()
        since = None if self._within is None else now - self._within
        if since is not None and terminator.begin < since:
            return ()
        found: list[Bound] = []
        while (places := self._chosen(members, terminator.time, since)) is not None:
            bound = [by_type[name].pop(place)[2] for name, place in zip(self._types, places, strict=True)]
            found.append(tuple((name, (one,)) for name, one in zip(self._names, (*bound, terminator), strict=True)))
            if not self._terminator_stays:
                break
            admit(self._type, found)
        return found

    def _chosen(self, members: Members, end: int, since: Time | None) -> list[int] | None:
        """Returns the places of the members that an event binds, None if there is no event."""
        found = [members.by_type[name] for name in self._types]
        if since is not None:
            legal = [[one for one in each if one[2].begin >= since] for each in found]
            chosen = self._places(legal, end)
            return chosen and [bisect_left(all_, some[p]) for all_, some, p in zip(found, legal, chosen, strict=True)]
        return self._places(found, end)

    def _places(self, found: Sequence[Sequence[Member]], end: int) -> list[int] | None:
        chosen = []
        if self._right_to_left:
            lowest, after = [], -1
            for each in found:
                low = bisect_left(each, (after + 1,))
                if low == len(each):
                    return None
                after = each[low][0]
                lowest.append(low)
            for each, low, youngest in zip(found[::-1], lowest[::-1], self._youngest[::-1], strict=True):
                high = bisect_left(each, (end,))
                if high <= low:
                    return None
                place = high - 1 if youngest else low
                chosen.append(place)
                end = each[place][0]
            return chosen[::-1]
        highest = []
        for each in reversed(found):
            high = bisect_left(each, (end,))
            if high == 0:
                return None
            end = each[high - 1][0]
            highest.append(high)
        after = -1
        for each, high, youngest in zip(found, highest[::-1], self._youngest, strict=True):
            low = bisect_left(each, (after + 1,))
            if low >= high:
                return None
            place = high - 1 if youngest else low
            chosen.append(place)
            after = each[place][0]
        return chosen


def fits(plan: TypePlan, *, timely: bool) -> bool:
    """Returns whether time and a key alone decide what an event binds, one instance for each of several components."""
    type_ = plan.type
    *firsts, last = type_.components
    return (
        timely
        and type_.operator == ";"
        and len(firsts) > 1
        and type_.overlapping
        and not type_.continuous
        and not plan.conditions
        and len(plan.types) == len(type_.components)
        and all(each.delimiter.least == 1 and each.delimiter.most is None for each in type_.components)
        and all(each.selection in ("first", "last") for each in type_.components)
        and all(each.inside == each.outside == "exclusive parameter" for each in firsts)
        and last.inside == last.outside != "exclusive"
    )
