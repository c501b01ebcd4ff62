"""A module of a `.dl1s` file that runs by itself.

If its directives leave it open, predicates without rules are events, and those that no rule reads are detected. The
predicate of a change of a table begins with `ins_`, `del_` or `upd_`; any other is the label of its events.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cera.datalog.directives import (
    DetectDirective,
    GranularityDirective,
    MonitorDirective,
    PartitionDirective,
    RelationDirective,
    Section,
)
from cera.datalog.events.module import DatalogModule
from cera.datalog.module_text import renamed
from cera.datalog.syntax import Atom, Program, Rule, atoms
from cera.diagnostics import Diagnostic, Span
from cera.languages.datalog.directive_checks import check_directives, event_atoms
from cera.model.expressions.expression import Expression, Variable
from cera.modules.monitoring import PREFIXES, MonitoredEvents, Output

_OPERATIONS = {prefix: operation for operation, prefix in PREFIXES.items()}


def event_module(section: Section, name: str, span: Span | None = None) -> tuple[DatalogModule, tuple[Diagnostic, ...]]:
    """Returns the module, and the errors in its events and directives (DL401 to DL403)."""
    program = section.program
    outputs = _outputs(section, name)
    problems = [*check_directives(section)]
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
        found = [_monitored(predicate, atom) for predicate, atom in event_atoms(section.program).items()]
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
