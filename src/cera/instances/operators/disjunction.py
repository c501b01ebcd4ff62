"""∨: one of them occurs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cera.instances.operators.operator import Operator


class Disjunction(Operator):
    def parts(self, places: Sequence[int]) -> Iterator[tuple[int, ...]]:
        for place in places:
            yield (place,)
