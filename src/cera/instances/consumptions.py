"""Consumption modes by name: which instances of a component's type are gone after an event."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from cera.instances.members import Member, between
from cera.instances.types import ConsumptionName

#: Returns the consumed ones of the available members of a type, given those that an event binds, the time of its
#: terminator, and a test of its conditions.
Consumption = Callable[[Sequence[Member], Sequence[Member], int, Callable[[Member], bool]], Iterable[Member]]


def shared(
    available: Sequence[Member], bound: Sequence[Member], terminated: int, allowed: Callable[[Member], bool]
) -> Iterable[Member]:
    """Consumes nothing."""
    return ()


def exclusive_parameter(
    available: Sequence[Member], bound: Sequence[Member], terminated: int, allowed: Callable[[Member], bool]
) -> Iterable[Member]:
    """Consumes the bound members."""
    return bound


def exclusive(
    available: Sequence[Member], bound: Sequence[Member], terminated: int, allowed: Callable[[Member], bool]
) -> Iterable[Member]:
    """Consumes the bound members, and all that occurred before the terminator and could have been bound."""
    yield from bound
    yield from filter(allowed, between(available, None, terminated))


CONSUMPTIONS: Mapping[ConsumptionName, Consumption] = MappingProxyType(
    {"shared": shared, "exclusive parameter": exclusive_parameter, "exclusive": exclusive}
)
