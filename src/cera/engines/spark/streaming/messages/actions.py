"""What is told of detections whose rules have actions: the events behind them, which actions speak of.

Operators tell it where they run; the actions are done where micro-batches are written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from cera.engines.spark.division.operators import Operator
from cera.engines.spark.streaming.messages.messages import Result, packed
from cera.model.events.event import Derivation, DerivedEvent, Event
from cera.model.events.occurrence import json_occurrence, occurrence
from cera.model.terms.json_terms import loads, term_from_json, term_to_json
from cera.model.time.interval import Interval
from cera.modules.processor import Detection


def asked(operator: Operator, derived: Sequence[Detection]) -> Iterator[Result]:
    """For each rule with an action that derived an event: the event, and the first way in which the rule did."""
    if not operator.acting:
        return
    for one in derived:
        found = one.result()
        first = {each.rule: each for each in reversed(found.derivations) if each.rule in operator.acting}
        for rule, derivation in first.items():
            event = found.event
            term = json.dumps(term_to_json(event.term), ensure_ascii=False)
            causes = {name: packed(occurrence(cause), None) for name, cause in derivation.causes.items()}
            yield ("action", event.id, event.begin, event.end, event.label, term, rule, causes, derivation.key)


def events_of(results: Sequence[Result]) -> list[DerivedEvent]:
    """The events with the rules that want something done, in the order of output; each rule once for an event."""
    chosen: dict[tuple[str, str], Result] = {}
    for result in results:
        place = (result[1], result[6])
        if place not in chosen or result[-1] < chosen[place][-1]:
            chosen[place] = result
    ordered = [(_event(result), result) for result in chosen.values()]
    ordered.sort(key=lambda pair: (pair[0].event.output_key, pair[1][6]))
    return [derived for derived, _ in ordered]


def _event(result: Result) -> DerivedEvent:
    _, _, begin, end, _, term, rule, causes, _ = result
    behind = {name: json_occurrence(*fields[:5]).event for name, fields in causes.items()}
    return DerivedEvent(Event(term_from_json(loads(term)), Interval(begin, end)), (Derivation(rule, behind),))
