"""Event types: what occurs by itself, what is composed of others, and what the clock adds.

A module has a hierarchy of them. The leaves are *primitive*: events of a label, or changes of a table. A *complex* type
says by an operator which instances of its components make an instance of it (event condition), which of several are
bound to it (selection), and which are gone afterwards (consumption). A *timer* follows other types by the clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, Self

from cera.diagnostics import Span
from cera.model.events.attributes import AskedAttribute
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Expression, Variable
from cera.model.tags import tagged
from cera.modules.history_module import HistoryModule, asked_by_partition, attribute_of, is_needed
from cera.modules.monitoring import Clock, Granularity, MonitoredEvents, Output

SelectionName = Literal["first", "last", "cumulative", "restricted cumulative", "combinations", "combinations minimum"]
ConsumptionName = Literal["shared", "exclusive parameter", "exclusive"]
OperatorName = Literal["==", ";", "and", "or", "not", "of"]
Fold = Literal["count", "sum", "avg", "min", "max", "first", "last"]

#: From the weakest mode to the strongest.
STRENGTH: tuple[ConsumptionName, ...] = ("shared", "exclusive parameter", "exclusive")


@tagged("Delimiter")
@dataclass(frozen=True)
class Delimiter:
    """The number of instances of a component that there have to be."""

    least: int = 1
    most: int | None = None


@tagged("Component")
@dataclass(frozen=True)
class Component:
    """An operand: the type of its instances, and the modes of their selection and consumption.

    `name` is what conditions and heads call it: that of the type, unless it has one of its own.
    """

    type: str
    name: str
    selection: SelectionName = "last"
    inside: ConsumptionName = "exclusive parameter"
    outside: ConsumptionName = "exclusive parameter"
    delimiter: Delimiter = Delimiter()
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def is_fixed(self) -> bool:
        """Whether it binds a certain number of instances; a cumulative one binds as many as there are."""
        return self.selection not in ("cumulative", "restricted cumulative")

    @property
    def combines(self) -> bool:
        return self.selection in ("combinations", "combinations minimum")


@tagged("Folded")
@dataclass(frozen=True)
class FoldedValue:
    """A value of a head that is made of all instances of a component: `sum(E1.v)` is known under that name."""

    name: str
    function: Fold
    component: str
    attribute: str | None = None


@tagged("ComplexType")
@dataclass(frozen=True)
class ComplexType:
    """`required` is the m of "m of n". `where` are conjuncts, over dotted variables as `E1.sensor`.

    With `fields`, an event of it has these children; without, one for each instance bound to it. A `hidden` type is
    written inside another one: its instances are no events by themselves.
    """

    name: str
    operator: OperatorName
    components: tuple[Component, ...]
    overlapping: bool = True
    continuous: bool = False
    right_to_left: bool = False
    time: Literal["begin", "end"] = "end"
    required: int | None = None
    where: tuple[Expression, ...] = ()
    within: int | None = None
    label: str = ""
    fields: tuple[tuple[str, Expression], ...] | None = None
    folds: tuple[FoldedValue, ...] = ()
    hidden: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)
    #: How many of its events one instance may end; None is the limit of `limits`.
    limit: int | None = field(default=None, compare=False, repr=False)

    @property
    def bound(self) -> tuple[int, ...]:
        """The places of the components whose instances are bound; those between the delimiters of "not" never are."""
        places = range(len(self.components))
        return (places[0], places[-1]) if self.operator == "not" else tuple(places)

    @property
    def forbidden(self) -> tuple[int, ...]:
        return tuple(range(1, len(self.components) - 1)) if self.operator == "not" else ()


@tagged("TimerType")
@dataclass(frozen=True)
class TimerType:
    """A type that occurs `after` each instance of the type `start`: once, or repeatedly until an instance of `stop`.

    With `latest` a new start ends the ticks of the ones before. `after` is in microseconds. Its instances have the
    attribute `since`, the time of the start in microseconds.
    """

    name: str
    after: int
    start: str
    repeats: bool = False
    stop: str | None = None
    latest: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


EventType = ComplexType | TimerType


@tagged("InstanceModule")
@dataclass(frozen=True)
class InstanceModule(HistoryModule):
    """Event types over one history, or over one for each value of the attribute `partition`.

    The predicates of `monitored` are the names of the primitive types. `types` are in an order in which each comes
    after those that it is made of.
    """

    name: str
    monitored: tuple[MonitoredEvents, ...]
    types: tuple[EventType, ...]
    outputs: tuple[Output, ...]
    granularity: Granularity = "operation"
    partition: str | None = None
    span: Span | None = field(default=None, compare=False, repr=False)

    circle_hint = "in its own file an event type is called by the name of its definition"

    @property
    def in_any_order(self) -> Self:
        """The module with its definitions sorted: their order means nothing."""
        return replace(
            self,
            monitored=tuple(sorted(self.monitored, key=lambda each: each.predicate)),
            types=tuple(sorted(self.types, key=lambda each: each.name)),
            outputs=tuple(sorted(self.outputs, key=lambda each: each.rule)),
        )

    def limited(self, answers: int) -> Self:
        """Returns the module with another limit: the number of events of each type that one event may end."""
        types = (replace(each, limit=answers) if isinstance(each, ComplexType) else each for each in self.types)
        return replace(self, types=tuple(types))

    @property
    def timers(self) -> tuple[TimerType, ...]:
        return tuple(each for each in self.types if isinstance(each, TimerType))

    @property
    def clocks(self) -> tuple[Clock, ...]:
        """The clocks of the timers, which tick although no event occurs."""
        return tuple(Clock(each.name, each.after, each.repeats) for each in self.timers)

    @property
    def belated(self) -> frozenset[str]:
        """The types whose instances may occur at an earlier stage than that at which they are detected: those that take
        the beginning of what is bound to them as their time, and those made of them."""
        found: set[str] = set()
        for each in self.types:
            match each:
                case ComplexType(time="begin"):
                    found.add(each.name)
                case ComplexType(components=components) if any(part.type in found for part in components):
                    found.add(each.name)
                case _:
                    pass
        return frozenset(found)

    @property
    def identity(self) -> object:
        """The value that a saved state belongs to, whatever the order of definitions."""
        return self.in_any_order

    def asked_attributes(self) -> Iterator[AskedAttribute]:
        return _asked_attributes(self)


def _asked_attributes(module: InstanceModule) -> Iterator[AskedAttribute]:
    """Yields the attributes of labelled events that types and the partition ask for; other components are open."""
    monitored = {each.predicate: each for each in module.monitored}
    for type_ in module.types:
        if not isinstance(type_, ComplexType):
            continue
        primitive = {each.name: monitored[each.type] for each in type_.components if each.type in monitored}
        folds = {each.name: each for each in type_.folds}
        for expression in (*type_.where, *(value for _, value in type_.fields or ())):
            for part in _variables(expression):
                fold = folds.get(part.name)
                component, _, attribute = part.name.partition(".")
                if fold is not None:
                    component, attribute = fold.component, fold.attribute or ""
                if component in primitive:
                    yield from attribute_of(primitive[component], attribute, needed=is_needed(expression), at=part)
    yield from asked_by_partition(module.monitored, module.partition)


def _variables(expression: Expression) -> Iterator[Variable]:
    return (part for part in expressions.walk(expression) if isinstance(part, Variable))
