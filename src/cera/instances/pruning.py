"""Dropping instances that no later event can use: overtaken ones, those cut off by a negation, those too old.

Nothing of this changes an answer. All of it rests on time going on: what comes later occurs later, which does not hold
where a component takes the beginning of its events as their time (`timely`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from cera.instances.members import Member, Members, between
from cera.instances.type_plan import TypePlan
from cera.model.time.interval import Time


class Pruning:
    def __init__(self, plan: TypePlan, *, timely: bool) -> None:
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
        #: True if instances before something forbidden are of no use.
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

    @property
    def concerns_pairs(self) -> bool:
        """Whether something may be dropped after a stage, where terminators of pairs are not remembered anyway."""
        return self._momentary or self._cut_off or bool(self._overtaken) or self._within is not None

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
        """Returns the type of the next required component; None if it is of use only when it occurs."""
        for other in self._plan.type.bound:
            component = self._plan.components[other]
            if other > place and component.delimiter.least > 0:
                return None if component.type in self._passing else component.type
        return None

    def after(self, members: Members, now: Time) -> None:
        """Drops members after the events of a stage: later instances occur at later stages."""
        by_type = members.by_type
        for name in self._passing:
            if by_type[name]:
                by_type[name] = []
        if self._momentary:
            members.clear()
        if self._cut_off:
            self._cut(members)
        for name, follows in self._overtaken.items():
            if len(by_type[name]) > 1:
                by_type[name] = self._not_overtaken(by_type[name], () if follows is None else by_type[follows])
        if self._within is not None:
            self.expire(members, now)

    def _cut(self, members: Members) -> None:
        by_type = members.by_type
        forbidden = [name for name in self._forbidden if by_type[name]]
        if forbidden:
            newest = max(by_type[name][-1][0] for name in forbidden)
            first = self._plan.components[0].type
            by_type[first] = [one for one in by_type[first] if one[0] >= newest]
            for name in forbidden:
                by_type[name] = []

    def _not_overtaken(self, found: Sequence[Member], following: Sequence[Member]) -> list[Member]:
        """Returns the members that the next younger one cannot replace."""
        kept = []
        for one, younger in pairwise(found):
            outlasts = self._within is not None and younger[2].begin < one[2].begin
            if outlasts or between(following, one[0], younger[0] + 1):
                kept.append(one)
        return [*kept, found[-1]]

    def expire(self, members: Members, now: Time) -> None:
        """Drops what is too old."""
        if self._within is None:
            return
        since = now - self._within
        for name, found in members.by_type.items():
            if found and name in self._forbidden and found[0][2].end < since:
                members.by_type[name] = [one for one in found if one[2].end >= since]
            elif found and name not in self._forbidden and found[0][2].begin < since:
                members.by_type[name] = [one for one in found if one[2].begin >= since]
