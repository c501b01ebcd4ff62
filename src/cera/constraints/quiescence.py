"""Times at which nothing of a clause goes on: what was before can meet nothing that comes after.

Where all literals of a clause lie in states of it, directly or in one another, the times of what a substitution finds
are one stretch without gaps, in which always one of these states is open. So when none with some values is open, and no
obligation has them, nothing with these values can take part in a later substitution.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cera.constraints.definitions import literals_of
from cera.constraints.goals import ClauseGoals
from cera.constraints.groups import binds
from cera.constraints.memory import Asked, View
from cera.constraints.names import atom_variables, declared_identifier, time_identifiers
from cera.constraints.obligations import Obligation
from cera.constraints.queries import GapContent, HullLiteral, Literal, Membership, TimerLiteral, WindowLiteral
from cera.model.terms.term import Value, value_key

_Key = tuple[object, ...]


def quiescent_key(goals: ClauseGoals) -> tuple[str, ...] | None:
    """Returns the variables that all literals of a clause have in common, if all of them lie in its states; else
    None."""
    goal = goals.goal
    parts = [*goal.seed, *goal.rest.parts, *(part for head in goal.heads for part in head.parts)]
    if goals.definitions or any(isinstance(each, _OTHER_TIMES) for each in parts):
        return None
    literals = [each for part in parts for each in literals_of(part) if each.kind != "relation"]
    timed = [each for each in parts if isinstance(each, Literal) and each.kind != "relation"]
    states = {
        name.identifier for each in timed if each.kind == "state" and (name := declared_identifier(each)) is not None
    }
    roots = [each for each in timed if not time_identifiers(each.time)]
    inside = [name.identifier for each in timed for name in time_identifiers(each.time)]
    if len(roots) != 1 or roots[0].kind != "state" or not states.issuperset(inside):
        return None
    if any(each.time is not None for part in parts if isinstance(part, GapContent) for each in literals_of(part)):
        return None
    known = frozenset[str]().union(*map(binds, goal.seed))
    return tuple(sorted(known.intersection(*(atom_variables(each.atom) for each in literals))))


_OTHER_TIMES = (TimerLiteral, WindowLiteral, HullLiteral, Membership)


class Quiescence:
    """The values of a clause with which something goes on."""

    def __init__(self, key: tuple[str, ...], states: Sequence[Asked]) -> None:
        self._key = key
        self._states = states
        self._live: set[_Key] = set()

    def look(self, view: View, obligations: Iterable[Obligation]) -> None:
        """Takes note of the values with which a state is open, or something is undecided."""
        self._live = {self._values(each.values) for each in obligations}
        for asked in self._states:
            for happening in view.find(asked, {}):
                if happening.is_open:
                    self._live.update(map(self._values, view.known.matches(asked, happening)))

    def needs(self, values: Mapping[str, Value]) -> bool:
        """Returns whether something with some values can still matter."""
        return self._values(values) in self._live

    def _values(self, values: Mapping[str, Value]) -> _Key:
        return tuple([value_key(values[name]) for name in self._key])
