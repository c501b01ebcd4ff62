"""==: they occur at the same time."""

from __future__ import annotations

from cera.instances.operators.operator import Operator, Window
from cera.model.interval import Time


class Simultaneous(Operator):
    def moment(self, terminated: Time) -> Window:
        return terminated - 1, terminated + 1
