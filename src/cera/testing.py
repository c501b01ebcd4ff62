"""A kit for testing event programs, which cera's own tests use as well.

    clock = ManualClock()
    stream = [clock.event('temp{sensor{"s"}, value{41}}')]
    clock.advance("12 sec")
    assert_same_events(program.run(stream).derived, [event('burnt_down{sensor{"s"}}', 0, 12)])

Times are seconds unless said otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from cera.model.events.event import DerivedEvent, Event
from cera.model.events.states import opening
from cera.model.terms.term import Term
from cera.model.terms.term_text import parse_term
from cera.model.time.durations import Duration, parse_duration, shift
from cera.model.time.interval import Interval, Time, interval

SECOND = 1_000_000


def seconds(time: float | str) -> Time:
    """Returns a number of seconds as a time point, exact to the microsecond."""
    return int(Decimal(str(time)) * SECOND)


def event(term: str | Term, begin: float, end: float | None = None, *, id: str | None = None) -> Event:
    """Returns an event over [begin, end] seconds, or at the point `begin`."""
    return Event(_labelled(term), interval(seconds(begin), seconds(begin if end is None else end)), id)


def state(term: str | Term, begin: float, end: float | None = None) -> Event:
    """Returns what a source says of a state: that it opens after some seconds, and when it ends if that is given."""
    return opening(_labelled(term), seconds(begin), None if end is None else seconds(end))


def _labelled(term: str | Term) -> Term:
    parsed = parse_term(term) if isinstance(term, str) else term
    if not isinstance(parsed, Term):
        raise ValueError(f"an event needs a labelled term, and {term} is a value")
    return parsed


class ManualClock:
    """A clock that is moved by hand."""

    def __init__(self, now: Time = 0) -> None:
        self.now = now

    def advance(self, duration: str | Duration) -> Time:
        """Moves the clock forward by a duration such as `12 sec` and returns the time."""
        moved = shift(self.now, parse_duration(duration) if isinstance(duration, str) else duration)
        if moved is None:
            raise ValueError("the clock has run past the year 9999")
        self.now = moved
        return moved

    def event(self, term: str, *, lasting: str = "0 sec", id: str | None = None) -> Event:
        """Returns an event that begins now; the clock stays where it is."""
        parsed = parse_term(term)
        end = shift(self.now, parse_duration(lasting))
        if not isinstance(parsed, Term) or end is None:
            raise ValueError(f"{term} lasting {lasting} is not an event")
        return Event(parsed, Interval(self.now, end), id)


def difference(actual: Iterable[Event | DerivedEvent], expected: Iterable[Event | DerivedEvent]) -> str:
    """Returns what is missing and what is too much, one event a line; empty if both hold the same events."""
    found, wanted = {_event(e) for e in actual}, {_event(e) for e in expected}
    missing = [f"missing     {_show(e)}" for e in sorted(wanted - found, key=lambda e: e.output_key)]
    extra = [f"unexpected  {_show(e)}" for e in sorted(found - wanted, key=lambda e: e.output_key)]
    return "\n".join([*missing, *extra])


def assert_same_events(actual: Iterable[Event | DerivedEvent], expected: Iterable[Event | DerivedEvent]) -> None:
    """Raises AssertionError with the difference unless both hold the same events, in whatever order."""
    found = difference(actual, expected)
    if found:
        raise AssertionError(f"the events differ:\n{found}")


def _event(item: Event | DerivedEvent) -> Event:
    return item.event if isinstance(item, DerivedEvent) else item


def _show(item: Event) -> str:
    begin, end = Decimal(item.begin) / SECOND, Decimal(item.end) / SECOND
    return f"{item.term}[{begin},{end}]"
