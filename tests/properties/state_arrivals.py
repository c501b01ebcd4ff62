"""States as a stream brings them that does not know the future: opened when they begin, closed when they end."""

from __future__ import annotations

import random
from collections.abc import Sequence

from cera.model.events.event import Event
from cera.model.events.states import announced_end, is_opening, without_announcement


def as_it_happens(events: Sequence[Event], max_delay: int, chance: random.Random) -> list[Event]:
    """The records in an order in which none is delayed longer than allowed; most ends are told in records of their own,
    which come when the states end."""
    arrivals: list[tuple[int, float, Event]] = []

    def arrive(record: Event, time: int) -> None:
        arrivals.append((time + chance.randint(0, max_delay), chance.random(), record))

    for event in events:
        end = announced_end(event.qualifier) if is_opening(event.label) else None
        if end is not None and chance.random() < 0.8:
            arrive(without_announcement(event), event.begin)
            arrive(event, end)
        else:
            arrive(event, event.end)
    return [event for _, _, event in sorted(arrivals, key=lambda arrival: arrival[:2])]
