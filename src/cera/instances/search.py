"""The preferred solution: what an event of a type binds to its components.

Fixed components are chosen in the order of traversal, each in the order of preference of its selection; where the rest
cannot be filled, the next choice is tried (backtracking). Cumulative components take what fits to these.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations, product
from typing import Any

from cera.instances.instance import Instance
from cera.instances.members import Member, Members, Solution, between
from cera.instances.operators.operator import EVERYWHERE, Window
from cera.instances.plan import Asked, Part, Plan
from cera.instances.selections import Fixed
from cera.instances.selections.selection import holding
from cera.model.interval import Time

#: The sets of the components with combinations modes, by their numbers.
Combination = tuple[tuple[int, tuple[int, ...]], ...]


class Search:
    """Solutions in one sequence at one time. `past` are the times of all events of the history, in order."""

    def __init__(self, plan: Plan, members: Members, now: Time, past: Sequence[int]) -> None:
        self._plan = plan
        self._by_type = members.by_type
        self._past = past
        within = plan.type.within
        self._since = None if within is None else now - within

    def group(self, terminator: Member) -> Iterator[Solution]:
        """The solutions of a group, one after the other, while members may be taken away between them: each is the
        preferred one that binds the terminator, in a combination that has not been used."""
        plan = self._plan
        used: set[Combination] = set()
        if not plan.combining:
            while (solution := self._preferred(terminator, used)) is not None:
                yield solution
                if not plan.inside or terminator[2].type in plan.inside:  # it would be the same, or there is no more
                    return
            return
        if not plan.inside and plan.part is not None and len(plan.roles[terminator[2].type]) == 1:
            [role] = plan.roles[terminator[2].type]
            for solution in _Attempt(self, plan.part, role, terminator, used).solutions():
                used.add(self.combination(solution))
                yield solution
            return
        while (solution := self._preferred(terminator, used)) is not None:
            used.add(self.combination(solution))
            yield solution

    def _preferred(self, terminator: Member, used: set[Combination]) -> Solution | None:
        plan = self._plan
        roles = plan.roles[terminator[2].type]
        if plan.part is not None and len(roles) == 1:
            return next(_Attempt(self, plan.part, roles[0], terminator, used).solutions(), None)
        for part in plan.operator.parts(plan.order):
            attempts = [_Attempt(self, Part(plan, part), role, terminator, used) for role in part if role in roles]
            found = [solution for each in attempts if (solution := next(each.solutions(), None)) is not None]
            if found:
                return min(found, key=lambda solution: self._preference(part, solution)) if len(found) > 1 else found[0]
        return None

    def combination(self, solution: Solution) -> Combination:
        combining = self._plan.combining
        return tuple(
            (place, tuple(number for _, number, _ in solution[place]))
            for place in sorted(combining & solution.keys())
            if solution[place]
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
    """The solutions with a terminator at a place, where some components take part."""

    def __init__(
        self, search: Search, part: Part, role: int, terminator: Member, used: Collection[Combination]
    ) -> None:
        self._search = search
        self._plan = search._plan
        self._part = part
        self._role = role
        self._terminator = terminator
        self._used = used
        self._gathering = part.gathering
        self._moment = self._plan.operator.moment(terminator[0])
        self._limits: dict[int, Window] = {}

    def solutions(self) -> Iterator[Solution]:
        """The preferred one first."""
        search, part = self._search, self._part
        anchored = None if self._plan.anywhere[self._role] else (self._role, self._terminator[0])
        available = {place: search.of(place) for place in part.places}
        limits = self._plan.operator.reach(part.in_order, available, part.needed, anchored)
        if limits is not None:
            self._limits = limits
            yield from self._extend(0, {})

    def _is_anywhere(self, place: int) -> bool:
        return self._plan.anywhere[place]

    def _extend(self, depth: int, bound: Solution) -> Iterator[Solution]:
        if depth == len(self._part.fixed):
            solution = self._completed(bound)
            if solution is not None:
                yield solution
            return
        search, role, terminator = self._search, self._role, self._terminator
        place = self._part.fixed[depth]
        beside = timed = bound
        if role != place and role not in bound:
            beside = {**bound, role: (terminator,)}
            timed = bound if self._is_anywhere(role) else beside
        selection = self._plan.selections[place]
        assert isinstance(selection, Fixed)
        least = self._part.needed[place]
        limit = self._limits.get(place, self._moment)
        if least == 1 and selection.single:
            found = search.candidates(place, beside, timed, limit, backwards=selection.backwards)
            sets: Iterator[tuple[Member, ...]] = ((one,) for one in found)
        else:
            sets = selection.sets(list(search.candidates(place, beside, timed, limit)), least)
        if place == role:
            sets = holding(sets, terminator)
        for chosen in sets:
            yield from self._extend(depth + 1, {**bound, place: chosen})

    def _completed(self, fixed: Solution) -> Solution | None:
        search, plan, role, terminator = self._search, self._plan, self._role, self._terminator
        solution = fixed
        if self._gathering:
            forced: Solution = {} if role in fixed else {role: (terminator,)}
            if not self._possible(fixed, self._gathering, forced):
                return None
            solution = {**fixed, **{place: self._gathered(place, fixed, forced) for place in self._gathering}}
        if plan.combining and search.combination(solution) in self._used:
            return None
        if not all(self._few_enough(place, solution) for place in self._part.places):
            return None
        return solution if not plan.type.continuous or search.uninterrupted(solution) else None

    def _possible(self, bound: Solution, places: Sequence[int], forced: Solution, *, ignoring: bool = False) -> bool:
        """Whether the cumulative components at places can have what they need, with what they are forced to have. With
        `ignoring`, those that gather from anywhere need not lie in place."""
        if not places:
            return True
        place, *others = places
        wanted = forced.get(place, ())
        size = max(self._part.needed[place], len(wanted))
        if size == 0:
            return self._possible({**bound, place: ()}, others, forced, ignoring=ignoring)
        found = self._beside(place, bound, ignoring=ignoring)
        if not others and not wanted:
            return _at_least(found, size)
        return any(
            self._possible({**bound, place: chosen}, others, forced, ignoring=ignoring)
            for chosen in _sets(list(found), size, wanted)
        )

    def _beside(self, place: int, bound: Solution, *, ignoring: bool) -> Iterator[Member]:
        if ignoring and self._is_anywhere(place):
            return self._search.candidates(place, bound, {}, EVERYWHERE)
        if not ignoring:
            return self._search.candidates(place, bound, bound, self._limits.get(place, self._moment))
        timed = {p: found for p, found in bound.items() if not self._is_anywhere(p)}
        return self._search.candidates(place, bound, timed, self._moment)

    def _gathered(self, place: int, fixed: Solution, forced: Solution) -> tuple[Member, ...]:
        """All that can stand at a place beside what is fixed, where the other cumulative components have what they
        need, and the terminator has its place."""
        ignoring = self._is_anywhere(place)
        found = list(self._beside(place, fixed, ignoring=ignoring))
        others = [p for p in self._gathering if p != place and (p in forced or self._part.needed[p] > 0)]
        if not others:
            return tuple(found)
        own = forced.get(place, ())
        needed = self._part.needed[place]
        return tuple(
            one
            for one in found
            if any(
                self._possible({**fixed, place: chosen}, others, forced, ignoring=ignoring)
                for chosen in _sets(found, max(needed, len({*own, one})), (*own, one))
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


def _sets(found: Sequence[Member], size: int, wanted: Sequence[Member]) -> Iterator[tuple[Member, ...]]:
    """The sets of a size that have certain members, if these are to be found."""
    numbers = {number for _, number, _ in wanted}
    own = tuple(one for one in found if one[1] in numbers)
    if len(own) == len(numbers):
        rest = [one for one in found if one[1] not in numbers]
        for others in combinations(rest, size - len(own)):
            yield tuple(sorted((*own, *others)))


def _at_least(found: Iterator[Member], count: int) -> bool:
    return sum(1 for _ in zip(found, range(count), strict=False)) == count
