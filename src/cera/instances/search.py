"""The preferred solution: what an event of a type binds to its components.

Fixed components are chosen in the order of traversal, each in the order of preference of its selection; where the rest
cannot be filled, the next choice is tried (backtracking). Cumulative components take what fits to these.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import Any

from cera.instances.instance import Instance
from cera.instances.members import Member, Members, Solution, between
from cera.instances.operators.operator import EVERYWHERE, Window
from cera.instances.plan import Asked, Plan
from cera.instances.selections import Fixed
from cera.instances.selections.selection import Gathering, holding
from cera.model.interval import Time

#: The sets of the components with combinations modes, by their numbers.
Combination = tuple[tuple[int, tuple[int, ...]], ...]


class Search:
    """Solutions in one sequence at one time. `past` are the times of all events of the history, in order."""

    def __init__(self, plan: Plan, members: Members, now: Time, past: Sequence[Time]) -> None:
        self._plan = plan
        self._by_type = members.by_type
        self._past = past
        within = plan.type.within
        self._since = None if within is None else now - within

    def preferred(self, terminator: Member, used: frozenset[Combination]) -> Solution | None:
        """The preferred solution that binds a member, in a combination that has not been used."""
        plan = self._plan
        roles = plan.roles[terminator[2].type]
        for part in plan.operator.parts(plan.order):
            found = [
                solution
                for role in roles
                if role in part and (solution := _Attempt(self, part, role, terminator, used).first()) is not None
            ]
            if len(found) > 1:
                return min(found, key=lambda solution: self._preference(part, solution))
            if found:
                return found[0]
        return None

    def combination(self, solution: Solution) -> Combination:
        combining = self._plan.combining
        return tuple(
            (place, tuple(number for _, number, _ in solution[place])) for place in sorted(combining & solution.keys())
        )

    def allowed(self, solution: Solution, place: int, member: Member) -> bool:
        """Whether the conditions hold with a member in the place of what is bound there."""
        return all(self._holds(asked, place, member, solution) for asked in self._plan.asked[place])

    def _preference(self, part: tuple[int, ...], solution: Solution) -> Any:
        selections = self._plan.selections
        return [
            selection.preference(solution[place]) for place in part if isinstance(selection := selections[place], Fixed)
        ]

    def of(self, place: int) -> list[Member]:
        return self._by_type[self._plan.components[place].type]

    def candidates(
        self, place: int, bound: Solution, timed: Solution, limit: Window, *, backwards: bool = False
    ) -> Iterator[Member]:
        """What could stand at a place beside what is bound; `timed` is what it has to lie in place to."""
        plan, since = self._plan, self._since
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

    def _may_meet(self, place: int) -> bool:
        """Whether the same instance could stand at another place."""
        return len(self._plan.roles[self._plan.components[place].type]) > 1

    def _fits(self, place: int, one: Instance, timed: Solution) -> bool:
        operator = self._plan.operator
        for other, members in timed.items():
            if other != place:
                for _, _, instance in members:
                    if not operator.allows(place, one, other, instance):
                        return False
                    if not operator.exact and not self._free(place, one, instance):
                        return False
        return True

    def _free(self, place: int, one: Instance, other: Instance) -> bool:
        """Whether nothing that the negation forbids occurs between two instances, of which one stands at a place."""
        plan = self._plan
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
        """For every combination with what is bound; a conjunct about what is not bound (yet) says nothing."""
        condition, others = asked
        names = [self._plan.components[other].name for other in others]
        sets = [bound.get(other, ()) for other in others]
        own = self._plan.components[place].name
        return all(
            condition.holds({own: member[2], **{name: one[2] for name, one in zip(names, chosen, strict=True)}})
            for chosen in product(*sets)
        )

    def uninterrupted(self, solution: Solution) -> bool:
        """Whether no other event of the history lies among what is bound."""
        leaves = [leaf for members in solution.values() for _, _, one in members for leaf in one.leaves()]
        first, last = min(leaf.time for leaf in leaves), max(leaf.time for leaf in leaves)
        own = {id(leaf.event) for leaf in leaves if leaf.event is not None and first < leaf.time < last}
        return len(own) == max(0, bisect_left(self._past, last) - bisect_right(self._past, first))


class _Attempt:
    """The first solution with a terminator at a place, where some components take part."""

    def __init__(
        self, search: Search, part: tuple[int, ...], role: int, terminator: Member, used: frozenset[Combination]
    ) -> None:
        self._search = search
        self._plan = search._plan
        self._part = part
        self._role = role
        self._terminator = terminator
        self._used = used
        self._fixed = [place for place in part if self._plan.fixed[place]]
        self._gathering = [place for place in part if not self._plan.fixed[place]]
        self._moment = self._plan.operator.moment(terminator[0])
        self._limits: dict[int, Window] = {}

    def first(self) -> Solution | None:
        limits = self._reach()
        if limits is None:
            return None
        self._limits = limits
        return self._extend(0, {})

    def _reach(self) -> dict[int, Window] | None:
        """Between which times each component lies at most, by what there is of the others; None where that is not
        enough."""
        search, plan = self._search, self._plan
        anchored = None if self._is_anywhere(self._role) else (self._role, self._terminator[0])
        needed = {place: plan.components[place].delimiter.least for place in self._part}
        return plan.operator.reach(sorted(self._part), {p: search.of(p) for p in self._part}, needed, anchored)

    def _is_anywhere(self, place: int) -> bool:
        selection = self._plan.selections[place]
        return isinstance(selection, Gathering) and selection.anywhere

    def _extend(self, depth: int, bound: Solution) -> Solution | None:
        if depth == len(self._fixed):
            return self._completed(bound)
        search, role, terminator = self._search, self._role, self._terminator
        place = self._fixed[depth]
        beside = timed = bound
        if role != place and role not in bound:
            beside = {**bound, role: (terminator,)}
            timed = bound if self._is_anywhere(role) else beside
        selection = self._plan.selections[place]
        assert isinstance(selection, Fixed)
        least = self._plan.components[place].delimiter.least
        limit = self._limits.get(place, self._moment)
        if least == 1 and self._plan.components[place].selection != "combinations":
            found = search.candidates(place, beside, timed, limit, backwards=selection.backwards)
            sets: Iterator[tuple[Member, ...]] = ((one,) for one in found)
        else:
            sets = selection.sets(list(search.candidates(place, beside, timed, limit)), least)
        if place == role:
            sets = holding(sets, terminator)
        for chosen in sets:
            solution = self._extend(depth + 1, {**bound, place: chosen})
            if solution is not None:
                return solution
        return None

    def _completed(self, fixed: Solution) -> Solution | None:
        search, plan = self._search, self._plan
        solution = fixed
        if self._gathering:
            if not self._possible(fixed, self._gathering) or not self._terminates(fixed):
                return None
            solution = {**fixed, **{place: self._gathered(place, fixed) for place in self._gathering}}
        if self._terminator not in solution[self._role]:
            return None
        if plan.combining and search.combination(solution) in self._used:
            return None
        if not all(self._few_enough(place, solution) for place in self._part):
            return None
        return solution if not plan.type.continuous or search.uninterrupted(solution) else None

    def _possible(self, bound: Solution, places: Sequence[int], *, ignoring: bool = False) -> bool:
        """Whether the cumulative components at places can have what they need. With `ignoring`, those that gather from
        anywhere need not lie in place."""
        if not places:
            return True
        place, *others = places
        least = self._plan.components[place].delimiter.least
        if least == 0:
            return self._possible({**bound, place: ()}, others, ignoring=ignoring)
        found = self._beside(place, bound, ignoring=ignoring)
        if not others:
            return _at_least(found, least)
        return any(
            self._possible({**bound, place: chosen}, others, ignoring=ignoring)
            for chosen in combinations(list(found), least)
        )

    def _terminates(self, fixed: Solution) -> bool:
        """Whether the terminator can stand at its place, if that is a cumulative component: lying in place."""
        role, terminator = self._role, self._terminator
        if role in fixed:
            return True
        least = max(self._plan.components[role].delimiter.least, 1)
        others = [place for place in self._gathering if place != role]
        found = list(self._beside(role, fixed, ignoring=False))
        return any(
            self._possible({**fixed, role: chosen}, others)
            for chosen in holding(combinations(found, least), terminator)
        )

    def _beside(self, place: int, bound: Solution, *, ignoring: bool) -> Iterator[Member]:
        if ignoring and self._is_anywhere(place):
            return self._search.candidates(place, bound, {}, EVERYWHERE)
        if not ignoring:
            return self._search.candidates(place, bound, bound, self._limits.get(place, self._moment))
        timed = {p: found for p, found in bound.items() if not self._is_anywhere(p)}
        return self._search.candidates(place, bound, timed, self._moment)

    def _gathered(self, place: int, fixed: Solution) -> tuple[Member, ...]:
        """All that can stand at a place beside what is fixed, where the other cumulative components have what they
        need."""
        others = [p for p in self._gathering if p != place and self._plan.components[p].delimiter.least > 0]
        least = self._plan.components[place].delimiter.least
        ignoring = self._is_anywhere(place)
        found = list(self._beside(place, fixed, ignoring=ignoring))
        if not others:
            return tuple(found) if len(found) >= least else ()
        return tuple(
            one
            for one in found
            if any(
                self._possible({**fixed, place: chosen}, others, ignoring=ignoring)
                for chosen in holding(combinations(found, max(least, 1)), one)
            )
        )

    def _few_enough(self, place: int, solution: Solution) -> bool:
        """Whether no more instances could stand at a place than its delimiter says."""
        most = self._plan.components[place].delimiter.most
        if most is None:
            return True
        if place in self._gathering:
            return len(solution[place]) <= most
        others = {p: found for p, found in solution.items() if p != place}
        timed = {p: found for p, found in others.items() if not self._is_anywhere(p)}
        return not _at_least(self._search.candidates(place, others, timed, self._moment), most + 1)


def _at_least(found: Iterator[Member], count: int) -> bool:
    return sum(1 for _ in zip(found, range(count), strict=False)) == count
