"""Ranks of the derivations of recursive rules: the first one of an event leads back to what the recursion began with.

In a recursion an event can be derived from what was derived from it. That can only be among events with one interval:
the interval of an event is the hull of the intervals behind it. So there is, for a set of rules that depend on each
other,

    rank(d)   = 1 + the greatest height of those causes of d that have the same interval as its event
    height(e) = the least rank of the derivations of e; 0 if e was given, or a rule outside of the recursion derives it

and rank(d) = 0 for the derivations by all other rules. A derivation of least rank has only causes of lower height, or
with a smaller interval. What these are does not depend on how a stream is divided, in time or by key.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence


def ranks(derivations: Sequence[tuple[Hashable, Collection[Hashable]]]) -> list[int]:
    """Returns the rank of each derivation, which is its event and those of its causes whose heights count.

    Each of these causes is the event of a derivation of the list, and none is among its own causes in all ways.
    """
    found = [0] * len(derivations)
    missing = [len(causes) for _, causes in derivations]
    users: dict[Hashable, list[int]] = {}
    for number, (_, causes) in enumerate(derivations):
        for cause in causes:
            users.setdefault(cause, []).append(number)
    reached: set[Hashable] = set()
    level = [number for number, count in enumerate(missing) if not count]
    rank = 0
    while level:
        rank += 1
        new: dict[Hashable, None] = {}
        for number in level:
            found[number] = rank
            event = derivations[number][0]
            if event not in reached:
                new[event] = None
        reached.update(new)
        level = []
        for event in new:
            for number in users.get(event, ()):
                missing[number] -= 1
                if not missing[number]:
                    level.append(number)
    return found
