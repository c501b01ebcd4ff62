"""exclusive: what is bound is gone, and all that occurred before the terminator and could have been bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from cera.instances.members import Member, between
from cera.model.interval import Time


def exclusive(
    available: Sequence[Member], bound: Sequence[Member], terminated: Time, allowed: Callable[[Member], bool]
) -> Iterable[int]:
    yield from (number for _, number, _ in bound)
    yield from (member[1] for member in between(available, None, terminated) if allowed(member))
