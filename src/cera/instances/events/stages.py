"""The events of one time as stages of instances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cera.instances.instance import Instance, primitive
from cera.modules.arrivals import Arrival
from cera.modules.monitoring import Granularity
from cera.modules.stages import grouped


@dataclass(frozen=True, slots=True)
class Stage:
    """Primitive instances by type, in the order of their arrival, and how many events they are."""

    instances: dict[str, list[Instance]]
    events: int
    #: Whether the events have a position, which gives their order.
    placed: bool


def stages(arrivals: Sequence[Arrival], granularity: Granularity) -> list[Stage]:
    """Returns the stages, divided as for every module. Events of one stage have no order; they are sorted by id."""
    if not arrivals:
        return []
    if len(arrivals) == 1:
        return [_stage(arrivals, granularity)]
    return [_stage(group, granularity) for group in grouped(arrivals, granularity)]


def _stage(arrivals: Sequence[Arrival], granularity: Granularity) -> Stage:
    found: dict[str, list[Instance]] = {}
    for arrival in arrivals if len(arrivals) == 1 else sorted(arrivals, key=_id):
        for name, tuple_ in arrival.tuples:
            found.setdefault(name, []).append(primitive(name, tuple_))
    first = arrivals[0]
    placed = {"operation": first.position is not None, "transaction": first.transaction is not None}
    return Stage(found, len(arrivals), placed.get(granularity, False))


def _id(arrival: Arrival) -> str:
    _, tuple_ = arrival.tuples[0]
    return str(tuple_.event.event.id)
