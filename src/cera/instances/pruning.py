"""What no later event can use is dropped: what is overtaken, what is cut off by a negation, what is too old.

Nothing of this changes an answer. All of it rests on time going on: what comes later occurs later, which does not hold
where a component takes the beginning of its events as their time (`timely`).
"""

from __future__ import annotations

from itertools import pairwise

from cera.instances.members import Member, Members, between
from cera.instances.plan import Plan
from cera.model.interval import Time


class Pruning:
    def __init__(self, plan: Plan, *, timely: bool) -> None:
        type_ = plan.type
        self._within = type_.within
        self._plan = plan
        components = type_.components
        self._forbidden = {components[place].type for place in type_.forbidden}
        bounded = any(each.delimiter.most is not None for each in components)
        plain = timely and not bounded and not type_.continuous
        single = {name for name, roles in plan.roles.items() if len(roles) == 1}
        single -= {components[place].type for place in type_.forbidden}
        #: Types whose instances are of use only at the stage at which they occur.
        self._passing: list[str] = []
        #: Types of which only the youngest is of use, and the type that has to be looked at: of what follows.
        self._overtaken: dict[str, str | None] = {}
        #: Whether what lies before something forbidden is of no use.
        self._cut_off = False
        #: Types of which all that occurred before now is of no use.
        gathers = any(each.selection == "cumulative" for each in components)
        self._momentary = type_.operator == "==" and timely and not gathers
        if not plain:
            return
        ordered = type_.operator in (";", "not")
        if ordered and self._may_pass(type_.bound[-1]) and components[type_.bound[-1]].type in single:
            self._passing = [components[type_.bound[-1]].type]
        if type_.operator == "or":
            self._passing = [
                components[p].type for p in type_.bound if self._may_pass(p) and components[p].type in single
            ]
        if type_.overlapping:
            places = type_.bound[:-1] if ordered else type_.bound if type_.operator == "and" else ()
            for place in places:
                if components[place].type in single and self._keeps_youngest(place):
                    self._overtaken[components[place].type] = self._next(place) if ordered else None
        inner = [components[place] for place in type_.forbidden]
        self._cut_off = (
            bool(inner)
            and all(each.delimiter.least == 1 for each in inner)
            and not any(plan.asked[place] for place in type_.forbidden)
            and not {each.type for each in inner} & {components[place].type for place in type_.bound}
            and components[0].type != components[-1].type
            and components[0].selection != "cumulative"
        )

    def _may_pass(self, place: int) -> bool:
        component = self._plan.components[place]
        return component.is_fixed and component.delimiter.least == 1 and component.selection != "combinations"

    def _keeps_youngest(self, place: int) -> bool:
        component = self._plan.components[place]
        lasting = {"shared", "exclusive"}
        return (
            component.selection == "last"
            and component.delimiter.least == 1
            and {component.inside, component.outside} <= lasting
            and not self._plan.asked[place]
            and not self._plan.type.right_to_left
        )

    def _next(self, place: int) -> str | None:
        """The type of the next component that there has to be; None if it is of use only when it occurs."""
        for other in self._plan.type.bound:
            component = self._plan.components[other]
            if other > place and component.delimiter.least > 0:
                return None if component.type in self._passing else component.type
        return None

    def before(self, members: Members, member: Member, now: Time) -> None:
        """Before a member is inserted."""
        if self._momentary:
            for name, found in members.by_type.items():
                if found and found[0][0] < now:
                    members.by_type[name] = [one for one in found if one[0] >= now]
        if self._cut_off:
            self._cut(members, now)
        name = member[2].type
        if name in self._overtaken:
            self._overtake(members, name, now)

    def _cut(self, members: Members, now: Time) -> None:
        plan = self._plan
        by_type = members.by_type
        newest: Time | None = None
        for place in plan.type.forbidden:
            name = plan.components[place].type
            earlier = between(by_type[name], None, now)
            if earlier:
                newest = earlier[-1][0] if newest is None else max(newest, earlier[-1][0])
                by_type[name] = list(by_type[name][len(earlier) :])
        if newest is not None:
            first = plan.components[0].type
            by_type[first] = [one for one in by_type[first] if one[0] >= newest]

    def _overtake(self, members: Members, name: str, now: Time) -> None:
        """Of those that occurred before now, the ones that the next younger one stands in for."""
        found = members.by_type[name]
        if len(found) < 2:
            return
        follows = self._overtaken[name]
        following = members.by_type[follows] if follows is not None else ()
        kept = []
        for one, younger in pairwise(found):
            outlasts = self._within is not None and younger[2].begin < one[2].begin
            if younger[0] >= now or outlasts or between(following, one[0], younger[0] + 1):
                kept.append(one)
        members.by_type[name] = [*kept, found[-1]]

    def after(self, members: Members, now: Time) -> None:
        """After the events of a stage."""
        for name in self._passing:
            if members.by_type[name]:
                members.by_type[name] = []
        if self._within is not None:
            self.expire(members, now)

    def expire(self, members: Members, now: Time) -> None:
        """Drops what is too old."""
        if self._within is None:
            return
        since = now - self._within
        for name, found in members.by_type.items():
            if found and name in self._forbidden and found[0][0] < since:
                members.by_type[name] = [one for one in found if one[0] >= since]
            elif found and name not in self._forbidden and found[0][2].begin < since:
                members.by_type[name] = [one for one in found if one[2].begin >= since]
