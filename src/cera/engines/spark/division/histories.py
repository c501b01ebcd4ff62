"""Assignment of events to the histories of a module, where these are divided into buckets.

All events with the same value of the partition attribute are in one bucket. The bucket follows from the hash of the
value, `xxhash64` as Spark computes it, so that columns and Python agree.
"""

from __future__ import annotations

from collections.abc import Sequence

from cera.engines.spark.division.key_hashes import bucket, key_hash
from cera.model.events.occurrence import unwrap
from cera.modules.arrivals import NO_HISTORY, Arrival, history_of
from cera.modules.histories import OverHistories
from cera.modules.module import Module

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


def group_modules(modules: Sequence[Module]) -> tuple[tuple[Module, ...], ...]:
    """Returns the modules, grouped where they see the same events and divide them in the same way.

    Modules with one history each stay single, so that they can run at the same time.
    """
    found: dict[object, list[Module]] = {}
    for number, module in enumerate(modules):
        alike = isinstance(module, OverHistories) and module.partition is not None
        found.setdefault((module.monitored, module.partition) if alike else number, []).append(module)
    return tuple(map(tuple, found.values()))
