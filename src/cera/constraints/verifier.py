"""The clauses of a module over one history: what all of them know, and when it is forgotten."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence

from cera.constraints.clause_verifier import ClauseVerifier
from cera.constraints.goals import ClauseGoals
from cera.constraints.locations import Locations
from cera.constraints.memory import Change, Known, Place, Store
from cera.constraints.retention import steps_kept
from cera.constraints.stream import Happening
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.relation_rows import RelationRows
from cera.model.time.interval import Time

#: From so many events and states on the verifier looks which of them are needed; then whenever there are twice as many.
SWEEP_FROM = 1000
SWEEP_GROWTH = 2


def _steps_kept(clauses: Sequence[ClauseGoals]) -> Time | None:
    """Returns for how long the times at which something happens are needed; None if for good."""
    found = [steps_kept(goal) for clause in clauses for goal in clause.goals]
    known = [each for each in found if each is not None]
    return max(known, default=0) if len(known) == len(found) else None


def _looks_at_each_step(clause: ClauseGoals) -> bool:
    """Returns whether time alone, or a definition of its own, can change what a clause comes to."""
    return bool(clause.definitions) or any(goal.windows for goal in clause.goals)


class Verifier:
    """The clauses of a module over one history."""

    def __init__(
        self,
        clauses: Sequence[ClauseGoals],
        relations: Mapping[str, RelationRows],
        locations: Locations,
        evaluator: Evaluator,
        origin: Time,
        since: Time | None = None,
        begins: Sequence[tuple[Time, Time]] = (),
        longest: Time | None = None,
    ) -> None:
        self.known = Known(relations, locations, evaluator.timezone, since, begins)
        indexed: dict[Place, set[str]] = {}
        for clause in clauses:
            for place, name in clause.indexed():
                indexed.setdefault(place, set()).add(name)
        self.store = Store(indexed)
        self.next_number = 0
        self.numbers = self._numbers()
        self.clauses = [
            ClauseVerifier(each, self.known, self.store, evaluator, origin, self.numbers, longest) for each in clauses
        ]
        #: The clauses that ask for something, by its place; and those that look at each step.
        self._by_place: dict[Place, list[int]] = {}
        self._always = [number for number, each in enumerate(clauses) if _looks_at_each_step(each)]
        for number, each in enumerate(clauses):
            for place in {asked.place for asked in each.asked.values()}:
                self._by_place.setdefault(place, []).append(number)
        self._has_begun = False
        self.open: dict[str, Happening] = {}
        self.told: set[str] = set()
        self._steps_kept = _steps_kept(clauses)
        self._sweep_at = SWEEP_FROM

    def _numbers(self) -> Iterator[int]:
        while True:
            self.next_number += 1
            yield self.next_number

    def concerned(self, changes: Iterable[Change], due: Iterable[int]) -> list[int]:
        """Returns the clauses that have something to do in a step, in their order."""
        if not self._has_begun:
            self._has_begun = True
            return list(range(len(self.clauses)))
        found = {*self._always, *due}
        for place in {place for place, _ in changes}:
            found.update(self._by_place.get(place, ()))
        return sorted(found)

    def take_step(self) -> None:
        """Takes note that something happens now, if windows depend on it."""
        if self._steps_kept is None or self._steps_kept > 0:
            self.known.steps.append(self.known.now)

    def forget(self) -> None:
        """Forgets what cannot matter any more, if there is so much that it is worth to look."""
        if self.kept < self._sweep_at:
            return
        now = self.known.now
        for clause in self.clauses:
            clause.look()
        for place, some in self.store.by_label.items():
            for happening in list(some.values()):
                if not any(clause.needs(place, happening, now) for clause in self.clauses):
                    self.store.remove(place, happening)
        for clause in self.clauses:
            clause.forget(now)
        if self._steps_kept is not None:
            steps = self.known.steps
            del steps[: bisect_left(steps, now - self._steps_kept)]
        stored = {number for some in self.store.by_label.values() for number in some}
        stored.update(
            number for each in self.clauses for some in each.derived.store.by_label.values() for number in some
        )
        self.known.matched = {number: known for number, known in self.known.matched.items() if number in stored}
        self._sweep_at = max(SWEEP_FROM, SWEEP_GROWTH * self.kept)

    @property
    def kept(self) -> int:
        """The number of events and states that are kept."""
        local = sum(len(some) for clause in self.clauses for some in clause.derived.store.by_label.values())
        return local + sum(map(len, self.store.by_label.values())) + len(self.known.steps)

    @property
    def size(self) -> int:
        """The number of events, states and obligations that are kept."""
        kept = sum(map(len, self.store.by_label.values()))
        return kept + sum(len(each.obligations) + len(each.derived.known) for each in self.clauses)
