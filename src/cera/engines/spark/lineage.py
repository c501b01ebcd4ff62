"""Makes derived events, with the events that caused them, of the rows of an answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from operator import attrgetter

from pyspark.sql import Row

from cera.engines.spark.plan.deriving import DERIVATION, RECIPIENT, TRANSPORT
from cera.model.events.event import Derivation, DerivedEvent, Event, Recipient
from cera.model.events.states import is_ending
from cera.model.events.window_events import bounded_window_event, window_event
from cera.model.terms.json_terms import loads, term_from_json
from cera.model.terms.term import Term
from cera.model.time.interval import Interval, Time
from cera.modules.detection import tick_occurrence
from cera.modules.monitoring import Clock
from cera.rules.rule import BoundedWindow, RelativeTimer, Rule

#: The names of the causes of a derivation, in their order.
NAMES = "names"

#: How many starts of timers are tried first, because ticks have been found for them.
_STARTS = 100


class Lineage:
    """The events of a run by their ids. Those of relative timers are computed from their anchors, periodic windows from
    their times, the ticks of absolute timers from the events that can have started them."""

    def __init__(self, rules: Iterable[Rule], events: Iterable[Event], clocks: Iterable[Clock] = ()) -> None:
        self._rules = {rule.name: rule for rule in rules}
        self._events = {event.id: event for event in events}
        self._clocks = tuple(clocks)
        #: The starts of the ticks found most recently.
        self._started: dict[tuple[Clock, Time], None] = {}

    def derived(self, rows: Iterable[Row]) -> list[DerivedEvent]:
        """Makes derived events of rows with one derivation each: every event once, with all its derivations."""
        together: dict[tuple[str, str, int], list[Row]] = {}
        for row in rows:  # the opening and the endings of a state have the same id
            together.setdefault((row["id"], row["label"], row["end"]), []).append(row)
        recipients = {identity: recipient_of(same[0]) for identity, same in together.items()}
        events: dict[tuple[str, str, int], Event] = {}
        for identity, same in together.items():
            sent = recipients[identity]
            events[identity] = event_of(same[0], sent.qualifier if sent else None)
            if identity[0] not in self._events or not is_ending(identity[1]):
                self._events[identity[0]] = events[identity]
        return [
            DerivedEvent(events[identity], self._derivations(same), recipients[identity])
            for identity, same in together.items()
        ]

    def _derivations(self, rows: Sequence[Row]) -> tuple[Derivation, ...]:
        derivations = [self._derivation(row[DERIVATION], row[NAMES]) for row in rows]
        found = {derivation.key: derivation for derivation in derivations}
        return tuple(sorted(found.values(), key=attrgetter("order")))

    def _derivation(self, way: Row, names: Sequence[str]) -> Derivation:
        rule = self._rules.get(way["rule"])
        causes: dict[str, Event] = {}
        waiting = {row["name"]: row for row in way["causes"]}
        while waiting:  # a timer waits for its anchor
            name, event = next(
                (name, event) for name, row in waiting.items() if (event := self._cause(rule, row, causes)) is not None
            )
            causes[name] = event
            del waiting[name]
        return Derivation(way["rule"], {name: causes[name] for name in names}, rank=way["rank"])

    def _cause(self, rule: Rule | None, row: Row, causes: dict[str, Event]) -> Event | None:
        known = self._events.get(row["id"])
        if known is not None:
            return known
        for branch in rule.branches if rule is not None else ():
            for timer in branch.relative_timers:
                if timer.identifier == row["name"] and timer.anchor in causes:
                    event = _timer_event(timer, causes[timer.anchor], Interval(row["begin"], row["end"]))
                    if event.id == row["id"]:
                        return event
            for window in branch.windows:
                if window.identifier == row["name"]:
                    interval = Interval(row["begin"], row["end"])
                    if isinstance(window, BoundedWindow):
                        event = bounded_window_event(interval)
                    else:
                        event = window_event(window.period, interval)
                    if event.id == row["id"]:
                        return event
        return self._tick(row)

    def _tick(self, row: Row) -> Event | None:
        for timer, since in self._starts(row["end"]):
            event = tick_occurrence(timer.name, row["end"], since).event
            if event.id == row["id"]:
                self._events[event.id] = event
                self._started.pop((timer, since), None)
                self._started[timer, since] = None
                if len(self._started) > _STARTS:
                    del self._started[next(iter(self._started))]
                return event
        return None

    def _starts(self, time: Time) -> Iterator[tuple[Clock, Time]]:
        """Yields possible starts of a tick: those found before, then ends of events, then ticks of other timers."""
        for timer, since in list(reversed(self._started)):
            if since in _possible(timer, time, since):
                yield timer, since
        first = min(self._ends, default=time)
        several = [(timer, _possible(timer, time, first)) for timer in self._clocks]
        for occurs in (True, False):
            for timer, possible in several:
                yield from ((timer, since) for since in possible if (since in self._ends) is occurs)

    @cached_property
    def _ends(self) -> frozenset[Time]:
        """The ends of events, at which timers can have started."""
        return frozenset(event.end for event in self._events.values())


def _possible(timer: Clock, time: Time, first: Time) -> range:
    """Returns the times, latest first, at which a timer that ticks at a time can have started; none before `first`."""
    latest = time - timer.after
    return range(latest, (first if timer.repeats else max(first, latest)) - 1, -timer.after)


def _timer_event(timer: RelativeTimer, anchor: Event, interval: Interval) -> Event:
    return Event(Term(f"timer:{timer.kind}", (anchor.id, str(timer.duration)), ordered=True), interval)


def event_of(row: Row, qualifier: str | None) -> Event:
    """Returns the event of a row with its term as JSON."""
    return Event(term_from_json(loads(row["term"])), Interval(row["begin"], row["end"]), qualifier)


def recipient_of(row: Row) -> Recipient | None:
    return None if row[RECIPIENT] is None else Recipient(row[RECIPIENT], row[TRANSPORT])
