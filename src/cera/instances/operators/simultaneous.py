"""==: they occur at the same time."""

from __future__ import annotations

from cera.instances.members import Solution
from cera.instances.operators.operator import EVERYWHERE, Operator, Window


class Simultaneous(Operator):
    def window(self, place: int, bound: Solution) -> Window:
        for other, members in bound.items():
            if members and other != place:
                time = members[0][0]
                return time - 1, time + 1
        return EVERYWHERE
