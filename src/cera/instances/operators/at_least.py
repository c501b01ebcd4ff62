"""m of n: so many of them occur, in any order; Snoop's ANY."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from cera.instances.operators.operator import Operator


class AtLeast(Operator):
    def parts(self, places: Sequence[int]) -> Iterator[tuple[int, ...]]:
        return combinations(places, self.type.required or len(places))
