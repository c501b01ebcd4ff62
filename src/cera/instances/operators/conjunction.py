"""∧: all occur, in any order."""

from __future__ import annotations

from cera.instances.operators.operator import Operator


class Conjunction(Operator):
    pass
