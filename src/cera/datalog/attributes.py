"""The attributes of events that a module of Datalog_1S asks for: `X.temp` where X stands for an event of a label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cera.datalog.modules import EventModule
from cera.datalog.syntax import Atom, Program, Rule, conditions, positive_atoms
from cera.model.events.attributes import AskedAttribute
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Expression, Variable
from cera.modules.history_module import asked_by_partition, attribute_of, is_needed
from cera.modules.monitoring import MonitoredEvents

#: The monitored predicates whose events can stand at each place of the facts of a predicate.
_Places = dict[tuple[str, int], frozenset[str]]


def asked_by_module(module: EventModule) -> Iterator[AskedAttribute]:
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
