"""Windows as events: they are causes of what is derived over them, as relative timers are."""

from __future__ import annotations

from cera.model.events.event import Event
from cera.model.terms.term import Term
from cera.model.time.durations import Duration
from cera.model.time.interval import Interval
from cera.model.time.periodic_windows import Period

#: The label of the events; no event of a source has it.
WINDOW_LABEL = "timer:window"
#: What stands in place of the length and the slide where a window has bounds of its own.
BOUNDED = ("bounds",)


def window_event(period: Period, interval: Interval) -> Event:
    """Returns the event of a window: its interval, and the length and the slide of windows like it as texts."""
    return Event(Term(WINDOW_LABEL, window_texts(period), ordered=True), interval)


def bounded_window_event(interval: Interval) -> Event:
    """Returns the event of a window between two bounds: its interval."""
    return Event(Term(WINDOW_LABEL, BOUNDED, ordered=True), interval)


def window_texts(period: Period) -> tuple[str, str]:
    return str(Duration(0, period.length)), str(Duration(0, period.slide))
