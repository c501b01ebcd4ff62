"""Requests for the actions of rules: detections with the events that caused them, which actions may mention.

Operators make the requests where they run; the actions are done where micro-batches are written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from cera.engines.spark.division.operators import Operator
from cera.engines.spark.streaming.messages.stage_results import ActionRequest, derivation_key, event_fields
from cera.model.events.event import Derivation, DerivedEvent, Event
from cera.model.events.occurrence import occurrence
from cera.model.terms.json_terms import loads, term_from_json, term_to_json
from cera.model.time.interval import Interval
from cera.modules.processor import Detection


def action_requests(operator: Operator, derived: Sequence[Detection]) -> Iterator[ActionRequest]:
    """Yields, for each rule with an action that derived an event, the event and the rule's first derivation of it."""
    if not operator.acting:
        return
    for one in derived:
        found = one.result()
        first = {each.rule: each for each in reversed(found.derivations) if each.rule in operator.acting}
        for rule, derivation in first.items():
            event = found.event
            term = json.dumps(term_to_json(event.term), ensure_ascii=False)
            causes = {name: event_fields(occurrence(cause)) for name, cause in derivation.causes.items()}
            key = derivation_key(derivation)
            yield ActionRequest(event.id, event.begin, event.end, event.label, term, rule, causes, key)


def events_of(requests: Sequence[ActionRequest]) -> list[DerivedEvent]:
    """Returns the events of the requests with their rules, in the order of output; each rule once for an event."""
    chosen: dict[tuple[str, str], ActionRequest] = {}
    for request in requests:
        place = (request.id, request.rule)
        if place not in chosen or request.key < chosen[place].key:
            chosen[place] = request
    ordered = [(_event(request), request.rule) for request in chosen.values()]
    ordered.sort(key=lambda pair: (pair[0].event.output_key, pair[1]))
    return [derived for derived, _ in ordered]


def _event(request: ActionRequest) -> DerivedEvent:
    behind = {name: cause.occurrence.event for name, cause in request.causes.items()}
    event = Event(term_from_json(loads(request.term)), Interval(request.begin, request.end))
    return DerivedEvent(event, (Derivation(request.rule, behind),))
