"""The protocol of a module, which runs a program of any language. A new calculus brings a class that implements it.

A program is a set of modules. Their units determine which of them sees the events of which others (`layering`). Each
defines how it runs: by its processor, and for the reference engine by its definition.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, runtime_checkable

from cera.diagnostics import Note, Span
from cera.model.calendars.tick_limits import TICK_LIMIT
from cera.model.events.answer_limits import RECURSION_LIMIT
from cera.model.events.attributes import AskedAttribute, AskedValue, Path
from cera.model.events.event import Event
from cera.model.events.relation_rows import RelationRows
from cera.model.time.interval import Interval, Time
from cera.model.time.time_text import TimeFormat
from cera.modules.answers.answer import Answer
from cera.modules.monitoring import Clock, Granularity, MonitoredEvents, Output
from cera.modules.processor import Processor


@dataclass(frozen=True)
class Settings:
    """The settings of a run of a module. Durations are microseconds.

    `max_duration` is what the source promises: no event lasts longer. A timer may tick `tick_limit` times between two
    events, and recursive rules may derive `recursion_limit` events that end at one time. `until` is for definitions,
    which take a whole recording.
    """

    timezone: str = "UTC"
    max_duration: int | None = None
    tick_limit: int | None = None
    until: Time | None = None
    recursion_limit: int = RECURSION_LIMIT
    #: The rows of the relations that rules look up, by name.
    relations: Mapping[str, RelationRows] = field(default_factory=dict)
    #: When the recording begins, for a processor that sees only a part of it: the times at which an event is known that
    #: begins before all others until then, each with its begin.
    begins: tuple[tuple[Time, Time], ...] = ()

    @property
    def ticks(self) -> int:
        """The limit of ticks, the usual one if none is given."""
        return self.tick_limit or TICK_LIMIT


@dataclass(frozen=True)
class Port:
    """Events that a unit reads or derives: their label, None if it may be any, and the place in the program."""

    label: str | None
    note: Note


@dataclass(frozen=True)
class Unit:
    """The smallest part of a module that can lie in a layer of its own: a rule, or the whole module.

    `within` are the units of the same module that it reads, by their numbers.
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    within: Collection[int] = ()
    span: Span | None = None
    #: The hint if all on a circle have it, before the one for every circle.
    hint: str | None = None


class Definition(Protocol):
    """The meaning of a module: its answers over a whole recording, slow on purpose."""

    def answer(self, events: Sequence[Event], extent: Interval | None) -> Answer:
        """Returns the answer. `extent` is from the first end to the last one, None if there are no events."""


class Module(Protocol):
    """A module of any language."""

    @property
    def name(self) -> str: ...
    @property
    def span(self) -> Span | None: ...
    @property
    def identity(self) -> object:
        """The key of the program that a saved state belongs to."""

    @property
    def parts(self) -> Mapping[str, object]:
        """Its rules or types by name, each with a value that must stay equal to keep its state when the program
        changes.
        """

    @property
    def units(self) -> tuple[Unit, ...]:
        """The parts that may lie in different layers, in an order of their own."""

    @property
    def is_recursive(self) -> bool:
        """Whether units may read what they derive themselves."""

    @property
    def monitored(self) -> tuple[MonitoredEvents, ...]:
        """The events behind its predicates; none of a module that matches terms."""

    @property
    def outputs(self) -> tuple[Output, ...]:
        """The events that its predicates stand for; none of a module that constructs terms."""

    @property
    def granularity(self) -> Granularity:
        """The granularity that divides events that end at one time into stages."""

    @property
    def partition(self) -> str | None:
        """The attribute whose values have a history each; None if there is one history, or none."""

    @property
    def is_divided_by_values(self) -> bool:
        """Whether an event belongs to each value that it has of the partition attribute, and to none without one.

        Otherwise an event that has not just one is left out.
        """

    @property
    def clocks(self) -> tuple[Clock, ...]:
        """The timers whose ticks make something happen in a history although no event comes."""

    @property
    def reads(self) -> frozenset[str | None]:
        """The labels of the events that it needs, with None if it may be any."""

    @property
    def derives(self) -> frozenset[str | None]:
        """The labels of the events that it derives, with None if it may be any."""

    @property
    def starts_with_any_event(self) -> bool:
        """Whether timers begin with the first event, whatever its label."""

    @property
    def depends_on_extent(self) -> bool:
        """Whether what it derives from a recording depends on when that begins and ends."""

    @property
    def depends_on_duration(self) -> bool:
        """Whether what it remembers depends on how long the events of a source can last."""

    @property
    def looks_up(self) -> frozenset[str]:
        """The names of the relations that it looks up."""

    @property
    def is_saved_bare(self) -> bool:
        """Whether the state of a program of this module alone is saved without layers around it."""

    def asked_attributes(self) -> Iterable[AskedAttribute]:
        """Returns the attributes that it asks for."""

    def derived_attributes(self) -> Mapping[str, frozenset[Path] | None]:
        """Returns the attributes of the events that it derives by label; None where they are not known before a run."""

    def restricted(self, units: Sequence[int]) -> Self:
        """Returns the module with these units only."""

    def limited(self, answers: int) -> Self:
        """Returns the module with a limit on the events of each rule or type that end with one event."""

    def processor(self, settings: Settings) -> Processor[Any]: ...
    def definition(self, settings: Settings) -> Definition: ...


@runtime_checkable
class AsksForValues(Protocol):
    """A module of which it is said that nothing happened to it, if values that it needs do not occur."""

    def asked_values(self) -> Iterable[AskedValue]:
        """Returns the values without which something that it asks for is not there."""


@runtime_checkable
class WritesTimes(Protocol):
    """A module in whose answers there are times as texts or numbers."""

    def with_times(self, times: TimeFormat) -> Any:
        """Returns the module that writes times as a run does."""


def known(labels: Iterable[str | None]) -> list[str]:
    """Returns the labels without None, sorted."""
    return sorted(label for label in set(labels) if label is not None)
