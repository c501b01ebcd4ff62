"""The times in which literals of a clause are evaluated, as a branch of a rule can speak of them.

A timer adds nothing to the time at which a body is certain, so it is not a literal of the branch: its bounds are
computed from what it is set on. Only what counts from below waits for its end, and then it is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal as OneOf

from cera.constraints.queries import HullLiteral, TimerLiteral
from cera.model.expressions.expression import Arithmetic, Call, DurationLiteral, EventReference, Expression
from cera.model.time.bounded_windows import MovedEdge
from cera.model.time.durations import Duration
from cera.model.time.timers import TIMERS, Sign
from cera.rules.containment_conditions import begin_of, end_of
from cera.rules.rule import RelativeTimer

PlaceKind = OneOf["event", "state", "timer", "state timer", "clock", "hull", "always"]


class NotByRulesError(Exception):
    """A clause that rules do not derive the violations of; the reason is in words of the constraint."""


@dataclass(frozen=True)
class Place:
    """What an identifier stands for.

    `first` and `last` are its bounds as edges of what is in the branch, None if they are none. `owners` are the events
    and states that it is, or is set on: they are never inside. `timers` have to be in the branch for it to be waited
    for. It is `foreseen` if its end is known with it, and `over` if it has ended when it is known.
    """

    kind: PlaceKind
    name: str
    begin: Expression
    end: Expression
    first: MovedEdge | None = None
    last: MovedEdge | None = None
    owners: tuple[str, ...] = ()
    timers: tuple[RelativeTimer, ...] = ()
    foreseen: bool = True
    over: bool = False
    #: Whether it may begin before the first event of a recording.
    may_begin_early: bool = False
    #: Whether it is a window with bounds of its own: what these are relative to may be inside.
    is_bounded: bool = False
    #: Whether it may begin after it is known.
    begins_later: bool = False

    @property
    def is_lasting(self) -> bool:
        """Whether it is a state, or a timer on one."""
        return self.kind in ("state", "state timer")


def event_place(name: str) -> Place:
    edges = MovedEdge(name, "begin"), MovedEdge(name, "end")
    return Place("event", name, begin_of(name), end_of(name), *edges, (name,), over=True)


def state_place(name: str) -> Place:
    edges = MovedEdge(name, "begin"), MovedEdge(name, "end")
    return Place("state", name, begin_of(name), end_of(name), *edges, (name,), foreseen=False)


def clock_place(name: str) -> Place:
    return Place("clock", name, begin_of(name), end_of(name), MovedEdge(name, "begin"), MovedEdge(name, "end"))


def timer_place(timer: TimerLiteral, name: str, anchor: Place) -> Place:
    """Returns the time of a timer. Raises NotByRulesError if nothing is known of what it is set on before that ends."""
    if anchor.kind in ("clock", "always", "hull"):
        raise NotByRulesError("a timer is set on something that is not one event, state or timer")
    if anchor.kind == "state timer" and not anchor.foreseen:
        raise NotByRulesError("a timer is set on a timer that ends after a state does")
    (begin_edge, begin_sign), (end_edge, end_sign) = TIMERS[timer.timer]
    begins = (anchor.begin, anchor.first) if begin_edge == "begin" else (anchor.end, anchor.last)
    ends = (anchor.begin, anchor.first) if end_edge == "begin" else (anchor.end, anchor.last)
    begin, first = _moved(*begins, timer.duration, begin_sign)
    end, last = _moved(*ends, timer.duration, end_sign)
    is_event = anchor.kind in ("event", "timer")
    literal = RelativeTimer(name, timer.timer, anchor.name, timer.duration, span=timer.span)
    return Place(
        "timer" if is_event else "state timer",
        name,
        begin,
        end,
        first,
        last,
        anchor.owners,
        (*anchor.timers, literal),
        foreseen=is_event or begin_edge == end_edge,
        over=anchor.over and end_sign <= 0,
        may_begin_early=anchor.may_begin_early or begin_sign < 0,
        begins_later=anchor.begins_later
        or begin_sign > 0
        or (begin_edge == "end" and not anchor.over and anchor.kind != "state"),
    )


def _moved(
    point: Expression, edge: MovedEdge | None, duration: Duration, sign: Sign
) -> tuple[Expression, MovedEdge | None]:
    """Returns a point of time moved by a duration, also as an edge where that is one."""
    if not sign:
        return point, edge
    moved = Arithmetic("+" if sign > 0 else "-", point, DurationLiteral(duration))
    if edge is None or (edge.by != Duration() and (edge.by.months or duration.months)):
        return moved, None
    return moved, replace(edge, by=edge.by + (duration if sign > 0 else -duration))


def hull_place(hull: HullLiteral, places: Mapping[str, Place]) -> Place:
    """Returns the hull of others. Raises NotByRulesError if these are not events."""
    parts = [places[each.identifier] for each in hull.combination.identifiers]
    return covering(hull.identifier.identifier, parts)


def covering(name: str, parts: list[Place]) -> Place:
    """Returns the hull of events and of timers that have ended."""
    if not all(each.over and not each.is_lasting for each in parts):
        raise NotByRulesError("a hull is not that of events alone")
    whole = Call("hull", tuple(map(interval_of, parts)))
    owners = tuple(dict.fromkeys(owner for each in parts for owner in each.owners))
    early = any(each.may_begin_early for each in parts)
    begin, end = Call("begin", (whole,)), Call("end", (whole,))
    return Place("hull", name, begin, end, owners=owners, over=True, may_begin_early=early)


def interval_of(place: Place) -> Expression:
    """Returns a time as the value of an expression."""
    if place.kind in ("event", "state", "clock"):
        return EventReference(place.name)
    return Call("hull", (place.begin, place.end))
