"""Reach: where in time the stored tuples lie that a new tuple of the other side of a join can meet.

How long a tuple is kept follows from all tuples that may come. Once one has come, its begin and its end are known, and
the same network of difference bounds says more: tuples that meet an event that lasts an hour end where that event
begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from cera.rules.reasoning.time_constraints import TimeNetwork
from cera.rules.reasoning.time_points import TimePoint


@dataclass(frozen=True)
class Limit:
    """A point of the new tuple, moved by a number of microseconds."""

    point: TimePoint
    offset: int


@dataclass(frozen=True)
class Reach:
    """The limits between which a stored tuple ends: no earlier than all of `first`, and no later than all of `last`.

    Limits that no tuple of a store with the given horizon can break, or that follow from others, are left out.
    """

    first: tuple[Limit, ...] = ()
    last: tuple[Limit, ...] = ()


def reach(network: TimeNetwork, stored: Sequence[str], arriving: Iterable[str], horizon: int | None) -> Reach:
    """Returns the reach of a tuple of the arriving events into a relation of the stored ones, kept for `horizon`."""
    if network.contradiction is not None:
        return Reach()
    first: list[Limit] = []
    last: list[Limit] = []
    for name in arriving:
        begin, end = TimePoint(name, "begin"), TimePoint(name, "end")
        from_begin, from_end = _back(network, begin, stored), _back(network, end, stored)
        if from_begin is not None and from_begin != from_end and (horizon is None or from_begin < horizon):
            first.append(Limit(begin, -from_begin))
        if from_end is not None and (horizon is None or from_end < horizon):
            first.append(Limit(end, -from_end))
        longest = _difference(network, end, begin)
        from_begin, from_end = _ahead(network, begin, stored), _ahead(network, end, stored)
        if from_begin is not None and (longest is None or from_begin < longest - 1):  # not for a microsecond only
            last.append(Limit(begin, from_begin))
        if from_end is not None and from_end != from_begin and from_end < -1:
            last.append(Limit(end, from_end))
    return Reach(tuple(first), tuple(last))


def _back(network: TimeNetwork, point: TimePoint, stored: Iterable[str]) -> int | None:
    """Returns the least c such that a stored tuple, with its last event, ends no earlier than point - c, if any."""
    known = [back for name in stored if (back := _difference(network, point, TimePoint(name, "end"))) is not None]
    return min(known, default=None)


def _ahead(network: TimeNetwork, point: TimePoint, stored: Sequence[str]) -> int | None:
    """Returns the least c such that a stored tuple ends no later than point + c, if any."""
    known = [ahead for name in stored if (ahead := _difference(network, TimePoint(name, "end"), point)) is not None]
    return max(known) if len(known) == len(stored) else None


def _difference(network: TimeNetwork, later: TimePoint, earlier: TimePoint) -> int | None:
    bound = network.bound(later, earlier)
    return None if bound is None else ceil(bound.value)
