"""The events of relative timers and windows."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from cera.model.events.event import Event
from cera.model.events.occurrence import Occurrence
from cera.model.events.window_events import BOUNDED, WINDOW_LABEL, bounded_window_event, window_event, window_texts
from cera.model.terms.hashing import texts_event_id
from cera.model.terms.term import Term
from cera.model.time.durations import Duration
from cera.model.time.interval import Interval
from cera.model.time.periodic_windows import Period

_text = lru_cache(maxsize=1_000)(str)


class TimerOccurrence:
    """The event of a relative timer, computed inline with its anchor (ERR-08)."""

    __slots__ = ("anchor", "begin", "duration", "end", "kind")

    def __init__(
        self, begin: int, end: int, kind: str, duration: Duration, anchor: Occurrence | TimerOccurrence
    ) -> None:
        self.begin = begin
        self.end = end
        self.kind = kind
        self.duration = duration
        self.anchor = anchor

    @property
    def event(self) -> Event:
        term = Term(f"timer:{self.kind}", (self.anchor.id, _text(self.duration)), ordered=True)
        return Event(term, Interval(self.begin, self.end))

    @property
    def id(self) -> str:
        """The id of the event, without its term."""
        return texts_event_id(f"timer:{self.kind}", (self.anchor.id, _text(self.duration)), self.begin, self.end)

    def __getstate__(self) -> tuple[Any, ...]:
        return (self.begin, self.end, self.kind, self.duration, self.anchor)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.begin, self.end, self.kind, self.duration, self.anchor = state


class WindowOccurrence:
    """A periodic window around events; without a slide, a window between two bounds."""

    __slots__ = ("begin", "end", "slide")

    def __init__(self, begin: int, end: int, slide: int) -> None:
        self.begin = begin
        self.end = end
        self.slide = slide

    @property
    def number(self) -> int:
        """A number that no other window of the same period has: unlike a timer, it does not follow from one event."""
        return self.begin

    @property
    def _period(self) -> Period:
        return Period(self.end - self.begin + 1, self.slide, self.begin)

    @property
    def event(self) -> Event:
        interval = Interval(self.begin, self.end)
        return window_event(self._period, interval) if self.slide else bounded_window_event(interval)

    @property
    def id(self) -> str:
        """The id of the event, without its term."""
        texts = window_texts(self._period) if self.slide else BOUNDED
        return texts_event_id(WINDOW_LABEL, texts, self.begin, self.end)

    def __getstate__(self) -> tuple[int, int, int]:
        return (self.begin, self.end, self.slide)

    def __setstate__(self, state: tuple[int, int, int]) -> None:
        self.begin, self.end, self.slide = state
