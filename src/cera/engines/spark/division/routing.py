"""Which operators an event goes to, and into which of their buckets.

A bucket is taken from the hash of the key, `xxhash64` as Spark computes it, so that columns and Python agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from cera.datalog.modules import Monitored
from cera.engines.spark.division.histories import NOWHERE, Histories
from cera.engines.spark.division.key_hashes import bucket, key_hash
from cera.engines.spark.division.module_operators import AnyOperator, ModuleOperator
from cera.engines.spark.division.operators import Operator
from cera.engines.spark.division.places import Place
from cera.engines.spark.division.slots import Slot
from cera.engines.stagewise.arrivals import Recognizer
from cera.model.events.occurrence import Occurrence
from cera.model.matching.matching import match
from cera.model.matching.patterns import Pattern
from cera.model.terms.term import Term, Value, value_key
from cera.rules.analysis.dependencies import event_patterns
from cera.rules.analysis.unification import query_label
from cera.wording import Setting


class DividedEventError(Exception):
    """An event belongs to several parts of the stream at once: its key has several values."""


@dataclass(frozen=True)
class Destination:
    operator: str
    bucket: int


class Router:
    """The destinations of events, computed in Python."""

    def __init__(self, operators: Iterable[AnyOperator]) -> None:
        known = tuple(operators)
        self._operators = tuple(operator for operator in known if isinstance(operator, Operator))
        #: Modules by what they monitor: an event is looked at once for all that monitor the same.
        self._modules: dict[tuple[Monitored, ...], tuple[Recognizer, list[tuple[str, Histories]]]] = {}
        for operator in known:
            if isinstance(operator, ModuleOperator):
                module = operator.module
                alike = self._modules.setdefault(module.monitored, (Recognizer(module), []))[1]
                alike.append((operator.identity, Histories(module, operator.buckets)))
        self._by_label: dict[str, list[tuple[Operator, tuple[Place, ...]]]] = {}
        self._buckets: dict[tuple[str, str | int | float], int] = {}

    def destinations(self, event: Occurrence) -> list[Destination]:
        """Raises DividedEventError where a key has several values."""
        ways = self._by_label.get(event.label)
        if ways is None:
            ways = self._by_label[event.label] = list(self._ways(event.label))
        found: list[Destination] = []
        for operator, paths in ways:
            if not operator.key:
                found.append(Destination(operator.identity, 0))
            elif (part := self._part(operator, paths, event)) is not None:
                found.append(Destination(operator.identity, part))
        for recognizer, alike in self._modules.values():
            for _, arrival in recognizer.arrivals((event,), 0):
                for identity, histories in alike:
                    place = histories.bucket_of(arrival)  # what belongs nowhere is counted in the first, if not late
                    found.append(Destination(identity, 0 if place == NOWHERE else place))
        return found

    def _ways(self, label: str) -> Iterator[tuple[Operator, tuple[Place, ...]]]:
        for operator in self._operators:
            if operator.queries(label) or operator.ticks:
                paths = [slot.place(label) for slot in operator.key]
                yield operator, tuple(path for path in paths if path is not None)

    def _part(self, operator: Operator, paths: tuple[Place, ...], event: Occurrence) -> int | None:
        content = event.content
        if len(paths) == 1 and len(paths[0]) == 1 and content is not None:
            value = content.get(paths[0][0])
            if value is None:
                return None
            part = self._buckets.get((operator.identity, value))
            if part is None:
                if len(self._buckets) > 100_000:
                    self._buckets.clear()
                part = bucket((key_hash(value),), operator.buckets)
                self._buckets[operator.identity, value] = part
            return part
        hashes: list[int] = []
        for slot, path in zip(operator.key, paths, strict=True):
            values: dict[tuple[Any, ...], Value] = {value_key(value): value for value in values_at(event.term, path)}
            if len(values) > 1:
                values = self._matched(operator, slot, event)
            if len(values) > 1:
                raise DividedEventError(_several(operator, slot))
            if not values:
                return None
            hashes += [key_hash(value) for value in values.values()]
        return bucket(hashes, operator.buckets)

    def _matched(self, operator: Operator, slot: Slot, event: Occurrence) -> dict[tuple[Any, ...], Value]:
        """The values of a slot under which some query of the operator matches an event of unusual shape."""
        found: dict[tuple[Any, ...], Value] = {}
        for rule in operator.rules:
            for query in event_patterns(rule):
                if _may_match(query.pattern, event.label):
                    values = [answer[slot.variables[rule.name]] for answer in match(query.pattern, event.term)]
                    found.update((value_key(value), value) for value in values)
        return found


def _may_match(pattern: Pattern, label: str) -> bool:
    return query_label(pattern) in (None, label)


def values_at(term: Term, path: Place) -> Iterator[Value]:
    """All values that stand at a place of a term."""
    if not path:
        yield from term.children
        return
    for child in term.children:
        if isinstance(child, Term) and child.label == path[0]:
            yield from values_at(child, path[1:])


def _several(operator: Operator, slot: Slot) -> str:
    rule, variable = next(iter(slot.variables.items()))
    return (
        f"`var {variable}`, by which the stream is divided for rule `{rule}`, has several values in this event; "
        f"with {Setting.BUCKETS.of('1')} the stream is not divided"
    )
