"""Datalog_1S as a language: the sections of a file are modules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType

from cera.datalog.checks import check
from cera.datalog.events.module import DatalogModule
from cera.datalog.printer import print_program, print_section
from cera.datalog.sections import Section, section_of
from cera.diagnostics import Diagnostic, Source
from cera.languages.datalog.compiler import event_module
from cera.languages.datalog.parser import parse
from cera.languages.protocol.language import Explanation, Form, Language, Target
from cera.languages.protocol.results import (
    Compilation,
    CompiledModule,
    CompileOptions,
    ModuleText,
    ParsedSource,
    module_of_file,
)

#: The beginning of a text: a directive, or the head of a rule.
_BEGINNING = re.compile(
    r"""(\s|%[^\n]*\n)*((module|monitor|relation|granularity|partition|detect)\s+["\w]
      |("[^"\n]*"|[A-Za-z_]\w*)\s*\([^{}]*?\)\s*(<-|:-|←|\.))""",
    re.VERBOSE,
)
_CLASH = "without `module Name.` it is that of the file"


def as_datalog(compiled: CompiledModule[Section]) -> str:
    """Returns the module as it stands in a .dl1s file, with directives for all that its rules do not contain."""
    assert isinstance(compiled.module, DatalogModule)
    return print_section(section_of(compiled.module, compiled.syntax.program))


class Datalog(Language[Section]):
    name = "Datalog_1S"
    short_name = "Datalog"
    ending = ".dl1s"
    signs = ("<-", ":-")
    several_modules = True
    target = Target(
        "datalog",
        shown="the Datalog_1S rules",
        having="a translation to Datalog",
        refusal="{}: event types have no translation to Datalog",
    )
    forms = MappingProxyType({"datalog": Form(as_datalog)})

    def claims(self, text: str) -> float:
        return 0.4 if _BEGINNING.match(text) else 0.0

    def parse(self, source: Source) -> ParsedSource[Section]:
        parsed = parse(source)
        return ParsedSource(source, tuple(_module(source, each) for each in parsed.modules), parsed.diagnostics)

    def format(self, source: Source) -> str:
        from cera.languages.datalog.formatter import format_source  # programs are mostly run, not printed

        return format_source(source)

    def compile(self, parsed: Sequence[ParsedSource[Section]], options: CompileOptions) -> Compilation:
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

    def explain(self, module: CompiledModule[Section]) -> Explanation:
        assert isinstance(module.module, DatalogModule)
        return Explanation("datalog", print_program(module.module.program))


def _module(source: Source, section: Section) -> ModuleText[Section]:
    """Returns a section with the name that it gives itself, or that of its file."""
    predicates = tuple(rule.head.predicate for rule in section.program.rules)
    if section.name is None:
        return module_of_file(source, section, predicates, _CLASH)
    return ModuleText(section, section.name.name, section.name.span, predicates, clash=_CLASH)


DATALOG = Datalog()
