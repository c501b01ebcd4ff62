"""An automaton as a module: events come in, states of instances and violations go out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Self

from cera.automata.automaton import Automaton, Path
from cera.automata.structure import Structure
from cera.diagnostics import Span
from cera.model.events.attributes import AskedAttribute
from cera.model.events.states import ENDING, OPENING
from cera.model.tags import tagged
from cera.modules.history_module import HistoryModule
from cera.modules.module import Settings
from cera.modules.monitoring import Clock, Granularity, MonitoredEvents, Output

if TYPE_CHECKING:
    from cera.automata.definition import AutomatonDefinition
    from cera.automata.processor import AutomatonProcessor

#: The labels of the events that an automaton derives besides states.
VIOLATION, OVERDUE = "violation", "overdue"
#: How many runs an instance of the root may have at a time, unless another limit is given.
RUN_LIMIT = 10_000


@tagged("AutomatonModule")
@dataclass(frozen=True)
class AutomatonModule(HistoryModule):
    """An automaton that runs."""

    automaton: Automaton
    #: Whether an event that no instance waits for is a violation.
    expects_all: bool = False
    #: Which states it derives: all, or those of the root.
    states: Literal["all", "root"] = "all"
    run_limit: int = field(default=RUN_LIMIT, compare=False)
    span: Span | None = field(default=None, compare=False, repr=False)

    granularity: Granularity = "time"
    clocks: tuple[Clock, ...] = ()
    left_out_text = "came when no instance waited for such an event"

    @property
    def name(self) -> str:
        return self.automaton.name

    @cached_property
    def structure(self) -> Structure:
        return Structure(self.automaton)

    @property
    def shown(self) -> tuple[Path, ...]:
        """The states that it derives."""
        return tuple(self.structure.states) if self.states == "all" else (self.structure.root,)

    @property
    def partition(self) -> str | None:
        return self.structure.key

    @cached_property
    def monitored(self) -> tuple[MonitoredEvents, ...]:
        first = {query.label: query for query in reversed(list(self.automaton.queries))}
        return tuple(MonitoredEvents(label, label, span=first[label].span) for label in sorted(first))

    @cached_property
    def outputs(self) -> tuple[Output, ...]:
        labels = [VIOLATION, OVERDUE]
        labels += [prefix + self.structure.labels[state] for state in self.shown for prefix in (OPENING, ENDING)]
        return tuple(Output(self.name, label, (), label, (), self.span) for label in labels)

    @property
    def identity(self) -> object:
        return replace(self, run_limit=RUN_LIMIT)

    def asked_attributes(self) -> Iterator[AskedAttribute]:
        for query in self.automaton.queries:
            for path, _ in query.named:
                yield AskedAttribute(query.label, path, span=query.span)

    def limited(self, answers: int) -> Self:
        return replace(self, run_limit=answers)

    def processor(self, settings: Settings) -> AutomatonProcessor:
        from cera.automata.processor import AutomatonProcessor  # many programs are only checked

        return AutomatonProcessor(self, settings.timezone)

    def definition(self, settings: Settings) -> AutomatonDefinition:
        from cera.automata.definition import AutomatonDefinition  # few runs need it

        return AutomatonDefinition(self, settings)
