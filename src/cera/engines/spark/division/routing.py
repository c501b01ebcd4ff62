"""Routing of events to operators, and to buckets of these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, assert_never

from cera.engines.spark.division.buckets import NOWHERE, Histories, ValueBuckets, bucket, key_hash
from cera.engines.spark.division.divisions import HistoryDivision, KeyDivision
from cera.engines.spark.division.operators import Operator
from cera.engines.spark.division.slots import Place, Slot
from cera.model.events.occurrence import Occurrence
from cera.model.events.states import ENDING, OPENING, is_ending
from cera.model.matching.matching import match
from cera.model.matching.patterns import Pattern
from cera.model.terms.term import Term, Value, value_key
from cera.modules.arrivals import Arrival, Recognizer
from cera.modules.module import Module
from cera.modules.monitoring import MonitoredEvents
from cera.rules.analysis.dependencies import event_patterns
from cera.rules.analysis.unification import query_label
from cera.wording import Setting

#: The number of key values whose buckets are cached.
_KNOWN = 100_000


_UNDIVIDED = f"with {Setting.BUCKETS.of('1')} the stream is not divided"


class DividedEventError(Exception):
    """An event belongs to several parts of the stream at once because its key has several values."""


@dataclass(frozen=True)
class Destination:
    operator: str
    bucket: int


class Router:
    """The destinations of events, computed in Python."""

    def __init__(self, operators: Iterable[Operator]) -> None:
        arrivals: dict[tuple[MonitoredEvents, ...], _Arrivals] = {}
        self._dividers = [(operator.identity, _divider(operator, arrivals)) for operator in operators]

    def destinations(self, event: Occurrence) -> list[Destination]:
        """Returns where an event goes. Raises DividedEventError where a key has several values."""
        found: list[Destination] = []
        for identity, divider in self._dividers:
            part = divider.bucket_of(event)
            if part is not None:
                found.append(Destination(identity, part))
        return found


class _Divider(Protocol):
    """Finds the bucket of events in one operator."""

    def bucket_of(self, event: Occurrence) -> int | None:
        """Returns the bucket; None if the operator cannot use the event."""


def _divider(operator: Operator, arrivals: dict[tuple[MonitoredEvents, ...], _Arrivals]) -> _Divider:
    match operator.division:
        case KeyDivision() as division:
            return _KeyDivider(operator, division)
        case HistoryDivision(module) if module.is_divided_by_values and module.partition is not None:
            return _ValueDivider(module, operator.buckets)
        case HistoryDivision(module):
            known = arrivals.setdefault(module.monitored, _Arrivals(module))
            return _HistoryDivider(known, Histories(module, operator.buckets), takes_all=operator.takes_all)
        case other:
            assert_never(other)


class _Arrivals:
    """An event as seen by modules that monitor the same labels: it is computed once for all of them."""

    def __init__(self, module: Module) -> None:
        self._recognizer = Recognizer(module)
        self._event: Occurrence | None = None
        self._arrival: Arrival | None = None

    def of(self, event: Occurrence) -> Arrival | None:
        if event is not self._event:
            self._event = event
            self._arrival = next((arrival for _, arrival in self._recognizer.arrivals((event,), 0)), None)
        return self._arrival


class _HistoryDivider:
    def __init__(self, arrivals: _Arrivals, histories: Histories, *, takes_all: bool) -> None:
        self._arrivals = arrivals
        self._histories = histories
        self._otherwise = 0 if takes_all else None

    def bucket_of(self, event: Occurrence) -> int | None:
        arrival = self._arrivals.of(event)
        if arrival is None:
            return self._otherwise
        place = self._histories.bucket_of(arrival)
        return 0 if place == NOWHERE else place  # events without a history are counted in the first bucket, if not late


class _ValueDivider:
    def __init__(self, module: Module, buckets: int) -> None:
        self._module = module
        self._buckets = ValueBuckets(module, buckets)

    def bucket_of(self, event: Occurrence) -> int | None:
        if event.label not in self._module.reads:
            return None
        found = self._buckets.alone(event)
        if found is None and len(self._buckets.terms(event)) > 1:
            raise DividedEventError(
                f"`{self._module.partition}`, by which the stream is divided for the constraints of "
                f"`{self._module.name}`, has several values in this event; {_UNDIVIDED}"
            )
        return found


class _KeyDivider:
    def __init__(self, operator: Operator, division: KeyDivision) -> None:
        self._operator = operator
        self._slots = division.slots
        self._rules = division.rules
        #: Where the parts of the key stand in events of a label; None if the operator cannot use them.
        self._paths: dict[str, tuple[Place, ...] | None] = {}
        self._known: dict[str | int | float, int] = {}

    def bucket_of(self, event: Occurrence) -> int | None:
        try:
            paths = self._paths[event.label]
        except KeyError:
            paths = self._paths[event.label] = self._paths_of(event.label)
        if paths is None:
            return None
        return self._part(paths, event) if self._slots else 0

    def _label(self, label: str) -> str:
        """Returns the label by which the operator knows an event: the ending of a state goes where its opening went."""
        if is_ending(label) and not self._operator.queries(label):
            return OPENING + label.removeprefix(ENDING)
        return label

    def _paths_of(self, label: str) -> tuple[Place, ...] | None:
        label = self._label(label)
        if not self._operator.queries(label) and not self._operator.takes_all:
            return None
        paths = (slot.place(label) for slot in self._slots)
        return tuple(path for path in paths if path is not None)

    def _part(self, paths: tuple[Place, ...], event: Occurrence) -> int | None:
        content = event.content
        if len(paths) == 1 and len(paths[0]) == 1 and content is not None:
            value = content.get(paths[0][0])
            if value is None:
                return None
            part = self._known.get(value)
            if part is None:
                if len(self._known) > _KNOWN:
                    self._known.clear()
                part = self._known[value] = bucket((key_hash(value),), self._operator.buckets)
            return part
        hashes: list[int] = []
        for slot, path in zip(self._slots, paths, strict=True):
            values: dict[tuple[Any, ...], Value] = {value_key(value): value for value in values_at(event.term, path)}
            if len(values) > 1:
                values = self._matched(slot, event)
            if len(values) > 1:
                raise DividedEventError(_several(slot))
            if not values:
                return None
            hashes += [key_hash(value) for value in values.values()]
        return bucket(hashes, self._operator.buckets)

    def _matched(self, slot: Slot, event: Occurrence) -> dict[tuple[Any, ...], Value]:
        """Returns the values of a slot under which some query of the operator matches an event of unusual shape."""
        found: dict[tuple[Any, ...], Value] = {}
        label = self._label(event.label)
        term = event.term if label == event.label else Term(label, event.term.children, ordered=event.term.ordered)
        for rule in self._rules:
            for query in event_patterns(rule):
                if _may_match(query.pattern, label):
                    values = [answer[slot.variables[rule.name]] for answer in match(query.pattern, term)]
                    found.update((value_key(value), value) for value in values)
        return found


def _may_match(pattern: Pattern, label: str) -> bool:
    return query_label(pattern) in (None, label)


def values_at(term: Term, path: Place) -> Iterator[Value]:
    """Yields all values that stand at a place of a term."""
    if not path:
        yield from term.children
        return
    for child in term.children:
        if isinstance(child, Term) and child.label == path[0]:
            yield from values_at(child, path[1:])


def _several(slot: Slot) -> str:
    rule, variable = next(iter(slot.variables.items()))
    return (
        f"`var {variable}`, by which the stream is divided for rule `{rule}`, has several values in this event; "
        f"{_UNDIVIDED}"
    )
