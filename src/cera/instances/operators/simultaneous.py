"""==: they occur at the same time."""

from __future__ import annotations

from cera.instances.operators.operator import Operator, Window


class Simultaneous(Operator):
    def moment(self, terminated: int) -> Window:
        return terminated - 1, terminated + 1
