"""Modules of EPL, read and compiled."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import assert_never

from cera.connectors.actions import action as acting
from cera.datalog.events.module import DatalogModule
from cera.datalog.printer import print_program
from cera.diagnostics import Diagnostic, Source, in_source_order
from cera.languages.epl.checks import check_module, check_names
from cera.languages.epl.compiler import compile_module, event_module
from cera.languages.epl.parser import parse
from cera.languages.epl.printer import print_condition
from cera.languages.epl.syntax import Action, Module, Sql, System, Write
from cera.languages.protocol.language import Explanation
from cera.languages.protocol.results import (
    Compilation,
    CompiledModule,
    CompileOptions,
    ModuleText,
    ParsedSource,
    RuleAction,
)

#: The warning that events are kept without a limit.
_UNBOUNDED = "EP501"


def parsed_source(source: Source) -> ParsedSource[Module]:
    """Reads a source."""
    parsed = parse(source)
    modules = (
        ModuleText(each, each.name.name, each.name.span, tuple(rule.name.name for rule in each.rules))
        for each in parsed.modules
    )
    return ParsedSource(source, tuple(modules), parsed.diagnostics)


def compiled(parsed: Sequence[ParsedSource[Module]], options: CompileOptions) -> Compilation:
    """Compiles all modules; if a file cannot be read, or a module is wrong, none runs."""
    if any(file.diagnostics for file in parsed):
        return Compilation()
    modules = [each.syntax for file in parsed for each in file.modules]
    checked = [check_module(module) for module in modules]
    found = in_source_order([*chain.from_iterable(checked), *check_names(modules)])
    wrong = any(each.severity == "error" for each in found)
    return Compilation(
        () if wrong else tuple(map(_compiled, modules, checked)),
        tuple(each for each in found if each.code != _UNBOUNDED),
        tuple(each for each in found if each.code == _UNBOUNDED),
    )


def explained(module: CompiledModule[Module]) -> Explanation:
    """Returns the rules of a module."""
    assert isinstance(module.module, DatalogModule)
    return Explanation("datalog", print_program(module.module.program))


def _compiled(module: Module, checked: Sequence[Diagnostic]) -> CompiledModule[Module]:
    compiled = compile_module(module, checked)
    actions = tuple(
        RuleAction(
            rule.name,
            _runnable(rule.action),
            rule.action.arguments,
            tuple(map(print_condition, rule.action.arguments)),
            rule.action.span or written.name.span,
        )
        for written, rule in zip(module.rules, compiled.rules, strict=True)
        if rule.action is not None
    )
    return CompiledModule(event_module(module, compiled), module, actions)


def _runnable(action: Action) -> acting.Action:
    match action:
        case Write():
            return acting.Write(action.format, action.file)
        case Sql():
            return acting.Sql(action.command)
        case System():
            return acting.System(action.command)
        case other:
            assert_never(other)
