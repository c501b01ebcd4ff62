"""Modules of Datalog_1S: a program, the events that make its history, and the events that its facts become.

EPL modules and `.dl1s` files become such modules. The attributes that one asks for are those of the events that its
variables stand for: `X.temp` where X stands for an event of a label.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from cera.datalog.syntax import Atom, Program, Rule, conditions, positive_atoms
from cera.diagnostics import Span
from cera.model.events.answer_limits import ANSWER_LIMIT
from cera.model.events.attributes import AskedAttribute
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Expression, Variable
from cera.model.tags import tagged
from cera.modules.history_module import HistoryModule, asked_by_partition, attribute_of, is_needed
from cera.modules.monitoring import Clock, Granularity, MonitoredEvents, Output


@tagged("EventModule")
@dataclass(frozen=True)
class EventModule(HistoryModule):
    """A Datalog_1S program over events. With `partition`, each value of that attribute has a history of its own."""

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
        """Returns the module with another limit: the number of events of each rule that a stage may end."""
        return replace(self, limit=answers)

    @property
    def identity(self) -> object:
        """The value that a saved state belongs to."""
        return self

    @property
    def clocks(self) -> tuple[Clock, ...]:
        """None: nothing happens without an event."""
        return ()

    def asked_attributes(self) -> Iterator[AskedAttribute]:
        return _asked_attributes(self)


#: The monitored predicates whose events can stand at each place of the facts of a predicate.
_Places = dict[tuple[str, int], frozenset[str]]


def _asked_attributes(module: EventModule) -> Iterator[AskedAttribute]:
    """Yields the attributes of labelled events that rules and the partition ask for; changed tables are left open."""
    monitored = {each.predicate: each for each in module.monitored}
    places = _places(module.program, monitored)
    for rule in module.program.rules:
        bound = _bound(positive_atoms(rule), places, monitored)
        for condition in conditions(rule):
            yield from _dotted(condition, bound, monitored)
        for argument in rule.head.arguments:
            if not isinstance(argument, Variable) or "." in argument.name:
                yield from _dotted(argument, bound, monitored)
    for output in module.outputs:
        bound = {
            name: places.get((output.predicate, index), frozenset()) for index, name in enumerate(output.variables)
        }
        for _, expression in output.fields:
            yield from _dotted(expression, bound, monitored)
    yield from asked_by_partition(module.monitored, module.partition)


def _dotted(
    found: object, bound: Mapping[str, frozenset[str]], monitored: Mapping[str, MonitoredEvents]
) -> Iterator[AskedAttribute]:
    if not isinstance(found, Expression):
        return
    needed = is_needed(found)
    for part in expressions.walk(found):
        if isinstance(part, Variable) and "." in part.name:
            variable, _, attribute = part.name.partition(".")
            for predicate in sorted(bound.get(variable, ())):
                yield from attribute_of(monitored[predicate], attribute, needed=needed, at=part)


def _bound(
    atoms: Iterator[Atom], places: _Places, monitored: Mapping[str, MonitoredEvents]
) -> dict[str, frozenset[str]]:
    """Returns for each variable the monitored predicates whose events it can stand for."""
    found: dict[str, frozenset[str]] = {}
    for atom in atoms:
        for index, argument in enumerate(atom.arguments):
            if isinstance(argument, Variable):
                here = frozenset((atom.predicate,)) if atom.predicate in monitored else frozenset()
                here |= places.get((atom.predicate, index), frozenset())
                if here:
                    found[argument.name] = found.get(argument.name, frozenset()) | here
    return found


def _places(program: Program, monitored: Mapping[str, MonitoredEvents]) -> _Places:
    """Returns which events can stand where, through all rules: the least solution."""
    places: _Places = {}
    using: dict[str, list[Rule]] = {}
    for rule in program.rules:
        for atom in positive_atoms(rule):
            using.setdefault(atom.predicate, []).append(rule)
    waiting = list(program.rules)
    while waiting:
        rule = waiting.pop()
        bound = _bound(positive_atoms(rule), places, monitored)
        for index, argument in enumerate(rule.head.arguments):
            if isinstance(argument, Variable) and argument.name in bound:
                key = (rule.head.predicate, index)
                together = places.get(key, frozenset()) | bound[argument.name]
                if together != places.get(key):
                    places[key] = together
                    waiting += using.get(rule.head.predicate, ())
    return places
