"""An automaton as a module: events come in, states of instances and violations go out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Self

from cera.automata.automaton import Automaton, Path, Reference
from cera.automata.structure import Structure
from cera.diagnostics import Span
from cera.model.events.attributes import AskedAttribute
from cera.model.events.states import ENDING, INTERNAL, OPENING
from cera.model.tags import tagged
from cera.model.time.time_text import TimeFormat
from cera.modules.history_module import HistoryModule
from cera.modules.module import Settings
from cera.modules.monitoring import Clock, Granularity, MonitoredEvents, Output

if TYPE_CHECKING:
    from cera.automata.definition import AutomatonDefinition
    from cera.automata.processor import AutomatonProcessor
    from cera.automata.uniqueness import UniqueModule

#: The labels of the events that an automaton derives besides states.
VIOLATION, OVERDUE = "violation", "overdue"
#: What is said of events that are relevant for no instance.
NOT_AWAITED = "came when no instance waited for such an event"
#: Those about states that rules do not see: that some run was in, and that were certain only after their end.
POSSIBLE, PAST = "possible", "past"


def claim_label(automaton: str, variable: str) -> str:
    """Returns the label of the events that say which values of a unique variable an automaton was entered with."""
    return f"{INTERNAL}claim:{automaton}.{variable}"


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
    #: Whether the states that only some runs were in are derived, too.
    possible: bool = False
    #: Whether each instance that a violation ends has a mark of its own, which can be counted.
    marks_violated: bool = False
    #: Whether violations have all transitions of their runs as causes; runs remember them then.
    traced: bool = False
    run_limit: int = field(default=RUN_LIMIT, compare=False)
    #: How times are written in explanations; ISO 8601 if None.
    times: TimeFormat | None = field(default=None, compare=False)
    span: Span | None = field(default=None, compare=False, repr=False)

    granularity: Granularity = "time"
    clocks: tuple[Clock, ...] = ()
    left_out_text = NOT_AWAITED

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
        labels = [VIOLATION, OVERDUE, PAST]
        labels += [POSSIBLE] if self.possible else []
        labels += [claim_label(self.name, variable) for variable in self.claimed]
        labels += [self.violated_label] if self.marks_violated else []
        labels += [prefix + self.structure.labels[state] for state in self.shown for prefix in (OPENING, ENDING)]
        return tuple(Output(self.name, label, (), label, (), self.span) for label in labels)

    @cached_property
    def claimed(self) -> dict[str, int | None]:
        """The unique variables of enter transitions whose values instances with different keys could share, with the
        time for which they are remembered. Where there is one history, or the variable is its key, there are none."""
        found: dict[str, int | None] = {}
        if self.structure.key is None:
            return found
        own = dict(self.automaton.root.attributes)[self.structure.key]
        for step in self.structure.enters:
            query = step.transition.label.query
            for each in query.unique if query is not None else ():
                if own != Reference(each.variable):
                    memory = found.get(each.variable, 0)
                    found[each.variable] = None if memory is None or each.memory is None else max(memory, each.memory)
        return found

    @property
    def uniqueness(self) -> tuple[UniqueModule, ...]:
        """The modules that see to it that these values are not shared."""
        from cera.automata.uniqueness import UniqueModule  # which knows its reports, and these know modules

        return tuple(UniqueModule(self.name, *each, span=self.span) for each in self.claimed.items())

    @property
    def violated_label(self) -> str:
        """The label of the marks of instances that a violation has ended."""
        return f"violated:{self.name}"

    @property
    def identity(self) -> object:
        return replace(self, run_limit=RUN_LIMIT, times=None)

    def asked_attributes(self) -> Iterator[AskedAttribute]:
        for query in self.automaton.queries:
            for path, _ in query.attributes:
                yield AskedAttribute(query.label, path, span=query.span)

    def limited(self, answers: int) -> Self:
        return replace(self, run_limit=answers)

    def with_times(self, times: TimeFormat) -> Self:
        return replace(self, times=times)

    def processor(self, settings: Settings) -> AutomatonProcessor:
        from cera.automata.processor import AutomatonProcessor  # many programs are only checked

        return AutomatonProcessor(self, settings.timezone)

    def definition(self, settings: Settings) -> AutomatonDefinition:
        from cera.automata.definition import AutomatonDefinition  # few runs need it

        return AutomatonDefinition(self, settings)
