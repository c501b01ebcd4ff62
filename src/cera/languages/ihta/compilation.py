"""Automata, read and compiled."""

from __future__ import annotations

from collections.abc import Sequence

from cera.automata.module import AutomatonModule
from cera.automata.uniqueness import UniqueModule
from cera.diagnostics import Diagnostic, Source, in_source_order
from cera.languages.ihta.checks import check, notes, unbounded
from cera.languages.ihta.lowering import lower
from cera.languages.ihta.parser import parse
from cera.languages.ihta.syntax import Program
from cera.languages.ihta.used_files import UsedFiles
from cera.languages.protocol.language import Explanation
from cera.languages.protocol.results import (
    Compilation,
    CompiledModule,
    CompileOptions,
    ModuleText,
    ParsedSource,
)

CLASH = "an automaton is a module with its name"


def parsed_source(source: Source) -> ParsedSource[Program]:
    """Reads a source."""
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


def compiled(parsed: Sequence[ParsedSource[Program]], options: CompileOptions) -> Compilation:
    """Compiles each automaton."""
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


def explained(module: CompiledModule[Program]) -> Explanation:
    """Returns the tree of states, and what is remembered."""
    from cera.languages.ihta import explanation  # programs are mostly run, not explained

    if isinstance(module.module, UniqueModule):
        text = f"a value of {module.module.variable} belongs to one instance of {module.module.automaton}\n"
        kept = "for good" if module.module.memory is None else "as long as the automaton says"
        return Explanation("automaton", text, (f"the values that instances were entered with, {kept}",))
    assert isinstance(module.module, AutomatonModule)
    text = "\n".join(explanation.explained(module.module)) + "\n"
    return Explanation("automaton", text, tuple(explanation.remembered(module.module)))
