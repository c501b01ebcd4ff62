"""Micro-batches without Spark: the layers of a stream over a state store in memory.

What Spark does is played here: rows are grouped by operator and bucket, timers that the watermark has passed fire after
the rows of a batch, the watermark of a batch follows from the batches before it, and a batch without rows is run when
only time has gone on.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import pyarrow as pa

from cera.engines.spark.division.operators import Operator
from cera.engines.spark.division.routing import Router
from cera.engines.spark.streaming.messages.messages import (
    OUTPUT,
    LatePolicy,
    pack_table,
    pack_versions,
    unpack_events,
    unpack_results,
)
from cera.engines.spark.streaming.messages.packing import Packer
from cera.engines.spark.streaming.messages.stage_results import Result, ResultsByKind, by_kind
from cera.engines.spark.streaming.state.shell import Layer
from cera.model.columns.flat_events import BEGIN, END, LABEL, REPORTED_IF_LATE, arrow_stream, encoded
from cera.model.events.event import Event
from cera.model.events.occurrence import occurrence
from cera.model.terms.json_terms import term_to_json

Key = tuple[str, int]
Message = tuple[str, int, bytes]


@dataclass
class Store:
    """The state and the timers of one layer. It is the handle, the value state and the timer values in one."""

    values: dict[Key, tuple[bytes]] = field(default_factory=dict)
    timers: set[tuple[int, Key]] = field(default_factory=set)
    watermark: int = 0
    key: Key = (OUTPUT, 0)
    written: int = 0

    def getValueState(self, name: str, schema: str) -> Store:
        return self

    def get(self) -> tuple[bytes] | None:
        return self.values.get(self.key)

    def update(self, value: tuple[bytes]) -> None:
        self.written += 1
        self.values[self.key] = value

    def clear(self) -> None:
        self.values.pop(self.key, None)

    def registerTimer(self, expiry: int) -> None:
        self.timers.add((expiry, self.key))

    def deleteTimer(self, expiry: int) -> None:
        self.timers.discard((expiry, self.key))

    def getCurrentWatermarkInMs(self) -> int:
        return self.watermark


@dataclass(frozen=True)
class Expired:
    expiry: int

    def getExpiryTimeInMs(self) -> int:
        return self.expiry


@dataclass
class MicroBatches:
    """A stream that is run batch by batch."""

    operators: Sequence[Operator]
    max_delay: int
    results: list[Result] = field(default_factory=list)
    watermark: int = 0
    latest: int | None = None
    stores: dict[int, Store] = field(default_factory=dict)
    #: Whether events are packed as tables where they fit.
    tables: bool = False

    def __post_init__(self) -> None:
        self.stores = self.stores or {operator.layer: Store() for operator in self.operators}

    def batch(self, events: Iterable[Event], announced: Mapping[str, int] | None = None) -> list[Result]:
        """A batch of events; time has come as far as the batches before it say.

        `announced` are the versions of relations that come with it.
        """
        if self.latest is not None:
            self.watermark = max(self.watermark, self.latest // 1000 - -(-self.max_delay // 1000))
        packer = Packer(Router(self.operators))
        for event in events:
            packer.take(occurrence(event))
        self.latest = max((end for end in (self.latest, packer.latest) if end is not None), default=None)
        messages: list[Message] = list(zip(*(part.to_pylist() for part in packer.flush().columns), strict=True))
        if self.tables:
            messages = [(name, at, payload if name == OUTPUT else as_table(payload)) for name, at, payload in messages]
        for operator in self.operators if announced else ():
            numbers = {name: number for name, number in (announced or {}).items() if name in operator.relations}
            if numbers:
                messages += [(operator.identity, at, pack_versions(numbers)) for at in range(operator.buckets)]
        for layer in self.stores:
            messages = self._layer(layer, messages)
        found = [result for name, _, payload in messages if name == OUTPUT for result in unpack_results(payload)]
        assert all(name == OUTPUT for name, _, _ in messages), "a message for an operator that is in no later layer"
        self.results += found
        return found

    def _layer(self, number: int, messages: Sequence[Message]) -> list[Message]:
        store = self.stores[number]
        store.watermark = self.watermark
        here = [operator for operator in self.operators if operator.layer == number]
        layer = Layer(here, [operator for operator in self.operators if operator.layer > number])
        handle: Any = store
        layer.init(handle)
        found: list[pd.DataFrame] = []
        for key in dict.fromkeys((name, bucket) for name, bucket, _ in messages):
            store.key = key
            payloads = [payload for name, bucket, payload in messages if (name, bucket) == key]
            found += layer.handleInputRows(key, iter([pd.DataFrame({"payload": payloads})]), handle)
        while due := sorted(timer for timer in store.timers if timer[0] <= self.watermark):
            expiry, store.key = due[0]
            expired: Any = Expired(expiry)
            found += layer.handleExpiredTimer(store.key, handle, expired)
            store.deleteTimer(expiry)
        return [message for frame in found for message in frame.itertuples(index=False, name=None)]

    @property
    def by_kind(self) -> ResultsByKind:
        return by_kind(self.results)


_KINDS = {int: "integer", float: "double", str: "string"}


def as_table(payload: bytes) -> bytes:
    """The events of a payload as the packers of typed columns write them; the same payload if they are not flat."""
    events, policies = unpack_events(payload)
    contents = [term_to_json(each.term)[each.label] for each in events]
    if any(each.qualifier is not None for each in events) or not all(map(_is_flat, contents)):
        return payload
    names = dict.fromkeys((_KINDS[type(value)], name) for content in contents for name, value in content.items())
    columns: dict[str, Any] = {
        BEGIN: [each.begin for each in events],
        END: [each.end for each in events],
        LABEL: [each.label for each in events],
    }
    for kind, name in names:
        values = [content.get(name) for content in contents]
        columns[f"{kind}:{name}"] = [value if _KINDS.get(type(value)) == kind else None for value in values]
    if columns[BEGIN] == columns[END]:
        del columns[BEGIN]
    if LatePolicy.DROP in policies:
        columns[REPORTED_IF_LATE] = [policy is LatePolicy.REPORT for policy in policies]
    table = encoded(pa.table(columns))
    return pack_table(min(columns[END]), len(events), arrow_stream(table))


def _is_flat(content: Any) -> bool:
    return isinstance(content, dict) and all(
        type(value) in _KINDS and (type(value) is not int or abs(value) < 2**63) for value in content.values()
    )


def random_cuts(events: Sequence[Event], chance: random.Random) -> list[list[Event]]:
    """The events in the order given, cut into batches, of which some are empty."""
    batches: list[list[Event]] = [[]]
    for event in events:
        while chance.random() < 0.25:
            batches.append([])
        batches[-1].append(event)
    return batches
