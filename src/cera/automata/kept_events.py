"""Events that runs keep after their time: of those that were saved, only the id and the times are known."""

from __future__ import annotations

from cera.model.events.occurrence import Identified, Occurrence, halves
from cera.model.terms.term import Term
from cera.model.time.interval import Time

PackedEvent = tuple[str, str, Time, Time]


def packed_event(event: Occurrence) -> PackedEvent:
    return event.label, event.id, event.begin, event.end


def stand_in(label: str, id_: str, begin: Time, end: Time) -> Identified:
    """Returns an event that stands for one of which only the id and the times are known."""
    return Identified(begin, end, label, None, Term(label, ()), None, *halves(id_))


#: The last event of an instance that has no use for one.
LONG_AGO = stand_in("", "0" * 32, -(2**62), -(2**62))
