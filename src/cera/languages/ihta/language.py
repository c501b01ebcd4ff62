"""IHTA as a language: each automaton of a file is a module."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType

from cera.automata.module import AutomatonModule
from cera.automata.uniqueness import UniqueModule
from cera.diagnostics import Diagnostic, Source, in_source_order
from cera.languages.ihta.checks import check, notes, unbounded
from cera.languages.ihta.lowering import lower
from cera.languages.ihta.parser import parse
from cera.languages.ihta.syntax import Program
from cera.languages.ihta.used_files import UsedFiles
from cera.languages.protocol.language import Example, Explanation, Form, Language, Target
from cera.languages.protocol.results import (
    Compilation,
    CompiledModule,
    CompileOptions,
    ModuleText,
    ParsedSource,
)

_BEGIN = re.compile(r"(\s|#[^\n]*\n|/\*[^*]*\*+([^/*][^*]*\*+)*/)*(use\s+\"|(strict\s+)?automaton\s)")
_JSON = re.compile(r"\s*\[?\s*\{\s*\"(ihta|automaton)\"\s*:")
CLASH = "an automaton is a module with its name"


def _text(compiled: CompiledModule[Program]) -> str:
    """Returns the automaton of a module as a file of its own: automata that it uses are written out."""
    from cera.languages.ihta.printer import print_automaton
    from cera.languages.ihta.raising import raised

    assert isinstance(compiled.module, AutomatonModule)
    return print_automaton(raised(compiled.module.automaton))


def _json(compiled: CompiledModule[Program]) -> str:
    from cera.languages.ihta.json_writer import automaton_json

    assert isinstance(compiled.module, AutomatonModule)
    return automaton_json(compiled.module.automaton)


class Ihta(Language[Program]):
    name = "IHTA"
    short_name = "IHTA"
    ending = ".ihta"
    several_modules = True
    target = Target(
        "ihta",
        shown="the automata",
        having="an automaton",
        refusal="{} is not an automaton",
        about="Automata are written out in one text, with those that they use; as JSON they are for other tools.",
        examples=(Example("auction.json.ihta", kept="auction.ihta"),),
    )
    forms = MappingProxyType({"ihta": Form(_text), "json": Form(_json)})

    def claims(self, text: str) -> float:
        return 1.0 if _BEGIN.match(text) or _JSON.match(text) else 0.0

    def parse(self, source: Source) -> ParsedSource[Program]:
        parsed = parse(source)
        modules = tuple(
            ModuleText(
                Program((*parsed.program.uses, each)),
                each.header.name,
                each.header.span,
                (each.header.name,),
                clash=CLASH,
            )
            for each in parsed.program.automata
        )
        return ParsedSource(source, modules, parsed.diagnostics)

    def format(self, source: Source) -> str:
        from cera.languages.ihta.printer import format_source  # programs are mostly run, not printed

        return format_source(source)

    def compile(self, parsed: Sequence[ParsedSource[Program]], options: CompileOptions) -> Compilation:
        modules: list[CompiledModule[object]] = []
        found: list[Diagnostic] = []
        state: list[Diagnostic] = []
        for file in (each for each in parsed if not each.diagnostics):
            used = UsedFiles(file.source)
            for written in file.modules:
                [automaton] = written.syntax.automata
                used.read(written.syntax)
                lowered, problems = lower(automaton, used.find)
                if used.problems:
                    lowered = None
                if lowered is not None:
                    problems += check(lowered)
                found += problems
                if lowered is not None and not any(each.severity == "error" for each in problems):
                    module = AutomatonModule(lowered, span=written.span)
                    modules.append(CompiledModule(module, written.syntax))
                    modules += (CompiledModule(each, written.syntax) for each in module.uniqueness)
                    found += notes(lowered)
                    state += unbounded(lowered)
            found += used.problems
        return Compilation(tuple(modules), tuple(in_source_order(found)), tuple(state))

    def explain(self, module: CompiledModule[Program]) -> Explanation:
        from cera.languages.ihta.explanation import explained, remembered

        if isinstance(module.module, UniqueModule):
            text = f"a value of {module.module.variable} belongs to one instance of {module.module.automaton}\n"
            kept = "for good" if module.module.memory is None else "as long as the automaton says"
            return Explanation("automaton", text, (f"the values that instances were entered with, {kept}",))
        assert isinstance(module.module, AutomatonModule)
        return Explanation("automaton", "\n".join(explained(module.module)) + "\n", tuple(remembered(module.module)))


IHTA = Ihta()
