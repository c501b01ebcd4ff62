"""What a clause does not need any more: times that have passed, states that are over, values with which nothing goes
on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cera.constraints.goals import ClauseGoals, Goal
from cera.constraints.memory import Asked, Place, View
from cera.constraints.obligations import Obligation
from cera.constraints.quiescence import Quiescence, quiescent_key
from cera.constraints.retention import Retention, retentions
from cera.constraints.stream import Happening
from cera.model.terms.term import Value
from cera.model.time.interval import Time


class Forgetting:
    """How long what the literals of a clause find is kept. Events last for `longest` at most, if that is known."""

    def __init__(self, goals: ClauseGoals, view: View, longest: Time | None) -> None:
        self._view = view
        #: The literals by where they are looked up, with how long what they find is kept.
        self._kept_by: dict[Place, list[tuple[Asked, Sequence[Retention], Goal]]] = {}
        for goal in goals.goals:
            for literal, several in retentions(goal, longest).items():
                asked = goals.asked[literal]
                if asked.literal.kind != "relation":
                    self._kept_by.setdefault(asked.place, []).append((asked, several, goal))
        key = quiescent_key(goals)
        states = [each for each in goals.asked.values() if each.literal.kind == "state"]
        self._quiescence = None if key is None else Quiescence(key, states)

    def look(self, obligations: Iterable[Obligation]) -> None:
        """Takes note of what goes on, before it is asked what is needed."""
        if self._quiescence is not None:
            self._quiescence.look(self._view, obligations)

    def needs(self, place: Place, happening: Happening, now: Time) -> bool:
        """Returns whether something can still matter."""
        if happening.is_open:
            return True
        last = max(happening.end, happening.since)
        for asked, several, goal in self._kept_by.get(place, ()):
            values = None
            for retention in several:
                if retention.duration is not None and retention.state is None and last + retention.duration < now:
                    continue
                values = self._going_on(asked, happening) if values is None else values
                if values and (retention.state is None or self._has_state(goal, retention, values, last, now)):
                    return True
        return False

    def _going_on(self, asked: Asked, happening: Happening) -> Sequence[Mapping[str, Value]]:
        """Returns the ways in which a literal matches, with values of which something goes on."""
        found = self._view.known.matches(asked, happening)
        return found if self._quiescence is None else [each for each in found if self._quiescence.needs(each)]

    def _has_state(
        self, goal: Goal, retention: Retention, values: Sequence[Mapping[str, Value]], last: Time, now: Time
    ) -> bool:
        assert retention.state is not None
        assert retention.duration is not None
        if now <= last + retention.before:
            return True
        asked = self._view.asked(goal.literal(retention.state))
        for each in values:
            for state in self._view.find(asked, each):
                ends = state.is_open or state.end + retention.duration >= now
                if ends and state.begin <= last + retention.before:
                    return True
        return False
