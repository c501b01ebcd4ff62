"""A module of a `.dl1s` file that runs by itself, and the checks of its directives.

If its directives leave it open, predicates without rules are events, and those that no rule reads are detected. The
predicate of a change of a table begins with `ins_`, `del_` or `upd_`; any other is the label of its events.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from cera.datalog.checks import BUILT_IN, check_expression
from cera.datalog.events.module import DatalogModule
from cera.datalog.printer import print_atom
from cera.datalog.sections import (
    DetectDirective,
    Directive,
    GranularityDirective,
    MonitorDirective,
    PartitionDirective,
    RelationDirective,
    Section,
    renamed,
)
from cera.datalog.syntax import Atom, J, Program, Rule, atoms, root
from cera.diagnostics import Diagnostic, Note, Span, did_you_mean
from cera.model.expressions.expression import Expression, Variable, walk
from cera.modules.monitoring import PREFIXES, MonitoredEvents, Output

#: Predicates that the evaluators know by themselves.
_GIVEN = (*BUILT_IN, "stage")
_OPERATIONS = {prefix: operation for operation, prefix in PREFIXES.items()}


def event_module(section: Section, name: str, span: Span | None = None) -> tuple[DatalogModule, tuple[Diagnostic, ...]]:
    """Returns the module, and the errors in its events and directives (DL401 to DL403)."""
    program = section.program
    outputs = _outputs(section, name)
    problems = [*_check_directives(section)]
    if not outputs and not problems:
        problems.append(_nothing_detected(section, name, span))
    granularity, partition = section.of(GranularityDirective), section.of(PartitionDirective)
    module = DatalogModule(
        name,
        program,
        _events(section),
        outputs,
        granularity[0].unit if granularity else "operation",
        partition[0].attribute if partition else None,
        span,
    )
    return module, tuple(problems)


def _events(section: Section) -> tuple[MonitoredEvents, ...]:
    declared = section.of(MonitorDirective)
    relations = {each.name: each.attributes for each in section.of(RelationDirective)}
    found = [each for directive in declared for each in directive.events]
    if not declared:
        found = [_monitored(predicate, atom) for predicate, atom in _event_atoms(section.program).items()]
    return tuple(replace(each, attributes=relations.get(each.name, ())) for each in dict.fromkeys(found))


def _monitored(predicate: str, atom: Atom) -> MonitoredEvents:
    prefix, underscore, table = predicate.partition("_")
    if prefix in _OPERATIONS and underscore and table:
        return MonitoredEvents(predicate, table, _OPERATIONS[prefix], span=atom.span)
    return MonitoredEvents(predicate, predicate, span=atom.span)


def _outputs(section: Section, name: str) -> tuple[Output, ...]:
    if declared := section.of(DetectDirective):
        return tuple(_detected(directive, name) for directive in declared)
    return tuple(_default_output(rule, name) for rule in _unread(section.program))


def _detected(directive: DetectDirective, name: str) -> Output:
    atom, causes = directive.atom, directive.causes
    names = {each.name: cause for each, cause in zip(atom.arguments, causes, strict=True) if isinstance(each, Variable)}
    fields = directive.fields
    if fields is None:
        children: tuple[tuple[str, Expression], ...] = tuple((each, Variable(each)) for each in causes)
    else:
        children = tuple((each, renamed(value, names)) for each, value in fields)
    rule, label = f"{name}.{directive.rule}", directive.label
    return Output(rule, atom.predicate, causes, directive.rule if label is None else label, children, directive.span)


def _unread(program: Program) -> Iterator[Rule]:
    """Yields the first rule of each predicate with stages that no rule of another predicate reads."""
    read = {atom.predicate for rule in program.rules for atom in atoms(rule) if atom.predicate != rule.head.predicate}
    seen = set()
    for rule in program.rules:
        predicate = rule.head.predicate
        if predicate not in seen and predicate not in read and rule.head.stage is not None:
            seen.add(predicate)
            yield rule


def _default_output(rule: Rule, name: str) -> Output:
    """Returns the output of a predicate without `detect`: arguments are named by its first head, or numbered."""
    head = rule.head
    named = [_last_name(a.name) if isinstance(a, Variable) else "" for a in head.arguments]
    names = [name or f"argument{i}" for i, name in enumerate(named, 1)]
    if len(set(names)) < len(names):
        names = [f"argument{i}" for i in range(1, len(names) + 1)]
    fields = tuple((each, Variable(each)) for each in names)
    return Output(f"{name}.{head.predicate}", head.predicate, tuple(names), head.predicate, fields, head.span)


def _last_name(variable: str) -> str:
    owner, _, attribute = variable.partition(".")
    return attribute or owner


def _nothing_detected(section: Section, name: str, span: Span | None) -> Diagnostic:
    rules = section.program.rules
    why = "each of its predicates is read by another one, or has no stage" if rules else "it has no rules"
    example = next((rule.head.predicate for rule in rules if rule.head.stage is not None), "p")
    return Diagnostic(
        "DL402",
        "warning",
        f"the module `{name}` tells nothing: {why}",
        span if not rules else rules[0].head.span,
        f"`detect Name: {example}(…, J).` says whose facts are events",
    )


def _check_directives(section: Section) -> Iterator[Diagnostic]:
    """Reports directives that do not fit the rules of the module (DL403), and events that are not events (DL401)."""
    events = _event_atoms(section.program)
    yield from (_not_an_event(atom) for atom in events.values() if len(atom.arguments) != 1)
    yield from _said_once(section)
    yield from _check_monitored(section, events)
    shapes = {rule.head.predicate: rule.head for rule in section.program.rules}
    for directive in section.of(DetectDirective):
        yield from _check_detected(directive, shapes)


def _event_atoms(program: Program) -> dict[str, Atom]:
    """Returns the first atom of each predicate that has stages and no rules: these are events."""
    derived = {rule.head.predicate for rule in program.rules}
    events: dict[str, Atom] = {}
    for rule in program.rules:
        for atom in atoms(rule):
            if atom.predicate not in derived and atom.predicate not in _GIVEN and atom.stage is not None:
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


def _check_monitored(section: Section, events: dict[str, Atom]) -> Iterator[Diagnostic]:
    """Reports events that cannot be or are not monitored. With a `monitor`, nothing else happens in the history."""
    declared = [each for directive in section.of(MonitorDirective) for each in directive.events]
    known = {each.predicate for each in declared}
    derived = {rule.head.predicate for rule in section.program.rules}
    for each in declared:
        if each.predicate in derived or each.predicate in _GIVEN:
            message = f"`{each.predicate}` cannot be an event: " + (
                "it has rules" if each.predicate in derived else "it is built in"
            )
            yield Diagnostic("DL403", "error", message, each.span)
    for predicate, atom in events.items():
        if declared and predicate not in known:
            message = f"`{predicate}` has no rules and is not monitored, so it never holds"
            hint = did_you_mean(predicate, derived) or "add its event to `monitor`"
            yield Diagnostic("DL403", "error", message, atom.span, hint)


def _check_detected(directive: DetectDirective, shapes: dict[str, Atom]) -> Iterator[Diagnostic]:
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
        yield from _check_fields(directive, names)


def _check_fields(directive: DetectDirective, names: Sequence[str]) -> Iterator[Diagnostic]:
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
