"""The results of a stage of a stream: derived events, left out ones, requests for actions, and reports on state.

Events are plain data on their way between stages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, assert_never

from cera.model.events.event import Derivation
from cera.model.events.occurrence import Occurrence, json_occurrence
from cera.model.terms.json_terms import term_to_json


class EventFields(NamedTuple):
    """An event: its times, its label, the JSON of its content, and the source's id of it."""

    begin: int
    end: int
    label: str
    body: Any
    qualifier: str | None

    @property
    def occurrence(self) -> Occurrence:
        return json_occurrence(self.begin, self.end, self.label, self.body, self.qualifier)


def event_fields(event: Occurrence) -> EventFields:
    return EventFields(event.begin, event.end, event.label, json_body(event), event.qualifier)


def json_body(event: Occurrence) -> Any:
    """Returns the JSON of an event's content, without its label."""
    body = event.nested if event.content is None else event.content
    return term_to_json(event.term)[event.label] if body is None else body


#: The sort key of an event's derivations: the rank, the rule, then the name, end, begin and id of each cause.
DerivationKey = tuple[str | int, ...]


class DerivedResult(NamedTuple):
    """A derived event with the first way in which a stage derived it. `term` and `causes` are JSON."""

    id: str
    begin: int
    end: int
    label: str
    term: str
    rule: str
    causes: str
    recipient: str | None
    transport: str | None
    key: DerivationKey
    #: When it was certain, if that was before its end.
    known: int | None = None
    #: The names that it had while its end was not known, as JSON.
    completes: str | None = None


class LateEvent(NamedTuple):
    """An event that came after its time was decided."""

    event: EventFields


class RejectedRecord(NamedTuple):
    """A record that is not an event, or an event that no operator takes: where it stands, why, and its text."""

    place: str
    reason: str
    text: str


class ActionRequest(NamedTuple):
    """An event derived by a rule that has an action, and the events behind it. `term` is JSON."""

    id: str
    begin: int
    end: int
    label: str
    term: str
    rule: str
    causes: Mapping[str, EventFields]
    key: DerivationKey


class StateReport(NamedTuple):
    """The size of an operator's state in a bucket, and counts of what it left out since its last report.

    `undefined` is how often an expression had no value, `without_key` how many events lacked the attribute by which a
    module divides them, `repaired` how many ends of states came too late and were moved on.
    """

    operator: str
    bucket: int
    live: int
    undefined: int
    without_key: int
    repaired: int = 0


class VersionReport(NamedTuple):
    """A relation, the number of its version that has replaced another one, and the time from which it counts."""

    relation: str
    number: int
    since: int


Result = DerivedResult | LateEvent | RejectedRecord | ActionRequest | StateReport | VersionReport


@dataclass
class ResultsByKind:
    """Results of stages, those of each kind in the order in which they came."""

    derived: list[DerivedResult] = field(default_factory=list)
    late: list[LateEvent] = field(default_factory=list)
    rejected: list[RejectedRecord] = field(default_factory=list)
    actions: list[ActionRequest] = field(default_factory=list)
    states: list[StateReport] = field(default_factory=list)
    versions: list[VersionReport] = field(default_factory=list)


def by_kind(results: Iterable[Result]) -> ResultsByKind:
    found = ResultsByKind()
    for result in results:
        match result:
            case DerivedResult():
                found.derived.append(result)
            case LateEvent():
                found.late.append(result)
            case RejectedRecord():
                found.rejected.append(result)
            case ActionRequest():
                found.actions.append(result)
            case StateReport():
                found.states.append(result)
            case VersionReport():
                found.versions.append(result)
            case _:
                assert_never(result)
    return found


def first_derivations(derived: Iterable[DerivedResult]) -> list[DerivedResult]:
    """Drops repetitions of events that several parts of the stream derived: the first derivation stays."""
    first: dict[tuple[str, str], DerivedResult] = {}
    for result in derived:
        identity = (result.id, result.label)  # the opening and the ending of a state have the same id
        known = first.get(identity)
        if known is None or result.key < known.key:
            first[identity] = result
    return list(first.values())


def derivation_key(derivation: Derivation) -> DerivationKey:
    """Returns `Derivation.order` as a single tuple, which is smaller: many are packed."""
    parts: list[str | int] = [derivation.rank, derivation.rule]
    for name, cause in sorted(derivation.causes.items()):
        parts += (name, *cause.order_key)
    return tuple(parts)
