"""Which times lie in others, and which are judged when others are: sound, and not complete.

An event that lies in a time lies in every time around it, unless it is one that the outer time is relative to. So
counts in the inner time are at most those in the outer one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from cera.constraints.consequences.time_bounds import Kinds, begin, bounds_of, end, expression_of, kinds_of, present
from cera.constraints.names import declared_identifier
from cera.constraints.queries import Combination, HullLiteral, Literal, Part, TimerLiteral, ValidityTime, WindowLiteral
from cera.constraints.times import is_moving
from cera.model.expressions.atoms import Sliding
from cera.model.expressions.expression import Comparison, EventReference, Temporal
from cera.rules.reasoning.difference_bounds import DifferenceBounds
from cera.rules.reasoning.time_constraints import TimeNetwork, conjunction
from cera.rules.reasoning.time_points import TimePoint


class Placement:
    """How the times that parts declare lie to one another, where all of the parts hold."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts

    @cached_property
    def _kinds(self) -> Kinds:
        return kinds_of(self._parts)

    @cached_property
    def _declared(self) -> dict[str, Part]:
        return {each.identifier: part for part in self._parts if (each := declared_identifier(part)) is not None}

    @cached_property
    def _network(self) -> TimeNetwork | None:
        """The bounds of all times; None if they contradict each other, of which others take care."""
        conditions = (each for each in self._parts if isinstance(each, Comparison | Temporal))
        known = (bound for each in conditions for bound in conjunction(expression_of(each, self._kinds)))
        found: TimeNetwork = DifferenceBounds((*bounds_of(self._parts, self._kinds), *known))
        return found if found.contradiction is None else None

    def _at_most(self, left: TimePoint, right: TimePoint, bound: int = 0) -> bool:
        if self._network is None:
            return False
        least = self._network.least(left, right)
        return least is not None and least <= bound

    # What lies in what

    def covers(self, outer: ValidityTime | None, inner: ValidityTime | None) -> bool:
        """Returns whether every event that lies in the inner time lies in the outer one."""
        if outer is None or outer == inner:
            return True
        match outer, inner:
            case Combination(operator="intersection"), _:
                return all(self.covers(each, inner) for each in outer.identifiers)
            case _, Combination(operator="intersection"):
                return any(self.covers(outer, each) for each in inner.identifiers)
            case EventReference(), EventReference():
                return self._contains(outer.identifier, inner.identifier)
            case _:
                return False

    def _contains(self, outer: str, inner: str) -> bool:
        kinds = self._kinds.get(outer), self._kinds.get(inner)
        if kinds[0] == "always":
            return True
        if None in kinds or kinds[1] == "always" or (kinds[0] == "state" and kinds[1] != "state"):
            return False  # what begins with a state is not in it
        if not set(self._owners(outer)) <= set(self._owners(inner)):
            return False
        return self._is_inside(inner, outer)

    def _is_inside(self, inner: str, outer: str) -> bool:
        return self._at_most(begin(outer), begin(inner)) and self._at_most(end(inner), end(outer))

    def _owners(self, name: str) -> Iterator[str]:
        """Yields the events and states that a time is, or is relative to."""
        match self._declared.get(name):
            case Literal():
                yield name
            case TimerLiteral(anchor=EventReference() as anchor):
                yield from self._owners(anchor.identifier)
            case HullLiteral(combination=combination):
                for each in combination.identifiers:
                    yield from self._owners(each.identifier)
            case _:
                return

    def in_a_row(self, times: Sequence[ValidityTime | None]) -> list[ValidityTime]:
        """Returns times of which each begins after the one before has ended, in the order in which they are given."""
        found: list[ValidityTime] = []
        for each in dict.fromkeys(times):
            if isinstance(each, EventReference) and all(self._is_behind(each, other) for other in found):
                found.append(each)
        return found

    def _is_behind(self, time: EventReference, other: ValidityTime) -> bool:
        return isinstance(other, EventReference) and self._at_most(end(other.identifier), begin(time.identifier), -1)

    # What is judged with what

    def is_judged(self, time: ValidityTime, other: ValidityTime) -> bool:
        """Returns whether a count from below is judged in a time wherever one is in another time around it.

        It has to lie in the recording, of which may be known only later that it began earlier.
        """
        if time == other:
            return True
        if not isinstance(time, EventReference) or not isinstance(other, EventReference):
            return False
        inner, outer = time.identifier, other.identifier
        if not self._is_inside(inner, outer):
            return False
        mine, around = self._declared.get(inner), self._declared.get(outer)
        if isinstance(mine, WindowLiteral):
            return isinstance(around, WindowLiteral) and self._are_over_at_once(inner, mine, outer, around)
        owners = list(self._owners(inner))
        if any(self._at_most(begin(each), begin(inner)) for each in owners):
            return True  # what it is relative to has begun before, and is known then
        same = len(owners) == 1 and owners == list(self._owners(outer)) and self._kinds.get(owners[0]) == "event"
        return same and all(self._at_most(end(each), end(owners[0])) for each in (inner, outer))

    def _are_over_at_once(self, inner: str, mine: WindowLiteral, outer: str, around: WindowLiteral) -> bool:
        """Returns whether two windows of the clock are judged at the same time."""
        if isinstance(mine.window, Sliding) and isinstance(around.window, Sliding):
            return self._at_most(end(outer), end(inner))
        if not is_moving(mine.window) or not is_moving(around.window):
            return False
        one, other = present(inner), present(outer)
        at_once = self._at_most(one, other) and self._at_most(other, one)
        return at_once and self._at_most(end(inner), one) and self._at_most(end(outer), one)
