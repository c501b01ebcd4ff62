"""What a selection strategy is: one that chooses sets, or one that takes all there are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

from cera.instances.members import Member


class Fixed(ABC):
    """Chooses sets out of candidates, which are in the order of time."""

    #: Whether single members are taken from the youngest to the oldest, or the other way round.
    backwards = False
    #: Whether a single instance is enough where one is needed.
    single = True

    @abstractmethod
    def sets(self, candidates: Sequence[Member], least: int) -> Iterator[tuple[Member, ...]]:
        """The sets that may be bound, the preferred one first; each in the order of time."""

    @abstractmethod
    def preference(self, chosen: Sequence[Member]) -> Any:
        """What is least for the preferred set."""


class Gathering:
    """Takes all instances; with `anywhere` also those that are out of place in time."""

    def __init__(self, *, anywhere: bool) -> None:
        self.anywhere = anywhere


Selection = Fixed | Gathering


def holding(sets: Iterable[tuple[Member, ...]], wanted: Member) -> Iterator[tuple[Member, ...]]:
    """The sets that a member belongs to."""
    return (each for each in sets if wanted in each)


def oldest_first(candidates: Sequence[Member], size: int) -> Iterator[tuple[Member, ...]]:
    """All sets of a size, those with older members before those with younger ones."""
    if size == 1:
        return ((one,) for one in candidates)
    return combinations(candidates, size)


def ranks(chosen: Sequence[Member]) -> tuple[tuple[int, int], ...]:
    return tuple((time, number) for time, number, _ in chosen)
