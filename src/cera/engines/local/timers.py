"""Timers in a run: the ticks of absolute ones, and the relative ones that a row has to wait for."""

from __future__ import annotations

from cera.algebra.layouts import layout_of
from cera.algebra.operators import (
    BoundedWindows,
    Expression,
    Gathering,
    Matching,
    PeriodicWindows,
    Reference,
    RelativeTimers,
    Renaming,
    inputs,
)
from cera.algebra.plan import Plan
from cera.model.calendars.calendar_files import Calendar, timer_events
from cera.model.events.event import Event
from cera.model.events.states import is_ending
from cera.model.expressions.expression import TimerQuery
from cera.model.time.interval import MAX_TIME, Time
from cera.model.time.timers import TIMERS
from cera.rules.analysis.unification import query_label
from cera.rules.early_states import WHILE_OPEN

#: The next time at which occurrences of a timer end, and those occurrences.
Tick = tuple[Time, tuple[Event, ...]]


def next_tick(
    query: TimerQuery, calendars: tuple[Calendar, ...], after: Time, timezone: str, begun_by: Time | None
) -> Tick | None:
    """Returns the first occurrences that end after a time; with `begun_by`, only those that have begun by then."""
    last = MAX_TIME if begun_by is None else begun_by
    earliest: Time | None = None
    found: list[Event] = []
    for event in timer_events(query, calendars, after + 1, last, timezone):  # in the order of their begins
        if event.begin > last or (earliest is not None and event.begin > earliest):
            break
        if event.end <= after:
            continue
        if earliest is None or event.end < earliest:
            earliest, found = event.end, []
        if event.end == earliest:
            found.append(event)
    return None if earliest is None else (earliest, tuple(found))


def awaited_columns(expression: Expression, plan: Plan) -> list[int]:
    """Returns the columns of windows, and of timers that end after their anchors: only these can still lie ahead."""
    names, layout = _forward_timers(expression, plan), layout_of(expression, plan)
    return [layout.event(name) for name in layout.identifiers if name in names]


def open_states(expression: Expression, plan: Plan) -> set[str]:
    """Returns the timers below an expression that last as long as a state is open."""
    return _forward_timers(expression, plan, of_states=True)


def asks_for_endings(expression: Expression, plan: Plan) -> bool:
    """Returns whether the rows of an expression come with the end of a state."""
    match expression:
        case Matching():
            return is_ending(query_label(expression.pattern) or "")
        case Reference():
            return asks_for_endings(plan.by_name[expression.name].expression, plan)
        case _:
            return any(asks_for_endings(part, plan) for part in inputs(expression))


def _forward_timers(expression: Expression, plan: Plan, *, of_states: bool = False) -> set[str]:
    match expression:
        case RelativeTimers():
            if of_states and expression.duration != WHILE_OPEN:
                return set()
            return {expression.identifier} if TIMERS[expression.kind][1][1] > 0 else set()
        case PeriodicWindows() | BoundedWindows():
            return set() if of_states or expression.auxiliary else {expression.identifier}
        case Matching():
            return set()
        case Gathering():  # ends no later than what remains
            return (
                _forward_timers(expression.input, plan, of_states=of_states)
                - expression.identifiers
                - expression.dropped
            )
        case Reference():
            return _forward_timers(plan.by_name[expression.name].expression, plan, of_states=of_states)
        case Renaming():
            new_names = {old: new for new, old in expression.identifiers}
            return {new_names.get(name, name) for name in _forward_timers(expression.input, plan, of_states=of_states)}
        case _:
            return {name for part in inputs(expression) for name in _forward_timers(part, plan, of_states=of_states)}
