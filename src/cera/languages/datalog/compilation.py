"""Modules of Datalog_1S, read and compiled."""

from __future__ import annotations

from collections.abc import Sequence

from cera.datalog.checks import check
from cera.datalog.events.module import DatalogModule
from cera.datalog.printer import print_program
from cera.datalog.sections import Section
from cera.diagnostics import Diagnostic, Source
from cera.languages.datalog.compiler import event_module
from cera.languages.datalog.parser import parse
from cera.languages.protocol.language import Explanation
from cera.languages.protocol.results import (
    Compilation,
    CompiledModule,
    CompileOptions,
    ModuleText,
    ParsedSource,
    module_of_file,
)

_CLASH = "without `module Name.` it is that of the file"


def parsed_source(source: Source) -> ParsedSource[Section]:
    """Reads a source."""
    parsed = parse(source)
    return ParsedSource(source, tuple(_module(source, each) for each in parsed.modules), parsed.diagnostics)


def compiled(parsed: Sequence[ParsedSource[Section]], options: CompileOptions) -> Compilation:
    """Compiles each module by itself: one with errors does not keep others from running."""
    modules: list[CompiledModule[object]] = []
    diagnostics: list[Diagnostic] = []
    for written in (each for file in parsed if not file.diagnostics for each in file.modules):
        module, problems = event_module(written.syntax, written.name, written.span)
        problems = (*check(written.syntax.program), *problems)
        errors = [each for each in problems if each.severity == "error"]
        diagnostics += errors or problems
        if not errors:
            modules.append(CompiledModule(module, written.syntax))
    return Compilation(tuple(modules), tuple(diagnostics))


def explained(module: CompiledModule[Section]) -> Explanation:
    """Returns the rules of a module."""
    assert isinstance(module.module, DatalogModule)
    return Explanation("datalog", print_program(module.module.program))


def _module(source: Source, section: Section) -> ModuleText[Section]:
    """Returns a section with the name that it gives itself, or that of its file."""
    predicates = tuple(rule.head.predicate for rule in section.program.rules)
    if section.name is None:
        return module_of_file(source, section, predicates, _CLASH)
    return ModuleText(section, section.name.name, section.name.span, predicates, clash=_CLASH)
