"""EPL as a language: modules that become Datalog_1S programs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from types import MappingProxyType
from typing import assert_never

from cera.connectors.actions import action as acting
from cera.datalog.events.module import DatalogModule
from cera.datalog.printer import print_program
from cera.diagnostics import Diagnostic, Source, in_source_order
from cera.languages.epl.checks import check_module, check_names
from cera.languages.epl.compiler import compile_module, event_module, translated
from cera.languages.epl.parser import parse
from cera.languages.epl.printer import print_condition
from cera.languages.epl.syntax import Action, Module, Sql, System, Write
from cera.languages.protocol.language import Example, Explanation, Form, Language
from cera.languages.protocol.results import (
    Compilation,
    CompiledModule,
    CompileOptions,
    ModuleText,
    ParsedSource,
    RuleAction,
)

#: The beginning of a text.
_BEGINNING = re.compile(r"(\s|#[^\n]*\n|/\*.*?\*/)*begin\s+[A-Za-z_]", re.DOTALL)
#: The warning that events are kept without a limit.
_UNBOUNDED = "EP501"


def as_datalog(compiled: CompiledModule[Module]) -> str:
    """Returns the translation of the paper as it stands in a .dl1s file, without the actions of rules."""
    from cera.datalog.printer import print_section  # programs are mostly run, not printed
    from cera.datalog.sections import section_of

    actions = [f"% {one.rule}: its action is left out\n" for one in compiled.actions]
    assert isinstance(compiled.module, DatalogModule)
    return "".join(actions) + print_section(section_of(compiled.module, translated(compiled.syntax)))


class Epl(Language[Module]):
    name = "EPL"
    short_name = "EPL"
    ending = ".epl"
    signs = ("begin ",)
    several_modules = True
    forms = MappingProxyType(
        {
            "datalog": Form(
                as_datalog,
                subject="modules of EPL",
                parts="EPL modules",
                about="The Datalog_1S program of EPL modules can be kept as a .dl1s file, read, changed and run by "
                "itself: it detects the same events. Actions are not a part of it.",
                examples=(Example("bank.epl"), Example("bank.epl", enabled="Alerts", kept="alerts.dl1s")),
            )
        }
    )

    def claims(self, text: str) -> float:
        return 1.0 if _BEGINNING.match(text) else 0.0

    def parse(self, source: Source) -> ParsedSource[Module]:
        parsed = parse(source)
        modules = (
            ModuleText(each, each.name.name, each.name.span, tuple(rule.name.name for rule in each.rules))
            for each in parsed.modules
        )
        return ParsedSource(source, tuple(modules), parsed.diagnostics)

    def format(self, source: Source) -> str:
        from cera.languages.epl.printer import format_source  # programs are mostly run, not printed

        return format_source(source)

    def compile(self, parsed: Sequence[ParsedSource[Module]], options: CompileOptions) -> Compilation:
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

    def explain(self, module: CompiledModule[Module]) -> Explanation:
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


EPL = Epl()
