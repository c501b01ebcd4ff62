"""The modes of components by name: selections and consumptions.

A selection says which of the instances that could be bound to a component are; it either chooses sets, or takes all
that there are. A consumption says which instances of the component's type are gone after an event.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import Any

from cera.instances.members import Member, between
from cera.instances.types import ConsumptionName, SelectionName


class FixedSelection(ABC):
    """A selection that chooses sets out of candidates, which are in the order of time."""

    #: True if single members are taken from the youngest to the oldest, False the other way round.
    backwards = False
    #: True if a single instance is enough where one is needed.
    single = True

    @abstractmethod
    def sets(self, candidates: Sequence[Member], least: int) -> Iterator[tuple[Member, ...]]:
        """Returns the sets that may be bound, the preferred one first; each in the order of time."""

    @abstractmethod
    def preference(self, chosen: Sequence[Member]) -> Any:
        """Returns a sort key that is least for the preferred set."""


class GatheringSelection:
    """A selection that takes all instances; with `anywhere` also those that are out of place in time."""

    def __init__(self, *, anywhere: bool) -> None:
        self.anywhere = anywhere


Selection = FixedSelection | GatheringSelection


def holding(sets: Iterable[tuple[Member, ...]], wanted: Member) -> Iterator[tuple[Member, ...]]:
    """Returns the sets that a member belongs to."""
    return (each for each in sets if wanted in each)


def oldest_first(candidates: Sequence[Member], size: int) -> Iterator[tuple[Member, ...]]:
    """Returns all sets of a size, those with older members before those with younger ones."""
    if size == 1:
        return ((one,) for one in candidates)
    return combinations(candidates, size)


def ranks(chosen: Sequence[Member]) -> tuple[tuple[int, int], ...]:
    return tuple((time, number) for time, number, _ in chosen)


class First(FixedSelection):
    """first: the oldest instances, as few as are needed."""

    def sets(self, candidates: Sequence[Member], least: int) -> Iterator[tuple[Member, ...]]:
        return oldest_first(candidates, least)

    def preference(self, chosen: Sequence[Member]) -> Any:
        return ranks(chosen)


class Last(FixedSelection):
    """last: the youngest instances, as few as are needed."""

    backwards = True

    def sets(self, candidates: Sequence[Member], least: int) -> Iterator[tuple[Member, ...]]:
        if least == 1:
            return ((one,) for one in reversed(candidates))
        return (each[::-1] for each in combinations(reversed(candidates), least))

    def preference(self, chosen: Sequence[Member]) -> Any:
        return tuple((-time, -number) for time, number, _ in reversed(chosen))


class Cumulative(GatheringSelection):
    """cumulative: all instances that there are."""

    def __init__(self) -> None:
        super().__init__(anywhere=True)


class RestrictedCumulative(GatheringSelection):
    """restricted cumulative: all instances that the event condition allows."""

    def __init__(self) -> None:
        super().__init__(anywhere=False)


class Combinations(FixedSelection):
    """combinations: every set that is large enough, one after the other, small ones first."""

    single = False

    def sets(self, candidates: Sequence[Member], least: int) -> Iterator[tuple[Member, ...]]:
        for size in range(least, len(candidates) + 1):
            yield from oldest_first(candidates, size)

    def preference(self, chosen: Sequence[Member]) -> Any:
        return len(chosen), ranks(chosen)


class CombinationsMinimum(First):
    """combinations minimum: every set of as few instances as are needed, one after the other."""


SELECTIONS: Mapping[SelectionName, Selection] = MappingProxyType(
    {
        "first": First(),
        "last": Last(),
        "cumulative": Cumulative(),
        "restricted cumulative": RestrictedCumulative(),
        "combinations": Combinations(),
        "combinations minimum": CombinationsMinimum(),
    }
)


#: Returns the consumed ones of the available members of a type, given those that an event binds, the time of its
#: terminator, and a test of its conditions.
Consumption = Callable[[Sequence[Member], Sequence[Member], int, Callable[[Member], bool]], Iterable[Member]]


def shared(
    available: Sequence[Member], bound: Sequence[Member], terminated: int, allowed: Callable[[Member], bool]
) -> Iterable[Member]:
    """Consumes nothing."""
    return ()


def exclusive_parameter(
    available: Sequence[Member], bound: Sequence[Member], terminated: int, allowed: Callable[[Member], bool]
) -> Iterable[Member]:
    """Consumes the bound members."""
    return bound


def exclusive(
    available: Sequence[Member], bound: Sequence[Member], terminated: int, allowed: Callable[[Member], bool]
) -> Iterable[Member]:
    """Consumes the bound members, and all that occurred before the terminator and could have been bound."""
    yield from bound
    yield from filter(allowed, between(available, None, terminated))


CONSUMPTIONS: Mapping[ConsumptionName, Consumption] = MappingProxyType(
    {"shared": shared, "exclusive parameter": exclusive_parameter, "exclusive": exclusive}
)
