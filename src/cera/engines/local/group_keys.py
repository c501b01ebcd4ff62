"""Keys of groups: the values of some variables, of a key that has more of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any


def part_of_key(names: Sequence[str], by: Sequence[str]) -> Callable[[Any], Any] | None:
    """Returns how the key of some variables follows from that of others, as `key_of` writes keys; None if it is it.

    Both are in the order of their names.
    """
    if tuple(by) == tuple(names):
        return None
    if not by:
        return lambda key: None
    if len(names) == 1:
        raise AssertionError(f"{by} are not among {names}")
    return itemgetter(*map(list(names).index, by))
