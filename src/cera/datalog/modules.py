"""What runs over events: a Datalog_1S program, the events that make its history, and what is told of its facts.

EPL modules become this, and `.dl1s` files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Self

from cera.datalog.syntax import Program
from cera.diagnostics import Span
from cera.model.events.answer_limits import ANSWER_LIMIT
from cera.model.events.attributes import AskedAttribute
from cera.model.tags import tagged
from cera.modules.history_module import HistoryModule
from cera.modules.monitoring import Clock, Granularity, MonitoredEvents, Output


@tagged("EventModule")
@dataclass(frozen=True)
class EventModule(HistoryModule):
    """With `partition`, each value of that attribute has a history of its own."""

    name: str
    program: Program
    monitored: tuple[MonitoredEvents, ...]
    outputs: tuple[Output, ...]
    granularity: Granularity = "operation"
    partition: str | None = None
    span: Span | None = field(default=None, compare=False, repr=False)
    #: How many events of each rule a stage may end.
    limit: int = field(default=ANSWER_LIMIT, compare=False, repr=False)

    def limited(self, answers: int) -> Self:
        """The same, of which a stage may end so many events of each rule."""
        return replace(self, limit=answers)

    @property
    def identity(self) -> object:
        """What a saved state belongs to."""
        return self

    @property
    def clocks(self) -> tuple[Clock, ...]:
        """None: nothing happens without an event."""
        return ()

    def asked_attributes(self) -> Iterator[AskedAttribute]:
        from cera.datalog.attributes import asked_by_module

        return asked_by_module(self)
