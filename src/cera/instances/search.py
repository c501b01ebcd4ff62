"""The preferred solution, which is what an event of a type binds to its components, and the events of a group."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from cera.instances.attempt import Attempt, Combination, combination_of
from cera.instances.candidates import Candidates
from cera.instances.members import Member, Solution
from cera.instances.plan import Part
from cera.instances.selections import Fixed


class Search:
    def __init__(self, candidates: Candidates) -> None:
        self._candidates = candidates
        self._plan = candidates.plan

    def group(self, terminator: Member, produced: set[frozenset[int]]) -> Iterator[Solution]:
        """The solutions of a group, one after the other, while members may be taken away between them: each is the
        preferred one that binds the terminator, and none binds what has been produced.

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
        """The preferred solution with each combination, as far as there still is one when its turn comes."""
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
            selection.preference(solution[place]) for place in part if isinstance(selection := selections[place], Fixed)
        ]


def _add(solution: Solution, produced: set[frozenset[int]]) -> bool:
    """Whether its instances have not been bound together before, which they are now."""
    together = frozenset(number for bound in solution.values() for _, number, _ in bound)
    if together in produced:
        return False
    produced.add(together)
    return True
