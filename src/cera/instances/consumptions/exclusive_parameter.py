"""exclusive parameter: what is bound is gone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from cera.instances.members import Member


def exclusive_parameter(
    available: Sequence[Member], bound: Sequence[Member], terminated: int, allowed: Callable[[Member], bool]
) -> Iterable[Member]:
    return bound
