"""The event instance sequence of a type: what is available for its events, in the order of time.

A member is an instance with its place in this order: its time, and a number that grows with every arrival.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Iterator, Sequence

from cera.instances.instance import Instance

#: Time, number, instance; numbers differ, so that instances are never compared.
Member = tuple[int, int, Instance]

#: The members that an event binds to each component, by its place, in the order of time.
Solution = dict[int, tuple[Member, ...]]


#: So many are looked up one by one.
_FEW = 4


class Members:
    """The available instances by the names of their types."""

    __slots__ = ("by_type",)

    def __init__(self, types: Iterable[str]) -> None:
        self.by_type: dict[str, list[Member]] = {name: [] for name in types}

    def insert(self, member: Member) -> None:
        found = self.by_type[member[2].type]
        if not found or found[-1] < member:
            found.append(member)
        else:
            insort(found, member)

    def remove(self, name: str, gone: Collection[Member]) -> None:
        """Takes members of a type away, those of them that are there."""
        found = self.by_type[name]
        if len(gone) > _FEW:
            numbers = {number for _, number, _ in gone}
            self.by_type[name] = [member for member in found if member[1] not in numbers]
            return
        for member in gone:
            at = bisect_left(found, member)
            if at < len(found) and found[at][1] == member[1]:
                del found[at]

    def __contains__(self, member: Member) -> bool:
        found = self.by_type[member[2].type]
        at = bisect_left(found, member)
        return at < len(found) and found[at][1] == member[1]

    def clear(self) -> None:
        for found in self.by_type.values():
            found.clear()

    def copy(self) -> Members:
        made = Members(())
        made.by_type = {name: found.copy() for name, found in self.by_type.items()}
        return made

    def __bool__(self) -> bool:
        return any(self.by_type.values())

    def __len__(self) -> int:
        return sum(map(len, self.by_type.values()))

    def all(self) -> Iterator[Member]:
        for found in self.by_type.values():
            yield from found


def between(members: Sequence[Member], after: int | None, before: int | None) -> Sequence[Member]:
    """Returns the members with a time after one and before another."""
    first = 0 if after is None else bisect_left(members, (after + 1,))
    end = len(members) if before is None else bisect_left(members, (before,))
    return members if first == 0 and end == len(members) else members[first:end]
