"""first: the oldest instances, as few as are needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cera.instances.members import Member
from cera.instances.selections.selection import Fixed, oldest_first, ranks


class First(Fixed):
    def sets(self, candidates: Sequence[Member], least: int) -> Iterator[tuple[Member, ...]]:
        return oldest_first(candidates, least)

    def preference(self, chosen: Sequence[Member]) -> Any:
        return ranks(chosen)
