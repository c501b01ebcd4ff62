"""Sections of a `.dl1s` file, one for each module: rules, and directives on its events, stages and detected events.

Any module becomes a section that runs like it, with directives for all that its rules do not say. Variables of other
languages need not look like variables of Datalog: `x` and `my-event` get other names there.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from cera.datalog.modules import EventModule
from cera.datalog.syntax import Anonymous, Argument, Atom, BodyPart, J, Not, Program, Rule, atoms, conditions, root
from cera.diagnostics import Span
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Expression, Variable, rebuild
from cera.modules.monitoring import Granularity, MonitoredEvents, Output


@dataclass(frozen=True)
class ModuleDirective:
    """`module Alerts.`: what follows, up to the next one, is a module with predicates of its own."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class MonitorDirective:
    """`monitor update(ACC), A.`: the events of the history, and no others."""

    events: tuple[MonitoredEvents, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class RelationDirective:
    """`relation ACC(Accno, Owner).`: attributes that are found whatever their case, as is the name of the table."""

    name: str
    attributes: tuple[str, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class GranularityDirective:
    """`granularity transaction.`: what makes a stage."""

    unit: Granularity
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class PartitionDirective:
    """`partition by Accno.`: each value of the attribute has a history of its own."""

    attribute: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class DetectDirective:
    """`detect Pair: satE(X, y: Y, J) as pair(k: X.k).`: each fact of the atom is an event with this label and children.

    `causes` are the names under which the arguments are known as what led to it: their own, or those before a colon.
    Without a label the event is called as the rule is, and its children are the arguments (`fields` is None).
    """

    rule: str
    atom: Atom
    causes: tuple[str, ...]
    label: str | None = None
    fields: tuple[tuple[str, Expression], ...] | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


Directive = (
    ModuleDirective | MonitorDirective | RelationDirective | GranularityDirective | PartitionDirective | DetectDirective
)
Item = Rule | Directive
D = TypeVar("D")


@dataclass(frozen=True)
class Section:
    """A module of a file: what it says in its order. Rules before the first `module` are one without a name."""

    items: tuple[Item, ...]

    @property
    def name(self) -> ModuleDirective | None:
        return next((item for item in self.items if isinstance(item, ModuleDirective)), None)

    @property
    def program(self) -> Program:
        return Program(tuple(item for item in self.items if isinstance(item, Rule)))

    def of(self, kind: type[D]) -> list[D]:
        return [item for item in self.items if isinstance(item, kind)]


def sections(items: tuple[Item, ...]) -> tuple[Section, ...]:
    """Returns the items of a file, cut before every `module`. A file without any item is one module."""
    starts = [index for index, item in enumerate(items) if isinstance(item, ModuleDirective)]
    cuts = [0, *(index for index in starts if index), len(items)]
    return tuple(Section(items[first:last]) for first, last in itertools.pairwise(cuts))


def renamed(expression: Expression, names: Mapping[str, str]) -> Expression:
    """Renames variables; `X.k` is an attribute of X, and a variable without a new name stays."""
    if isinstance(expression, Variable):
        owner, dot, attribute = expression.name.partition(".")
        return Variable(f"{names.get(owner, owner)}{dot}{attribute}", expression.span)
    return rebuild(expression, lambda part: renamed(part, names))


_VARIABLE = re.compile(r"(?!(?:or|and|not|J|_)$)[A-Z_][A-Za-z0-9_]*", re.IGNORECASE)


def section_of(module: EventModule, program: Program) -> Section:
    """Returns the module as a section with this program, which derives the same facts as its own."""
    relations = {each.name: each.attributes for each in module.monitored if each.attributes}
    directives: list[Directive] = [ModuleDirective(module.name), MonitorDirective(module.monitored)]
    directives += [RelationDirective(name, attributes) for name, attributes in relations.items()]
    if module.granularity != "operation":
        directives.append(GranularityDirective(module.granularity))
    if module.partition is not None:
        directives.append(PartitionDirective(module.partition))
    names = _names({*_variables(program), *(name for each in module.outputs for name in each.variables)})
    directives += [_detect(module, each, names) for each in module.outputs]
    return Section((*directives, *(_renamed(rule, names) for rule in program.rules)))


def _detect(module: EventModule, output: Output, names: Mapping[str, str]) -> DetectDirective:
    atom = Atom(output.predicate, tuple(Variable(names[each]) for each in output.variables), J)
    fields = tuple((name, renamed(value, names)) for name, value in output.fields)
    rule = output.rule.removeprefix(f"{module.name}.")
    return DetectDirective(rule, atom, output.variables, output.label, fields)


def _names(found: Iterable[str]) -> dict[str, str]:
    """Returns a variable of Datalog for each variable: itself if it looks like one."""
    names: dict[str, str] = {name: name for name in sorted(found) if _is_variable(name)}
    taken = set(names)
    for name in sorted(found):
        if name not in names:
            plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
            candidates = (plain[:1].upper() + plain[1:], *(f"V{number}_{plain}" for number in range(1, len(taken) + 3)))
            names[name] = next(each for each in candidates if each not in taken and _is_variable(each))
            taken.add(names[name])
    return names


def _is_variable(name: str) -> bool:
    return _VARIABLE.fullmatch(name) is not None and (name[0].isupper() or name[0] == "_")


def _variables(program: Program) -> set[str]:
    found: set[str] = set()
    for rule in program.rules:
        values: list[Argument] = [*conditions(rule)]
        values += [argument for atom in (rule.head, *atoms(rule)) for argument in atom.arguments]
        for value in values:
            if not isinstance(value, Anonymous):
                found |= {root(name) for name in expressions.variables(value)}
    return found


def _renamed(rule: Rule, names: Mapping[str, str]) -> Rule:
    return replace(rule, head=_atom(rule.head, names), body=tuple(_part(part, names) for part in rule.body))


def _part(part: BodyPart, names: Mapping[str, str]) -> BodyPart:
    match part:
        case Atom():
            return _atom(part, names)
        case Not():
            return replace(part, atom=_atom(part.atom, names))
        case _:
            return renamed(part, names)


def _atom(atom: Atom, names: Mapping[str, str]) -> Atom:
    arguments = (each if isinstance(each, Anonymous) else renamed(each, names) for each in atom.arguments)
    return replace(atom, arguments=tuple(arguments))
