"""Labels that are nearly the same, found without comparing every one with every other.

Two names that differ in their numbers only (`temp1`, `temp2`) are meant to differ and are not near.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher
from itertools import pairwise

#: How alike two labels must be to be taken for one and the same (`SequenceMatcher.ratio`).
NEAR = 0.8


class NearLabels:
    """An index of labels by their pairs of adjacent letters."""

    def __init__(self, labels: Iterable[str]) -> None:
        self._by_letters: dict[str, str] = {}
        for label in sorted(labels):
            self._by_letters.setdefault(_letters(label), label)
        self._by_pair: dict[tuple[str, str], list[str]] = {}
        for letters in self._by_letters:
            for pair in set(pairwise(letters)):
                self._by_pair.setdefault(pair, []).append(letters)

    def near(self, label: str) -> list[str]:
        """The labels that are near to this one, the nearest first."""
        letters = _letters(label)
        if letters in self._by_letters:
            return []
        shared = Counter(other for pair in set(pairwise(letters)) for other in self._by_pair.get(pair, ()))
        found = [
            (-ratio, other)
            for other, pairs in shared.items()
            if pairs >= _least_shared_pairs(letters, other)
            and (ratio := SequenceMatcher(None, letters, other).ratio()) >= NEAR
        ]
        return [self._by_letters[other] for _, other in sorted(found)]


def _letters(label: str) -> str:
    return re.sub(r"\d+", "", label)


def _least_shared_pairs(one: str, other: str) -> float:
    """A lower bound for near labels: m matching letters in k blocks share m - k pairs, and k - 1 letters lie between.

    A ratio of 0.8 has m >= 0.4 (a + b), so at most m / 2 letters do not match. Pairs that occur twice in a label are
    counted once, hence the half.
    """
    matching = NEAR / 2 * (len(one) + len(other))
    return (matching / 2 - 1) / 2
