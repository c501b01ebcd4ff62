"""combinations: every set that is large enough, one after the other, small ones first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cera.instances.members import Member
from cera.instances.selections.selection import Fixed, oldest_first, ranks


class Combinations(Fixed):
    single = False

    def sets(self, candidates: Sequence[Member], least: int) -> Iterator[tuple[Member, ...]]:
        for size in range(least, len(candidates) + 1):
            yield from oldest_first(candidates, size)

    def preference(self, chosen: Sequence[Member]) -> Any:
        return len(chosen), ranks(chosen)
