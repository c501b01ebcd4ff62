"""What is asked of a stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cera.connectors.records.layout import Layout
from cera.connectors.sink import Sink
from cera.connectors.source import Source
from cera.model.events.answer_limits import RECURSION_LIMIT


@dataclass(frozen=True)
class StreamSource:
    """A source of a stream, and how far ahead of the clock its events may end: microseconds, None for no limit."""

    source: Source
    max_ahead: int | None = None

    @property
    def shown(self) -> str:
        return self.source.shown

    @property
    def checkpoint_name(self) -> str:
        return self.source.checkpoint_name


@dataclass(frozen=True)
class StreamRequest:
    """Where events come from and answers go, and how a program is answered over them. Durations are microseconds.

    Malformed records and late events go to the folders `rejected` and `late`. With `max_duration` None, it is 0 where
    all events are points of time, and else there is no limit. `master` and `settings` are for Spark.
    """

    sources: tuple[StreamSource, ...]
    sink: Sink
    #: The folder for what must be remembered.
    checkpoint: Path
    layout: Layout
    engine: str = "spark"
    max_delay: int = 10_000_000
    max_duration: int | None = None
    late: Path | None = None
    rejected: Path | None = None
    #: How often a micro-batch starts; None for as soon as there is something.
    trigger: int | None = None
    #: Whether what is there now is all that is taken.
    once: bool = False
    files_a_batch: int | None = None
    #: Into how many parts events are divided; None for the number of the engine.
    buckets: int | None = None
    #: The labels of the events that are written; None for all.
    labels: frozenset[str] | None = None
    #: Whether the openings of derived states are written as well as their closings.
    changes: bool = False
    #: The labels whose events are counted by rule from the begin of the stream on, and all events by label; with none
    #: nothing is counted.
    counts_by_rule: frozenset[str] = frozenset()
    #: Whether rules that have changed since the checkpoint start without memory.
    restart_changed: bool = False
    tick_limit: int | None = None
    recursion_limit: int = RECURSION_LIMIT
    master: str = "local[*]"
    settings: Mapping[str, str] = field(default_factory=dict)
    #: Where the rows of relations are, by name, instead of where the program says.
    relations: Mapping[str, object] = field(default_factory=dict)
