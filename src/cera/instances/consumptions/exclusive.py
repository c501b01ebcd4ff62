"""exclusive: what is bound is gone, and all that occurred before the terminator and could have been bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from cera.instances.members import Member, between


def exclusive(
    available: Sequence[Member], bound: Sequence[Member], terminated: int, allowed: Callable[[Member], bool]
) -> Iterable[Member]:
    yield from bound
    yield from filter(allowed, between(available, None, terminated))
