"""shared: nothing is gone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from cera.instances.members import Member


def shared(
    available: Sequence[Member], bound: Sequence[Member], terminated: int, allowed: Callable[[Member], bool]
) -> Iterable[Member]:
    return ()
