"""What is asked of a run over recorded events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cera.connectors.records.layout import Layout
from cera.connectors.source import Source
from cera.model.events.answer_limits import RECURSION_LIMIT
from cera.model.time.interval import Time
from cera.model.time.time_text import TimeFormat
from cera.running.choice import Engine
from cera.wording import Setting


@dataclass(frozen=True)
class Request:
    """Where recorded events are, how they are laid out, and how a program is answered over them.

    Durations are microseconds. Malformed records and late events go to the files `rejected` and `late`; a `strict` run
    ends with the first malformed one. `master` and `settings` are for Spark.
    """

    sources: tuple[Source, ...]
    layout: Layout
    engine: Engine = "auto"
    until: Time | None = None
    recursion_limit: int = RECURSION_LIMIT
    max_delay: int | None = None
    max_duration: int | None = None
    late: Path | None = None
    rejected: Path | None = None
    strict: bool = False
    master: str = "local[*]"
    settings: Mapping[str, str] = field(default_factory=dict)
    #: The setting that only Spark takes, if one was given.
    spark_setting: Setting | None = None
    #: How far ahead of the clock the events of each source may end; None if there is no limit.
    max_ahead: Mapping[Source, int | None] = field(default_factory=dict)
    tick_limit: int | None = None
    #: The labels of the events that are written; None for all.
    labels: frozenset[str] | None = None
    #: Whether input events are written too, in their place in the order of time.
    base: bool = False
    #: Whether the opening and the closing of each derived state are written as they happen; otherwise a state is
    #: written once, when it has ended, or at the end of the recording.
    changes: bool = False
    #: Whether all events are kept in this process: sources are read once, and what they have is sorted here.
    in_memory: bool = False
    #: Where the rows of relations are, by name, instead of where the program says.
    relations: Mapping[str, object] = field(default_factory=dict)

    #: Whether what would be derived after `until`, if nothing else came, is counted by rule.
    counts_open: bool = False

    @property
    def comes(self) -> bool:
        """Whether events come late and answers are written as they become known, and not in the order of their ends."""
        return self.max_delay is not None and not self.in_memory

    @property
    def times(self) -> TimeFormat:
        return self.layout.times
