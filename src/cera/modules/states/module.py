"""States that rules derive, as a module: supports come in, openings and endings go out.

A rule `state: h <- body` derives *supports* of states: an internal event for each derivation, which ends when the
state begins and carries its causes. A support holds until the first of these happens:

    loss      a state that the body asks for ends
    release   the event behind `until` happens in the support
    limit     the evaluation time of the rule is over

A state holds while it has a support: one that comes while the same term holds joins it. What holds for no time at all
does not happen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from cera.diagnostics import Span
from cera.model.events.attributes import AskedAttribute
from cera.model.events.states import ENDING, OPENING
from cera.model.expressions.expression import Expression
from cera.model.tags import tagged
from cera.modules.history_module import HistoryModule
from cera.modules.module import Settings
from cera.modules.monitoring import Clock, Granularity, MonitoredEvents, Output

if TYPE_CHECKING:
    from cera.modules.states.definition import StateDefinition
    from cera.modules.states.processor import StateProcessor


@tagged("StateCause")
@dataclass(frozen=True)
class StateCause:
    """A cause of a support: its name in the rule, the label of its events, and whether it is a state that must hold."""

    name: str
    label: str
    is_needed: bool = False


@tagged("StateRule")
@dataclass(frozen=True)
class StateRule:
    """A rule that derives states: the labels of the events about its supports, and when these end at the latest."""

    name: str
    support: str
    causes: tuple[StateCause, ...]
    #: The label of the events that a needed state has ended; None if none is needed.
    loss: str | None = None
    #: The label of the events behind `until`, which have the values of `key` in common with the support.
    release: str | None = None
    key: tuple[str, ...] = ()
    #: The end of the evaluation time, from the times of the causes.
    limit: Expression | None = None
    #: Length, slide and origin of the windows that are the evaluation time.
    window: tuple[int, int, int] | None = None
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(label for label in (self.support, self.loss, self.release) if label is not None)


@tagged("StateModule")
@dataclass(frozen=True)
class StateModule(HistoryModule):
    """All rules that derive states of one label."""

    label: str
    rules: tuple[StateRule, ...]
    #: An attribute whose value all events about a support have.
    partition: str | None = None
    span: Span | None = field(default=None, compare=False, repr=False)

    granularity: Granularity = "time"
    clocks: tuple[Clock, ...] = ()

    @property
    def name(self) -> str:
        return f"state {self.label}"

    @property
    def monitored(self) -> tuple[MonitoredEvents, ...]:
        return tuple(MonitoredEvents(label, label, span=rule.span) for rule in self.rules for label in rule.labels)

    @property
    def outputs(self) -> tuple[Output, ...]:
        labels = (OPENING + self.label, ENDING + self.label)
        return tuple(
            Output(rule.name, label, (), label, (), rule.span)
            for rule in {rule.name: rule for rule in self.rules}.values()
            for label in labels
        )

    @property
    def identity(self) -> object:
        return self

    def asked_attributes(self) -> Iterator[AskedAttribute]:
        return iter(())

    def limited(self, answers: int) -> Self:
        return self

    def processor(self, settings: Settings) -> StateProcessor:
        from cera.modules.states.processor import StateProcessor  # many programs are only checked

        return StateProcessor(self, settings.timezone)

    def definition(self, settings: Settings) -> StateDefinition:
        from cera.modules.states.definition import StateDefinition  # few runs need it

        return StateDefinition(self, settings)
