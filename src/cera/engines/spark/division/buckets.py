"""Buckets of keys, and of the histories of a module.

All events with the same value of the partition attribute are in one bucket. The bucket follows from the hash of the
value, `xxhash64` as Spark computes it, so that columns and Python agree.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from xxhash import xxh64_intdigest

from cera.model.events.occurrence import Occurrence, unwrap, wrap
from cera.model.terms.hashing import chain, hash_value
from cera.model.terms.term import Term, Value
from cera.modules.arrivals import NO_HISTORY, Arrival, history_of
from cera.modules.history_module import HistoryModule
from cera.modules.module import Module

_SPARK_SEED = 42


def key_hash(value: Value) -> int:
    """Returns the hash of a value of a key: xxhash64 of the string, or of the 64-bit integer."""
    match value:
        case str():
            return xxh64_intdigest(value.encode("utf-8", "surrogatepass"), _SPARK_SEED)
        case bool():
            return xxh64_intdigest(struct.pack("<q", int(value)), _SPARK_SEED)
        case int():
            return xxh64_intdigest(struct.pack("<q", value), _SPARK_SEED)
        case float():
            return xxh64_intdigest(struct.pack("<d", value), _SPARK_SEED)
        case Term():
            return hash_value(value, 1) % 2**64


def bucket(hashes: Sequence[int], buckets: int) -> int:
    """Returns the bucket of a key, given the hashes of its parts."""
    if len(hashes) == 1:
        signed = hashes[0] - 2**64 if hashes[0] >= 2**63 else hashes[0]
    else:
        signed = chain(*(part - 2**64 if part >= 2**63 else part for part in hashes))
    return signed % buckets


#: The bucket of events without a value of the partition attribute, which are not in any history.
NOWHERE = -1

_KNOWN = 100_000


class Histories:
    """The buckets of one module. Without a partition there is one."""

    def __init__(self, module: Module, buckets: int) -> None:
        self._partition = module.partition
        self._buckets = buckets if module.partition is not None else 1
        self._known: dict[object, int] = {}

    def bucket_of(self, arrival: Arrival) -> int:
        """Returns the bucket of an event that the module sees; NOWHERE if it is in no history."""
        key = history_of(arrival, self._partition)
        if key is NO_HISTORY:
            return NOWHERE
        return 0 if self._buckets == 1 else self._of(key)

    def _of(self, key: object) -> int:
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _KNOWN:
                self._known.clear()
            found = self._known[key] = bucket((key_hash(unwrap(key)),), self._buckets)  # type: ignore[arg-type]
        return found


class ValueBuckets:
    """The buckets of a module that is divided by values: an event may be in several, in each with the values of that.

    What the module finds has one of the values, so that nothing is found twice.
    """

    def __init__(self, module: Module, buckets: int) -> None:
        self._attribute = module.partition
        self._buckets = buckets
        self._known: dict[object, int] = {}

    def alone(self, event: Occurrence) -> int | None:
        """Returns the bucket of an event that is in one; None if it is in none, or in several."""
        if self._attribute is None:
            return 0
        if event.content is not None:
            value = event.content.get(self._attribute)
            return None if value is None else self._of(value)
        found = {self._of(value) for value in self._values(event.term)}
        return found.pop() if len(found) == 1 else None

    def terms(self, event: Occurrence) -> dict[int, Term]:
        """Returns the terms of an event by bucket: in each only the values of the attribute that are in it."""
        if event.content is not None:
            return {}
        whole = event.term
        return {
            place: Term(whole.label, self._children(whole, place), ordered=whole.ordered)
            for place in sorted({self._of(value) for value in self._values(whole)})
        }

    def _values(self, term: Term) -> Iterator[Value]:
        return (child.children[0] for child in term.children if isinstance(child, Term) and self._is_key(child))

    def _children(self, term: Term, place: int) -> Iterator[Value]:
        for child in term.children:
            if not isinstance(child, Term) or not self._is_key(child) or self._of(child.children[0]) == place:
                yield child

    def _is_key(self, child: Term) -> bool:
        """Returns whether a child is the attribute with one value, as `id(N)` asks for it."""
        return child.label == self._attribute and len(child.children) == 1

    def _of(self, value: Value) -> int:
        key = wrap(value)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _KNOWN:
                self._known.clear()
            found = self._known[key] = bucket((key_hash(unwrap(key)),), self._buckets)
        return found


def group_modules(modules: Sequence[Module]) -> tuple[tuple[Module, ...], ...]:
    """Returns the modules, grouped where they see the same events and divide them in the same way.

    Modules with one history each stay single, so that they can run at the same time.
    """
    found: dict[object, list[Module]] = {}
    for number, module in enumerate(modules):
        alike = isinstance(module, HistoryModule) and module.partition is not None
        found.setdefault((module.monitored, module.partition) if alike else number, []).append(module)
    return tuple(map(tuple, found.values()))
