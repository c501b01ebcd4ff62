"""last: the youngest instances, as few as are needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from cera.instances.members import Member
from cera.instances.selections.selection import Fixed


class Last(Fixed):
    backwards = True

    def sets(self, candidates: Sequence[Member], least: int) -> Iterator[tuple[Member, ...]]:
        if least == 1:
            return ((one,) for one in reversed(candidates))
        return (each[::-1] for each in combinations(reversed(candidates), least))

    def preference(self, chosen: Sequence[Member]) -> Any:
        return tuple((-time, -number) for time, number, _ in reversed(chosen))
