"""A module made ready to run: its Datalog_1S program, and for each rule what a detection is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from cera.datalog.events.module import DatalogModule
from cera.datalog.syntax import Program
from cera.diagnostics import Diagnostic
from cera.errors import ProgramError
from cera.languages.epl.checks import check_module
from cera.languages.epl.syntax import Action, Module, Rule, Unit
from cera.languages.epl.translation import Translation, program_of, translate
from cera.languages.epl.variables import with_variables
from cera.languages.expressions.lengths import in_microseconds
from cera.languages.text.nodes import EventType
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import Expression, Variable
from cera.modules.monitoring import MonitoredEvents, Output

OutputField = tuple[str, Expression]


@dataclass(frozen=True)
class CompiledRule:
    """A fact of `predicate` at a stage is a detection; its arguments are the event tuples of `variables`.

    The derived event has the label and the fields; `action` is what else is to be done.
    """

    name: str
    predicate: str
    variables: tuple[str, ...]
    label: str
    fields: tuple[OutputField, ...]
    action: Action | None


@dataclass(frozen=True)
class CompiledModule:
    name: str
    datalog: Program
    monitored: tuple[EventType, ...]
    granularity: Unit
    partition: str | None
    rules: tuple[CompiledRule, ...]
    #: Warnings about rules that remember events for ever.
    unbounded: tuple[Diagnostic, ...]
    #: Notes about how it will run: for example, that it is not partitioned.
    notes: tuple[Diagnostic, ...]


def compile_module(module: Module, checked: Sequence[Diagnostic] | None = None) -> CompiledModule:
    """Returns the compiled module; `checked` are the diagnostics of its checks. Raises ProgramError for errors."""
    found = check_module(module) if checked is None else checked
    errors = [diagnostic for diagnostic in found if diagnostic.severity == "error"]
    if errors:
        raise ProgramError(errors)
    rules = _translated_rules(module, copies=False)
    return CompiledModule(
        module.name.name,
        program_of(rules),
        module.monitored,
        module.granularity,
        module.partition,
        tuple(_compiled(module, rule, translated) for rule, translated in zip(module.rules, rules, strict=True)),
        tuple(diagnostic for diagnostic in found if diagnostic.code == "EP501"),
        tuple(diagnostic for diagnostic in found if diagnostic.severity == "note"),
    )


def translated(module: Module, *, expand: bool = False, copies: bool = True) -> Program:
    """Returns the Datalog_1S program of a module as the paper shows it, with a rule for every node of the parse trees.

    With `expand`, derived constructs are written out by their definitions first. The program that
    runs is the same without `copies`.
    """
    errors = [diagnostic for diagnostic in check_module(module) if diagnostic.severity == "error"]
    if errors:
        raise ProgramError(errors)
    return program_of(_translated_rules(module, expand=expand, copies=copies))


def _translated_rules(module: Module, *, expand: bool = False, copies: bool) -> list[Translation]:
    several = len(module.rules) > 1
    return [
        translate(
            with_variables(rule).event,
            module.monitored,
            rule.context,
            suffix=rule.name.name if several else "",
            expand=expand,
            copies=copies,
        )
        for rule in module.rules
    ]


def _compiled(module: Module, rule: Rule, result: Translation) -> CompiledRule:
    name = f"{module.name.name}.{rule.name.name}"
    if rule.head is not None:
        fields = tuple((each.name, in_microseconds(each.expression)) for each in rule.head.fields)
        return CompiledRule(name, result.predicate, result.variables, rule.head.label, fields, rule.action)
    return CompiledRule(name, result.predicate, result.variables, rule.name.name, _fields(rule.action), rule.action)


def _fields(action: Action | None) -> tuple[OutputField, ...]:
    """Returns the attributes in the arguments of an action as fields: `Owner`, or `X_Owner` where there are several."""
    arguments = () if action is None else action.arguments
    found = dict.fromkeys(
        part.name for argument in arguments for part in expressions.walk(argument) if isinstance(part, Variable)
    )
    names = Counter(name.partition(".")[2] for name in found)
    fields = []
    for name in found:
        variable, _, attribute = name.partition(".")
        fields.append((attribute if names[attribute] == 1 else f"{variable}_{attribute}", Variable(name)))
    return tuple(fields)


def event_module(module: Module, compiled: CompiledModule) -> DatalogModule:
    """Returns the module that runs over events; `compiled` is the same module, compiled."""
    relations = module.relations
    monitored = tuple(
        MonitoredEvents(
            each.predicate,
            each.name,
            each.kind,
            relations[each.name].attributes if each.name in relations else (),
            each.span,
        )
        for each in compiled.monitored
    )
    outputs = tuple(
        Output(
            rule.name,
            rule.predicate,
            rule.variables,
            rule.label,
            rule.fields,
            (written.head.span if written.head is not None else None) or written.name.span,
        )
        for written, rule in zip(module.rules, compiled.rules, strict=True)
    )
    return DatalogModule(
        compiled.name,
        compiled.datalog,
        monitored,
        outputs,
        compiled.granularity,
        compiled.partition,
        module.name.span,
    )
