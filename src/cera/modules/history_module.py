"""The common part of modules over histories, whatever their calculus."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Self

from cera.diagnostics import Note, Span
from cera.model.events.attributes import AskedAttribute, Path
from cera.model.events.states import is_internal
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Expression, Not, Or
from cera.model.time.time_text import TimeFormat
from cera.modules.module import Port, Unit
from cera.modules.monitoring import Granularity, MonitoredEvents, Output
from cera.modules.tuples import TIME_ATTRIBUTES


class HistoryModule:
    """A module that monitors events and derives others as a whole: it is one unit, and reads none of its own events."""

    if TYPE_CHECKING:  # fields of the dataclasses that inherit from it

        @property
        def name(self) -> str: ...
        @property
        def monitored(self) -> tuple[MonitoredEvents, ...]: ...
        @property
        def outputs(self) -> tuple[Output, ...]: ...
        @property
        def granularity(self) -> Granularity: ...
        @property
        def partition(self) -> str | None: ...
        @property
        def span(self) -> Span | None: ...

    is_recursive = False
    starts_with_any_event = False
    depends_on_extent = False
    is_divided_by_values = False
    depends_on_duration = False
    looks_up: frozenset[str] = frozenset()
    is_saved_bare = False
    #: The hint if it reads its own events.
    circle_hint: str | None = None
    #: What is said of events that belong to none of its histories.
    left_out_text = "lacked the attribute that a module is partitioned by, and did not count there"

    @property
    @abstractmethod
    def identity(self) -> object: ...

    @property
    def reads(self) -> frozenset[str]:
        """The labels of the events that it needs."""
        return frozenset(each.label for each in self.monitored)

    @property
    def derives(self) -> frozenset[str]:
        """The labels of the events that it derives."""
        return frozenset(each.label for each in self.outputs)

    @property
    def parts(self) -> Mapping[str, object]:
        """Its rules by name. They share a history, so that all change if one changes."""
        return dict.fromkeys((output.rule for output in self.outputs), self.identity)

    @property
    def units(self) -> tuple[Unit, ...]:
        inputs = (Port(each.label, Note(self._reading(each), each.span)) for each in self.monitored)
        outputs = (Port(each.label, Note(f"rule `{each.rule}` derives them", each.span)) for each in self.outputs)
        within = (0,) if self.reads & self.derives else ()
        return (Unit(self.name, tuple(inputs), tuple(outputs), within, self.span, self.circle_hint),)

    def _reading(self, monitored: MonitoredEvents) -> str:
        """Returns that it reads some events; those that only serve to compose states have labels that nobody wrote."""
        if is_internal(monitored.label):
            return f"module `{self.name}` is composed of what rules derive for it"
        return f"module `{self.name}` monitors `{monitored}`"

    def restricted(self, units: Sequence[int]) -> Self:
        return self

    def with_times(self, times: TimeFormat) -> Self:
        """Returns the module as it writes times in texts of its own; most have none."""
        return self

    def derived_attributes(self) -> Mapping[str, frozenset[Path] | None]:
        found: dict[str, frozenset[Path] | None] = {}
        for output in self.outputs:
            fields = None if not output.fields else frozenset((name,) for name, _ in output.fields)
            known = found.get(output.label, frozenset())
            found[output.label] = None if fields is None or known is None else fields | known
        return found


def asked_by_partition(monitored: tuple[MonitoredEvents, ...], partition: str | None) -> Iterator[AskedAttribute]:
    """Yields the attribute that divides the history; an event without it is ignored."""
    if partition is not None:
        for each in monitored:
            if each.operation is None and partition not in TIME_ATTRIBUTES:
                yield AskedAttribute(each.name, (partition,), any_case=partition in each.attributes, span=each.span)


def attribute_of(each: MonitoredEvents, name: str, *, needed: bool, at: Expression) -> Iterator[AskedAttribute]:
    """Yields the attribute `name` of a monitored event, if it is one of its term."""
    if each.operation is None and name and name not in TIME_ATTRIBUTES:
        yield AskedAttribute(each.name, (name,), needed, any_case=name in each.attributes, span=at.span or each.span)


def is_needed(expression: Expression) -> bool:
    """Returns whether the expression holds, or has a value, only where every variable in it has one."""
    return not any(isinstance(part, Or | Not) for part in expressions.walk(expression))
