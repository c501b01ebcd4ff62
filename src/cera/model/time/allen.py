"""Allen's thirteen relations between intervals.

The definitions are Allen's (1983), also for `overlaps`, which both seeds print the other way round (ERR-21).
On points they are not mutually exclusive: [0,0] equals, meets and is met by [0,0] (ERR-22). Nothing here relies
on their being so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from cera.model.time.interval import Interval

Relation = Callable[[Interval, Interval], bool]


def before(i: Interval, j: Interval) -> bool:
    return i.end < j.begin


def meets(i: Interval, j: Interval) -> bool:
    return i.end == j.begin


def overlaps(i: Interval, j: Interval) -> bool:
    return i.begin < j.begin < i.end < j.end  # ERR-21


def starts(i: Interval, j: Interval) -> bool:
    return i.begin == j.begin and i.end < j.end


def during(i: Interval, j: Interval) -> bool:
    return j.begin < i.begin and i.end < j.end


def finishes(i: Interval, j: Interval) -> bool:
    return j.begin < i.begin and i.end == j.end


def equals(i: Interval, j: Interval) -> bool:
    return i == j


def _converse(relation: Relation) -> Relation:
    return lambda i, j: relation(j, i)


RELATIONS: Mapping[str, Relation] = MappingProxyType(
    {
        "before": before,
        "after": _converse(before),
        "meets": meets,
        "met-by": _converse(meets),
        "overlaps": overlaps,
        "overlapped-by": _converse(overlaps),
        "starts": starts,
        "started-by": _converse(starts),
        "during": during,
        "contains": _converse(during),
        "finishes": finishes,
        "finished-by": _converse(finishes),
        "equals": equals,
    }
)

CONVERSES: Mapping[str, str] = MappingProxyType(
    {
        "before": "after",
        "after": "before",
        "meets": "met-by",
        "met-by": "meets",
        "overlaps": "overlapped-by",
        "overlapped-by": "overlaps",
        "starts": "started-by",
        "started-by": "starts",
        "during": "contains",
        "contains": "during",
        "finishes": "finished-by",
        "finished-by": "finishes",
        "equals": "equals",
    }
)
