"""Which events of a source are accepted: those that are well-formed, in time, and no longer than it promised."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

from cera.connectors.records.layout import Rejected
from cera.errors import DataError
from cera.model.events.event import Event
from cera.model.events.occurrence import Occurrence
from cera.model.events.states import OPEN, announced_end, announcement, is_opening
from cera.model.time.interval import MIN_TIME, Time
from cera.wording import Setting, in_python

EventLike = TypeVar("EventLike", Event, Occurrence)


def in_time(
    events: Iterable[EventLike],
    max_delay: int,
    late: Callable[[EventLike], object],
    repaired: Callable[[], object] = lambda: None,
) -> Iterator[EventLike]:
    """Yields the events that are not late: that end no more than `max_delay` before the latest end so far.

    A record that closes an open state is late as an opening, and closes the state no earlier than that; `repaired` is
    called where that moves the end.
    """
    latest: Time | None = None
    open_until: dict[str, Time] = {}
    for event in events:
        announced = announced_end(event.qualifier) if is_opening(event.label) else None
        if latest is not None and event.end < latest - max_delay:
            if announced is None or open_until.get(event.id, MIN_TIME) < latest - max_delay:
                late(event)
                continue
            if announced < latest - max_delay:
                announced = latest - max_delay
                repaired()
            event = _announcing(event, announced)
        else:
            latest = event.end if latest is None else max(latest, event.end)
        if is_opening(event.label):
            open_until[event.id] = min(OPEN if announced is None else announced, open_until.get(event.id, OPEN))
        yield event


def _announcing(opened: EventLike, end: Time) -> EventLike:
    """Returns an opening that announces another end."""
    if isinstance(opened, Event):
        return replace(opened, qualifier=announcement(end))
    changed = opened.copy()
    changed.qualifier = announcement(end)
    return changed


def lasts_longer_than_given(event: Event) -> Rejected:
    """Returns the rejection of an event of this process that lasts longer than a caller in Python promised."""
    return Rejected(f"event {event.id}", "the event lasts longer than max_duration", str(event))


def reworded(reject: Callable[[Rejected], object]) -> Callable[[Rejected], object]:
    """Returns a function that hands records to `reject`, with reasons in words of Python."""
    return lambda record: reject(replace(record, reason=in_python(record.reason)))


def lasts_longer(max_duration: int) -> str:
    """Returns why an event is rejected that lasts longer than promised, which may be 0 without being given."""
    of_points = f", which is 0 sec for flat records without {Setting.END_FIELD} unless it is given"
    return f"the event lasts longer than {Setting.MAX_DURATION}{'' if max_duration else of_points}"


def refuse(record: Rejected) -> None:
    """Raises DataError: the `reject` of a caller that has none."""
    raise DataError(f"{record.place}: {record.reason}; pass `reject=` to go on without such records")
