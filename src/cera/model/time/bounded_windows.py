"""Windows between two times that are given relative to events, or absolutely: `[b(i), e(j) + 1 min]`.

A bound is the latest of some points, so that `[now - d, now]` of several events ends with the last of them. A window
that would end before it begins, or leave the years 1 to 9999, does not happen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from cera.model.tags import tagged
from cera.model.time.durations import Duration, format_duration, shift
from cera.model.time.interval import Interval, Time
from cera.model.time.timers import Edge

_UNMOVED = Duration()


@tagged("MovedEdge")
@dataclass(frozen=True)
class MovedEdge:
    """The begin or the end of an event, moved by a duration; without an identifier, that long after 1970."""

    identifier: str | None
    edge: Edge = "begin"
    by: Duration = _UNMOVED

    def time(self, times: Mapping[str, Interval]) -> Time | None:
        """Returns the time, None if it has no calendar date."""
        anchor = 0 if self.identifier is None else getattr(times[self.identifier], self.edge)
        return shift(anchor, self.by)

    def renamed(self, new_name: Callable[[str], str]) -> MovedEdge:
        return self if self.identifier is None else replace(self, identifier=new_name(self.identifier))

    def __str__(self) -> str:
        if self.identifier is None:
            return f"{self.by.microseconds} us"
        point = f"{self.edge}({self.identifier})"
        if self.by == _UNMOVED:
            return point
        backward = self.by.months < 0 or self.by.microseconds < 0
        return f"{point} {'-' if backward else '+'} {format_duration(-self.by if backward else self.by)}"


#: The latest of some points.
Bound = tuple[MovedEdge, ...]


@tagged("Bounds")
@dataclass(frozen=True)
class Bounds:
    """Where a window begins and ends."""

    begin: Bound
    end: Bound

    def __post_init__(self) -> None:
        if not self.begin or not self.end:
            raise ValueError("a window has a bound on both sides")

    @property
    def identifiers(self) -> tuple[str, ...]:
        """The events that the bounds are relative to."""
        named = (edge.identifier for edge in (*self.begin, *self.end))
        return tuple(dict.fromkeys(name for name in named if name is not None))

    @property
    def length(self) -> int | None:
        """The length in microseconds, where every such window has the same."""
        edges = [[(edge.identifier, edge.edge) for edge in bound] for bound in (self.begin, self.end)]
        moves = {last.by + -first.by for first, last in zip(self.begin, self.end, strict=False)}
        constant = edges[0] == edges[1] and len(moves) == 1
        return next(iter(moves)).microseconds if constant and not next(iter(moves)).months else None

    def interval(self, times: Mapping[str, Interval]) -> Interval | None:
        """Returns the window, None if it does not happen."""
        begin, end = (_latest(bound, times) for bound in (self.begin, self.end))
        return None if begin is None or end is None or begin > end else Interval(begin, end)

    def renamed(self, new_name: Callable[[str], str]) -> Bounds:
        begin, end = (tuple(edge.renamed(new_name) for edge in bound) for bound in (self.begin, self.end))
        return Bounds(begin, end)

    def __str__(self) -> str:
        return f"[{_text(self.begin)}, {_text(self.end)}]"


def _latest(bound: Bound, times: Mapping[str, Interval]) -> Time | None:
    found = [edge.time(times) for edge in bound]
    known = [time for time in found if time is not None]
    return max(known) if len(known) == len(found) else None


def _text(bound: Bound) -> str:
    return str(bound[0]) if len(bound) == 1 else f"latest({', '.join(map(str, bound))})"
