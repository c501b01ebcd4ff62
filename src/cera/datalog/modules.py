"""What runs over events: a Datalog_1S program, the events that make its history, and what is told of its facts.

EPL modules become this, and `.dl1s` files.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from cera.datalog.syntax import Program
from cera.diagnostics import Span
from cera.model.events.answer_limits import ANSWER_LIMIT
from cera.model.tags import tagged
from cera.modules.monitoring import Granularity, Monitored, Output


@tagged("EventModule")
@dataclass(frozen=True)
class EventModule:
    """With `partition`, each value of that attribute has a history of its own."""

    name: str
    program: Program
    monitored: tuple[Monitored, ...]
    outputs: tuple[Output, ...]
    granularity: Granularity = "operation"
    partition: str | None = None
    span: Span | None = field(default=None, compare=False, repr=False)
    #: How many events of each rule a stage may end.
    limit: int = field(default=ANSWER_LIMIT, compare=False, repr=False)

    def limited(self, answers: int) -> EventModule:
        """The same, of which a stage may end so many events of each rule."""
        return replace(self, limit=answers)

    @property
    def reads(self) -> frozenset[str]:
        """The labels of the events that it needs."""
        return frozenset(each.label for each in self.monitored)

    @property
    def derives(self) -> frozenset[str]:
        """The labels of the events that it derives."""
        return frozenset(each.label for each in self.outputs)
