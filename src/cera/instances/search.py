"""The preferred solution, which is what an event of a type binds to its components, and the events of a group."""

from __future__ import annotations

from collections.abc import Iterator
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
            for solution in Attempt(self._candidates, plan.part, role, terminator, used).solutions():
                used.add(combination_of(plan, solution))
                yield solution
            return
        while (solution := self._preferred(terminator, used)) is not None:
            used.add(combination_of(plan, solution))
            yield solution

    def _preferred(self, terminator: Member, used: set[Combination]) -> Solution | None:
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
