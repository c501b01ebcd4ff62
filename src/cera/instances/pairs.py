"""The common case made short: one component, then another that terminates the event, perhaps with nothing in between.

Snoop's `;`, NOT and A are of this kind in every context. What is detected and consumed is what `Search` would find;
here it is read off the order of time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Literal

from cera.instances.instance import Bound, Instance
from cera.instances.limits import admit
from cera.instances.members import Member, Members
from cera.instances.type_plan import TypePlan
from cera.model.time.interval import Time


class Pairs:
    """The detector of a type that `fits`."""

    def __init__(self, plan: TypePlan) -> None:
        type_ = self._type = plan.type
        self._within = type_.within
        first, last = (type_.components[place] for place in type_.bound)
        self.first, self.last = first.type, last.type
        self._names = first.name, last.name
        self._selection = first.selection
        self._inside, self._outside = first.inside, first.outside
        self._terminator_stays = last.inside == "shared"
        self._forbidden = [type_.components[place].type for place in type_.forbidden]

    @property
    def takes(self) -> Literal["first", "last"] | None:
        """The place in the order of time of the one instance that is bound to the first component, if that is all that
        decides."""
        one = self._selection in ("first", "last") and not self._binds_several
        plain = self._within is None and not self._forbidden and self._outside != "exclusive"
        limited = self._type.limit is not None and self._type.limit < 1
        return self._selection if one and plain and not limited else None  # type: ignore[return-value]  # narrowed

    @property
    def consumes(self) -> bool:
        """Whether what is bound to the first component is gone after an event."""
        return self._outside != "shared"

    def detect(self, members: Members, terminator: Instance, now: Time) -> Sequence[Bound]:
        """Returns what each event binds, and removes what is consumed."""
        available = members.by_type[self.first]
        since = None if self._within is None else now - self._within
        if not available or (since is not None and terminator.begin < since):
            return ()
        end = bisect_left(available, (terminator.time,))
        legal: Sequence[Member] = available[self._begin(members, terminator.time) : end]
        if since is not None:
            legal = [member for member in legal if member[2].begin >= since]
        if not legal:
            return ()
        chosen = self._chosen(legal, available, since)
        admit(self._type, chosen)
        if self._outside == "exclusive":
            bound = {number for members_ in chosen for _, number, _ in members_}
            members.by_type[self.first] = [member for member in available[end:] if member[1] not in bound]
        elif self._outside == "exclusive parameter":
            members.remove(self.first, [member for members_ in chosen for member in members_])
        first, last = self._names
        return [((first, tuple([member[2] for member in members_])), (last, (terminator,))) for members_ in chosen]

    @property
    def _binds_several(self) -> bool:
        """Whether one instance after the other is bound to the first component, each by an event of its own."""
        if self._selection == "combinations minimum":
            return self._terminator_stays and self._inside != "exclusive"
        return self._terminator_stays and self._inside == "exclusive parameter"

    def _begin(self, members: Members, before: int) -> int:
        """Returns the place of the first member after which nothing forbidden has occurred."""
        begin = 0
        for name in self._forbidden:
            found = members.by_type[name]
            end = bisect_left(found, (before,))
            if end:
                begin = max(begin, bisect_left(members.by_type[self.first], (found[end - 1][0],)))
        return begin

    def _chosen(
        self, legal: Sequence[Member], available: Sequence[Member], since: Time | None
    ) -> Sequence[tuple[Member, ...]]:
        """Returns the sets of the events of a group."""
        match self._selection:
            case "restricted cumulative":
                return [tuple(legal)]
            case "cumulative":
                return [tuple(member for member in available if since is None or member[2].begin >= since)]
            case _:
                several = self._binds_several
        if self._selection == "last":
            return [(member,) for member in reversed(legal)] if several else [(legal[-1],)]
        return [(member,) for member in legal] if several else [(legal[0],)]


def fits(plan: TypePlan, *, timely: bool) -> bool:
    """Returns whether time and a key alone decide what an event binds, and its last component terminates it."""
    type_ = plan.type
    components = type_.components
    if type_.operator not in (";", "not") or len(type_.bound) != 2:
        return False
    last = components[type_.bound[1]]
    return (
        timely
        and type_.overlapping
        and not type_.continuous
        and not plan.conditions
        and len(plan.types) == len(components)
        and all(each.delimiter.least == 1 and each.delimiter.most is None for each in components)
        and components[0].selection != "combinations"
        and last.is_fixed
        and last.selection != "combinations"
        and (not last.combines or last.inside == "shared")
    )
