"""Places for the children of a pattern: each on a data child of its own, in order if the pattern is ordered.

`options[i]` are the positions that child i can take, ascending. An arrangement gives each child one of its options.
Unordered, this is bipartite matching by augmenting paths, so children that can take many places cost next to nothing;
ordered, the leftmost choice is as good as any.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

Places = Sequence[int]

_UNPLACED = -1


def arrange(options: Sequence[Places], *, ordered: bool) -> list[int] | None:
    """Returns an arrangement of all children, or None if there is none."""
    if ordered:
        return _leftmost(options)
    arrangement = [_UNPLACED] * len(options)
    holders: dict[int, int] = {}
    for child in range(len(options)):
        if not _place(child, options, arrangement, holders):
            return None
    return arrangement


def rearrange(options: Sequence[Places], arrangement: list[int], child: int, *, ordered: bool) -> list[int] | None:
    """Returns an arrangement after the options of one child have changed, or None; the given one stays as it is."""
    place = arrangement[child]
    index = bisect_left(options[child], place)
    if index < len(options[child]) and options[child][index] == place:
        return arrangement
    if ordered:
        return _leftmost(options)
    changed = list(arrangement)
    held = set(arrangement)
    for free in options[child]:
        if free not in held:
            changed[child] = free
            return changed
    holders = {place: other for other, place in enumerate(changed) if other != child}
    return changed if _place(child, options, changed, holders) else None


def _leftmost(options: Sequence[Places]) -> list[int] | None:
    arrangement: list[int] = []
    last = _UNPLACED
    for places in options:
        index = bisect_right(places, last)
        if index == len(places):
            return None
        last = places[index]
        arrangement.append(last)
    return arrangement


def _place(child: int, options: Sequence[Places], arrangement: list[int], holders: dict[int, int]) -> bool:
    """Gives the child a place, if need be moving others along an augmenting path; returns whether that is possible."""
    for place in options[child]:
        if place not in holders:
            arrangement[child] = place
            holders[place] = child
            return True
    wanted_by: dict[int, int] = {}
    searching = [child]
    for current in searching:
        for place in options[current]:
            if place in wanted_by:
                continue
            wanted_by[place] = current
            if place not in holders:
                _move_along(place, child, wanted_by, arrangement, holders)
                return True
            searching.append(holders[place])
    return False


def _move_along(
    free: int, child: int, wanted_by: dict[int, int], arrangement: list[int], holders: dict[int, int]
) -> None:
    place = free
    while True:
        taker = wanted_by[place]
        left = arrangement[taker]
        arrangement[taker] = place
        holders[place] = taker
        if taker == child:
            return
        place = left
