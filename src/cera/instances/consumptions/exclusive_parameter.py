"""exclusive parameter: what is bound is gone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from cera.instances.members import Member
from cera.model.interval import Time


def exclusive_parameter(
    available: Sequence[Member], bound: Sequence[Member], terminated: Time, allowed: Callable[[Member], bool]
) -> Iterable[Member]:
    return bound
