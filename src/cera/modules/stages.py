"""The events of one time as stages, by the granularity of a module."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import assert_never

from cera.modules.arrivals import Arrival
from cera.modules.monitoring import Granularity
from cera.modules.tuples import EventTuple

#: The events of a stage by predicate, as facts.
Stage = dict[str, list[tuple[EventTuple]]]


def cut(arrivals: Sequence[Arrival], granularity: Granularity) -> list[Stage]:
    """Returns the stages of the events that end at one time, in their order.

    `operation`: a stage for each position. `transaction`: one for each transaction, in the order of their first
    positions. Events without a position, or without a transaction, share a stage, which is the last: what is derived
    from changes of this time is among them. `time`: a single stage.
    """
    return [_stage(arrivals)] if len(arrivals) == 1 else [_stage(group) for group in grouped(arrivals, granularity)]


def grouped(arrivals: Sequence[Arrival], granularity: Granularity) -> list[Sequence[Arrival]]:
    """Returns the stages as the events themselves."""
    match granularity:
        case "time":
            return [arrivals] if arrivals else []
        case "operation":
            return _in_order(arrivals, lambda one: one.position)
        case "transaction":
            return _in_order(arrivals, lambda one: one.transaction)
        case other:
            assert_never(other)


def _in_order(arrivals: Iterable[Arrival], group_of: Callable[[Arrival], object]) -> list[Sequence[Arrival]]:
    groups: dict[object, list[Arrival]] = {}
    for one in arrivals:
        groups.setdefault(group_of(one), []).append(one)
    last = groups.pop(None, None)
    ordered = [group for _, group in sorted(groups.items(), key=_place)]
    return [*ordered, *([last] if last else [])]


def _place(item: tuple[object, list[Arrival]]) -> tuple[bool, float, str]:
    """Returns the sort key of a group: its first position; groups without one come after those, in the order of their
    names.
    """
    name, group = item
    positions = [one.position for one in group if one.position is not None]
    return (not positions, min(positions, default=0), str(name))


def _stage(arrivals: Iterable[Arrival]) -> Stage:
    stage: Stage = {}
    for one in arrivals:
        for predicate, each in one.tuples:
            stage.setdefault(predicate, []).append((each,))
    return stage
