"""A stream that an engine has opened, its counts, and the report on a micro-batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from cera.model.events.event import DerivedEvent

#: Does what rules want done for some of their events.
Act = Callable[[Sequence[DerivedEvent]], object]


@dataclass(frozen=True)
class BatchReport:
    """One micro-batch. `undefined` is how often an expression had no value, `without_key` how many events lacked the
    attribute by which a module divides them, `repaired` how many ends of states came too late and were moved on;
    `watermark` is microseconds, None before the first."""

    batch: int
    events: int
    derived: int
    late: int
    rejected: int
    undefined: int
    without_key: int
    live: int
    watermark: int | None
    seconds: float
    repaired: int = 0


class RuleTotal(Protocol):
    """How many events a rule has derived, and the JSON lines of the first of them."""

    @property
    def number(self) -> int: ...
    @property
    def first(self) -> Sequence[str]: ...


class StreamTotal(Protocol):
    """How much was derived by label, and of some labels by rule."""

    @property
    def labels(self) -> Mapping[str, int]: ...
    @property
    def rules(self) -> Mapping[str, RuleTotal]: ...


class StreamCounts(Protocol):
    """Sums over the micro-batches of a run. `live` is how many tuples are in state now, `late_ends` how many of the
    late events name the end of a state that is not open."""

    @property
    def batches(self) -> int: ...
    @property
    def events(self) -> int: ...
    @property
    def derived(self) -> int: ...
    @property
    def late(self) -> int: ...
    @property
    def rejected(self) -> int: ...
    @property
    def undefined(self) -> int: ...
    @property
    def without_key(self) -> int: ...
    @property
    def repaired(self) -> int: ...
    @property
    def late_ends(self) -> int: ...
    @property
    def live(self) -> int: ...
    @property
    def late_labels(self) -> Mapping[str, int]:
        """The late events by label."""

    @property
    def totals(self) -> StreamTotal:
        """How much was derived since the stream began, where that is counted."""

    @property
    def totals_now(self) -> StreamTotal:
        """How much this run of the stream has derived, where that is counted."""

    @property
    def unread(self) -> int:
        """How often a relation could not be read again."""


class RunningStream(Protocol):
    """A program over a stream: its checkpoint is open, and what it writes to can be written."""

    @property
    def ledger(self) -> Path:
        """The file for which actions of rules are done, kept with what the stream remembers."""

    @property
    def counters(self) -> StreamCounts: ...

    def run(self, act: Act) -> None:
        """Runs until the sources end or the process is stopped.

        `act` is called again with the events of a batch that was not finished.
        """
