"""The state of a running network: plain data, which can be written out and read back between any two steps."""

from __future__ import annotations

import io
import pickle
from dataclasses import dataclass, field
from typing import Any

from cera.engines.local.rows import Row
from cera.engines.local.storage import Store
from cera.engines.local.ticks import Tick
from cera.model.interval import MIN_TIME, Time


@dataclass
class State:
    """What is remembered between steps.

    `stores` are the relations that joins and windows look into, `waiting` the rows whose timers have not ended (a
    heap), `ticks` the next occurrence of each absolute timer. `last` is the last end of an incoming event, `now` the
    last step.
    """

    stores: list[Store]
    waiting: list[tuple[Time, int, int, Row]] = field(default_factory=list)
    ticks: list[Tick | None] = field(default_factory=list)
    counter: int = 0
    last: Time | None = None
    now: Time | None = None
    closing: bool = False
    #: When stores are to be swept the next time.
    sweep_at: Time = MIN_TIME

    @property
    def live(self) -> int:
        """The number of tuples that are remembered."""
        return sum(store.size for store in self.stores) + len(self.waiting)


def dump(state: object) -> bytes:
    """A state, or plain data around one, as bytes."""
    return pickle.dumps(state, protocol=5)


class _Unpickler(pickle.Unpickler):
    """Reads states only: nothing but data and cera's own classes."""

    def find_class(self, module: str, name: str) -> Any:
        if module.startswith("cera.") or (module, name) == ("collections", "deque"):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} does not belong in a state")


def restore(data: bytes) -> Any:
    """What `dump` wrote."""
    return _Unpickler(io.BytesIO(data)).load()
