"""From the rows of an answer to derived events with the events that they came from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pyspark.sql import Row

from cera.engines.spark.deriving import DERIVATION, RECIPIENT, TRANSPORT
from cera.model.events import Derivation, DerivedEvent, Event, Recipient
from cera.model.interval import Interval
from cera.model.json_terms import loads, term_from_json
from cera.model.terms import Term
from cera.rules.rule import RelativeTimer, Rule, RuleProgram


class Lineage:
    """The events of a run by their ids. Those of relative timers are made again from their anchors."""

    def __init__(self, program: RuleProgram, events: Iterable[Event]) -> None:
        self._rules = {rule.name: rule for rule in program.rules}
        self._events = {event.id: event for event in events}

    def derived(self, rows: Sequence[Row]) -> list[DerivedEvent]:
        """Rows with all derivations of an event as derived events."""
        recipients = [recipient_of(row) for row in rows]
        events = [event_of(row, sent.qualifier if sent else None) for row, sent in zip(rows, recipients, strict=True)]
        self._events.update((event.id, event) for event in events)
        return [
            DerivedEvent(event, self._derivations(row), recipient)
            for event, row, recipient in zip(events, rows, recipients, strict=True)
        ]

    def _derivations(self, row: Row) -> tuple[Derivation, ...]:
        found = [self._derivation(self._rules[one["rule"]], one["causes"]) for one in row[DERIVATION]]
        return tuple(sorted(found, key=lambda derivation: derivation.key))

    def _derivation(self, rule: Rule, rows: Sequence[Row]) -> Derivation:
        causes: dict[str, Event] = {}
        waiting = {row["name"]: row for row in rows}
        while waiting:  # a timer waits for its anchor
            name, event = next(
                (name, event) for name, row in waiting.items() if (event := self._cause(rule, row, causes)) is not None
            )
            causes[name] = event
            del waiting[name]
        return Derivation(rule.name, causes)

    def _cause(self, rule: Rule, row: Row, causes: dict[str, Event]) -> Event | None:
        known = self._events.get(row["id"])
        if known is not None:
            return known
        for branch in rule.branches:
            for timer in branch.relative_timers:
                if timer.identifier == row["name"] and timer.anchor in causes:
                    event = _timer_event(timer, causes[timer.anchor], Interval(row["begin"], row["end"]))
                    if event.id == row["id"]:
                        return event
        return None


def _timer_event(timer: RelativeTimer, anchor: Event, interval: Interval) -> Event:
    return Event(Term(f"timer:{timer.kind}", (anchor.id, str(timer.duration)), ordered=True), interval)


def event_of(row: Row, qualifier: str | None) -> Event:
    """The event of a row with its term as JSON."""
    return Event(term_from_json(loads(row["term"])), Interval(row["begin"], row["end"]), qualifier)


def recipient_of(row: Row) -> Recipient | None:
    return None if row[RECIPIENT] is None else Recipient(row[RECIPIENT], row[TRANSPORT])
