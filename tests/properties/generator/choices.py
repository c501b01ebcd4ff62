"""Where the generator gets its decisions from: a hypothesis draw, which can be shrunk, or a plain seed, which is fast.

The generator is written once, against `Choices`. Every decision is a small integer, and the smaller one is the simpler
one, so that hypothesis shrinks a failing case to something a person can read.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeVar

from hypothesis import strategies as st

from .features import PATTERNS

Item = TypeVar("Item")

_PATTERNS = frozenset(PATTERNS) - {"total unordered", "total ordered", "partial ordered"}
_CONDITIONS = frozenset({"literal where", "accumulation where", "body where"})

#: The kinds of constructs that a program does without, by weight.
_QUIET: tuple[tuple[int, tuple[frozenset[str], ...]], ...] = (
    (4, ()),
    (3, (_PATTERNS,)),
    (2, (_CONDITIONS,)),
    (3, (_PATTERNS, _CONDITIONS)),
)

#: How many constructs a program favours, and how likely a favoured one is where it can stand.
_FAVOURITES, _FAVOURED_PERCENT = 4, 60


class Choices(ABC):
    """A source of decisions, and the constructs that it may decide for.

    As in swarm testing, each program favours a few constructs, or the rare ones would hardly ever meet each other, and
    most programs do without some kinds of constructs, or whatever else they have would seldom come to an answer.
    """

    def __init__(self, features: frozenset[str]) -> None:
        self.features = features
        listed = sorted(features)
        self._favourites = {self.one_of(listed) for _ in range(_FAVOURITES)} if listed else set()
        self._quiet = frozenset[str]().union(*self.weighted(_QUIET)) - self._favourites
        # a timer that ticks every minute and an event that lasts a month take long together
        self._quiet |= {"calendar months"} if self.chance(70) else {"periodic", "absolute timer"}

    @abstractmethod
    def integer(self, low: int, high: int) -> int:
        """A number from low to high, both included."""

    def one_of(self, options: Sequence[Item]) -> Item:
        return options[self.integer(0, len(options) - 1)]

    def weighted(self, options: Sequence[tuple[int, Item]]) -> Item:
        """One of the options, each as often as its weight says."""
        at = self.integer(0, sum(weight for weight, _ in options) - 1)
        for weight, option in options:
            at -= weight
            if at < 0:
                return option
        raise AssertionError("the weights add up to the range")

    def chance(self, percent: int) -> bool:
        return self.integer(0, 99) >= 100 - percent

    def allows(self, feature: str) -> bool:
        return feature in self.features and feature not in self._quiet

    def may(self, feature: str, percent: int) -> bool:
        """Whether to use a construct here: never if it is switched off, more often if the program favours it."""
        if not self.allows(feature):
            return False
        return self.chance(max(percent, _FAVOURED_PERCENT) if feature in self._favourites else percent)

    def featured(self, options: Sequence[Item], feature: Callable[[Item], str]) -> Item | None:
        """One of the options whose construct is switched on, a favoured one rather than others; None: there is none."""
        allowed = [option for option in options if self.allows(feature(option))]
        favoured = [option for option in allowed if feature(option) in self._favourites]
        if favoured and self.chance(_FAVOURED_PERCENT):
            return self.one_of(favoured)
        return self.one_of(allowed) if allowed else None

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """The items in some order; shrinks to the order they came in."""
        rest, found = list(items), []
        while rest:
            found.append(rest.pop(self.integer(0, len(rest) - 1)))
        return found


class DrawnChoices(Choices):
    """Decisions that hypothesis draws."""

    def __init__(self, features: frozenset[str], draw: Callable[[st.SearchStrategy[int]], int]) -> None:
        self._draw = draw
        super().__init__(features)

    def integer(self, low: int, high: int) -> int:
        return low if low == high else self._draw(_integers(low, high))


class SeededChoices(Choices):
    """Decisions that follow from a seed."""

    def __init__(self, features: frozenset[str], seed: int) -> None:
        self._random = random.Random(seed)
        super().__init__(features)

    def integer(self, low: int, high: int) -> int:
        return self._random.randint(low, high)


@cache
def _integers(low: int, high: int) -> st.SearchStrategy[int]:
    return st.integers(low, high)
