"""The preferred solution, which is what an event of a type binds to its components, and the events of a group.

Fixed components are chosen in the order of traversal, each in the order of preference of its selection; where the rest
cannot be filled, the next choice is tried (backtracking). Cumulative components take what fits to these.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from typing import Any

from cera.instances.candidates import Candidates
from cera.instances.members import Member, Solution
from cera.instances.modes import FixedSelection, holding
from cera.instances.operators import EVERYWHERE, Window
from cera.instances.type_plan import Part, TypePlan

#: The sets of the components with combinations modes, by their numbers.
Combination = tuple[tuple[int, tuple[int, ...]], ...]


def combination_of(plan: TypePlan, solution: Solution) -> Combination:
    return tuple(
        (place, tuple(number for _, number, _ in solution[place]))
        for place in sorted(plan.combining & solution.keys())
        if solution[place]
    )


class Attempt:
    """The solutions with a terminator at a place, where some components take part."""

    def __init__(
        self,
        candidates: Candidates,
        part: Part,
        role: int,
        terminator: Member,
        used: Collection[Combination],
    ) -> None:
        self._candidates = candidates
        self._plan = candidates.plan
        self._part = part
        self._role = role
        self._terminator = terminator
        self._used = used
        self._gathering = part.gathering
        self._moment = self._plan.operator.moment(terminator[0])
        self._limits: dict[int, Window] = {}

    def solutions(self) -> Iterator[Solution]:
        """Yields the solutions, the preferred one first."""
        candidates, part = self._candidates, self._part
        anchored = None if self._plan.anywhere[self._role] else (self._role, self._terminator[0])
        available = {place: candidates.of(place) for place in part.places}
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
        candidates, role, terminator = self._candidates, self._role, self._terminator
        place = self._part.fixed[depth]
        beside = timed = bound
        if role != place and role not in bound:
            beside = {**bound, role: (terminator,)}
            timed = bound if self._is_anywhere(role) else beside
        selection = self._plan.selections[place]
        assert isinstance(selection, FixedSelection)
        least = self._part.needed[place]
        limit = self._limits.get(place, self._moment)
        if least == 1 and selection.single:
            found = candidates.beside(place, beside, timed, limit, backwards=selection.backwards)
            sets: Iterator[tuple[Member, ...]] = ((one,) for one in found)
        else:
            sets = selection.sets(list(candidates.beside(place, beside, timed, limit)), least)
        if place == role:
            sets = holding(sets, terminator)
        for chosen in sets:
            yield from self._extend(depth + 1, {**bound, place: chosen})

    def _completed(self, fixed: Solution) -> Solution | None:
        candidates, plan, role, terminator = self._candidates, self._plan, self._role, self._terminator
        solution = fixed
        if self._gathering:
            forced: Solution = {} if role in fixed else {role: (terminator,)}
            if not self._possible(fixed, self._gathering, forced):
                return None
            solution = {**fixed, **{place: self._gathered(place, fixed, forced) for place in self._gathering}}
        if plan.combining and combination_of(plan, solution) in self._used:
            return None
        if not all(self._few_enough(place, solution) for place in self._part.places):
            return None
        return solution if not plan.type.continuous or candidates.uninterrupted(solution) else None

    def _possible(self, bound: Solution, places: Sequence[int], forced: Solution, *, ignoring: bool = False) -> bool:
        """Returns whether the cumulative components at places can have what they need, with what they are forced to
        have. With `ignoring`, those that gather from anywhere need not lie in place."""
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
            return self._candidates.beside(place, bound, {}, EVERYWHERE)
        if not ignoring:
            return self._candidates.beside(place, bound, bound, self._limits.get(place, self._moment))
        timed = {p: found for p, found in bound.items() if not self._is_anywhere(p)}
        return self._candidates.beside(place, bound, timed, self._moment)

    def _gathered(self, place: int, fixed: Solution, forced: Solution) -> tuple[Member, ...]:
        """Returns all members that can stand at a place beside fixed ones, where the other cumulative components have
        what they need, and the terminator has its place."""
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
        """Returns whether no more instances could stand at a place than its delimiter says."""
        most = self._plan.components[place].delimiter.most
        if most is None:
            return True
        if place in self._gathering:
            return len(solution[place]) <= most
        others = {p: found for p, found in solution.items() if p != place}
        timed = {p: found for p, found in others.items() if not self._is_anywhere(p)}
        return not _at_least(self._candidates.beside(place, others, timed, self._moment), most + 1)


def _sets(found: Sequence[Member], size: int, wanted: Sequence[Member]) -> Iterator[tuple[Member, ...]]:
    """Yields the sets of a size that have certain members, if these are to be found."""
    numbers = {number for _, number, _ in wanted}
    own = tuple(one for one in found if one[1] in numbers)
    if len(own) == len(numbers):
        rest = [one for one in found if one[1] not in numbers]
        for others in combinations(rest, size - len(own)):
            yield tuple(sorted((*own, *others)))


def _at_least(found: Iterator[Member], count: int) -> bool:
    return sum(1 for _ in zip(found, range(count), strict=False)) == count


class Search:
    def __init__(self, candidates: Candidates) -> None:
        self._candidates = candidates
        self._plan = candidates.plan

    def group(self, terminator: Member, produced: set[frozenset[int]]) -> Iterator[Solution]:
        """Yields the solutions of a group, one after the other, while members may be taken away between them: each is
        the preferred one that binds the terminator, and none has been produced before.

        Combinations are used one after the other; when all have been, they are used again with what is left.
        """
        plan = self._plan
        if not plan.combining:
            while (solution := self._preferred(terminator, ())) is not None and _add(solution, produced):
                yield solution
                if not plan.inside or terminator[2].type in plan.inside:  # it would be the same, or there is no more
                    return
        elif plan.inside:
            found = True
            while found:
                found = False
                for solution in self._round(terminator):
                    if _add(solution, produced):
                        found = True
                        yield solution
        else:
            yield from (solution for solution in self._round(terminator) if _add(solution, produced))

    def _round(self, terminator: Member) -> Iterator[Solution]:
        """Yields the preferred solution with each combination, as far as there still is one when its turn comes."""
        plan = self._plan
        used: set[Combination] = set()
        if not plan.inside and plan.part is not None and len(plan.roles[terminator[2].type]) == 1:
            [role] = plan.roles[terminator[2].type]
            for solution in Attempt(self._candidates, plan.part, role, terminator, used).solutions():
                used.add(combination_of(plan, solution))
                yield solution
            return
        while (preferred := self._preferred(terminator, used)) is not None:
            used.add(combination_of(plan, preferred))
            yield preferred

    def _preferred(self, terminator: Member, used: Collection[Combination]) -> Solution | None:
        plan = self._plan
        roles = plan.roles[terminator[2].type]
        if plan.part is not None and len(roles) == 1:
            return next(Attempt(self._candidates, plan.part, roles[0], terminator, used).solutions(), None)
        for part in plan.operator.parts(plan.order):
            attempts = [
                Attempt(self._candidates, Part(plan, part), role, terminator, used) for role in part if role in roles
            ]
            found = [solution for each in attempts if (solution := next(each.solutions(), None)) is not None]
            if found:
                return min(found, key=lambda solution: self._preference(part, solution)) if len(found) > 1 else found[0]
        return None

    def _preference(self, part: tuple[int, ...], solution: Solution) -> Any:
        selections = self._plan.selections
        return [
            selection.preference(solution[place])
            for place in part
            if isinstance(selection := selections[place], FixedSelection)
        ]


def _add(solution: Solution, produced: set[frozenset[int]]) -> bool:
    """Records that instances are bound together, and returns whether they were not before."""
    together = frozenset(number for bound in solution.values() for _, number, _ in bound)
    if together in produced:
        return False
    produced.add(together)
    return True
