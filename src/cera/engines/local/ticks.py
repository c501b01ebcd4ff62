"""The ticks of absolute timers, in the order of their ends."""

from __future__ import annotations

from cera.model.calendars.calendar_files import Calendar, timer_events
from cera.model.events.event import Event
from cera.model.expressions.expression import TimerQuery
from cera.model.time.interval import MAX_TIME, Time

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
