"""Checks of directives: that they fit the rules of the module (DL403), and that its events are events (DL401)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cera.datalog.checks import BUILT_IN, check_expression
from cera.datalog.directives import (
    DetectDirective,
    Directive,
    GranularityDirective,
    MonitorDirective,
    PartitionDirective,
    RelationDirective,
    Section,
)
from cera.datalog.printer import print_atom
from cera.datalog.syntax import Atom, J, Program, atoms, root
from cera.diagnostics import Diagnostic, Note, did_you_mean
from cera.model.expressions.expression import Variable, walk

#: Predicates that the evaluators know by themselves.
GIVEN = (*BUILT_IN, "stage")


def check_directives(section: Section) -> Iterator[Diagnostic]:
    events = event_atoms(section.program)
    yield from (_not_an_event(atom) for atom in events.values() if len(atom.arguments) != 1)
    yield from _said_once(section)
    yield from _monitored(section, events)
    shapes = {rule.head.predicate: rule.head for rule in section.program.rules}
    for directive in section.of(DetectDirective):
        yield from _detected(directive, shapes)


def event_atoms(program: Program) -> dict[str, Atom]:
    """Returns the first atom of each predicate that has stages and no rules: these are events."""
    derived = {rule.head.predicate for rule in program.rules}
    events: dict[str, Atom] = {}
    for rule in program.rules:
        for atom in atoms(rule):
            if atom.predicate not in derived and atom.predicate not in GIVEN and atom.stage is not None:
                events.setdefault(atom.predicate, atom)
    return events


def _said_once(section: Section) -> Iterator[Diagnostic]:
    for kind, what in ((GranularityDirective, "its granularity"), (PartitionDirective, "what it is partitioned by")):
        yield from _twice(section.of(kind), f"the module says twice {what}")
    relations: dict[str, list[Directive]] = {}
    for relation in section.of(RelationDirective):
        relations.setdefault(relation.name, []).append(relation)
        if len(set(relation.attributes)) < len(relation.attributes):
            message = f"the relation `{relation.name}` has an attribute twice"
            yield Diagnostic("DL403", "error", message, relation.span)
    for name, declared in relations.items():
        yield from _twice(declared, f"the relation `{name}` is declared twice")
    rules: dict[str, list[Directive]] = {}
    for detect in section.of(DetectDirective):
        rules.setdefault(detect.rule, []).append(detect)
    for name, detects in rules.items():
        yield from _twice(detects, f"there are two `detect {name}`")


def _twice(found: Sequence[Directive], message: str) -> Iterator[Diagnostic]:
    for again in found[1:]:
        yield Diagnostic("DL403", "error", message, again.span, None, (Note("here is the first", found[0].span),))


def _monitored(section: Section, events: dict[str, Atom]) -> Iterator[Diagnostic]:
    """Reports events that cannot be or are not monitored. With a `monitor`, nothing else happens in the history."""
    declared = [each for directive in section.of(MonitorDirective) for each in directive.events]
    known = {each.predicate for each in declared}
    derived = {rule.head.predicate for rule in section.program.rules}
    for each in declared:
        if each.predicate in derived or each.predicate in GIVEN:
            message = f"`{each.predicate}` cannot be an event: " + (
                "it has rules" if each.predicate in derived else "it is built in"
            )
            yield Diagnostic("DL403", "error", message, each.span)
    for predicate, atom in events.items():
        if declared and predicate not in known:
            message = f"`{predicate}` has no rules and is not monitored, so it never holds"
            hint = did_you_mean(predicate, derived) or "add its event to `monitor`"
            yield Diagnostic("DL403", "error", message, atom.span, hint)


def _detected(directive: DetectDirective, shapes: dict[str, Atom]) -> Iterator[Diagnostic]:
    atom = directive.atom
    head = shapes.get(atom.predicate)
    names = [each.name for each in atom.arguments if isinstance(each, Variable) and "." not in each.name]
    if head is None:
        hint = did_you_mean(atom.predicate, shapes)
        yield Diagnostic("DL403", "error", f"no rule derives `{atom.predicate}`", atom.span, hint)
    elif head.stage is None or atom.stage is not J or len(head.arguments) != len(atom.arguments):
        message = f"`{print_atom(atom)}` is not what its rules derive, with the stage `J`"
        yield Diagnostic("DL403", "error", message, atom.span, f"they derive `{print_atom(head)}`")
    elif len(set(names)) < len(atom.arguments) or len(set(directive.causes)) < len(directive.causes):
        message = "the arguments of what is detected are different variables"
        yield Diagnostic("DL403", "error", message, atom.span, f"for example `{print_atom(head)}`")
    else:
        yield from _fields(directive, names)


def _fields(directive: DetectDirective, names: Sequence[str]) -> Iterator[Diagnostic]:
    fields = directive.fields or ()
    for index, (name, value) in enumerate(fields):
        if name in [before for before, _ in fields[:index]]:
            yield Diagnostic("DL403", "error", f"two children have the name `{name}`", directive.span)
        yield from check_expression(value)
        for part in walk(value):
            if isinstance(part, Variable) and root(part.name) not in names:
                message = f"`{root(part.name)}` is no argument of `{print_atom(directive.atom)}`"
                yield Diagnostic("DL403", "error", message, part.span, did_you_mean(root(part.name), names))


def _not_an_event(atom: Atom) -> Diagnostic:
    count = len(atom.arguments)
    return Diagnostic(
        "DL401",
        "error",
        f"`{atom.predicate}` has no rules, so it stands for events, and has {count} arguments besides its stage",
        atom.span,
        f"an event is one argument: write `{atom.predicate}(X, J)` and `X.name` for what it tells",
    )
