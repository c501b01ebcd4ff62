"""What a plan shows of the language it came from: queries, heads and timers are written as it writes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cera.algebra.condition_text import condition_text
from cera.model.expressions.constructs import Construct
from cera.model.expressions.expression import Expression as Condition
from cera.model.expressions.expression import TimerQuery
from cera.model.matching.patterns import Pattern


@dataclass(frozen=True)
class Notation:
    """How queries, heads and absolute timers are written on one line."""

    pattern: Callable[[Pattern], str]
    construct: Callable[[Construct], str]
    timer: Callable[[TimerQuery], str]

    def condition(self, condition: Condition) -> str:
        return condition_text(condition, self.timer)
