"""Programs of StreamLog, read and compiled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cera.diagnostics import Diagnostic, Source
from cera.languages.protocol.language import Explanation
from cera.languages.protocol.results import (
    Compilation,
    CompiledModule,
    CompileOptions,
    ModuleText,
    ParsedSource,
)
from cera.languages.streamlog.checks import check_program
from cera.languages.streamlog.declared_times import with_declared_times
from cera.languages.streamlog.lowering import lower
from cera.languages.streamlog.parser import parse
from cera.languages.streamlog.state_text import printed_states
from cera.languages.streamlog.syntax import Program, Rule
from cera.modules.module import Module
from cera.modules.rules.module import RuleModule
from cera.modules.states.module import StateModule
from cera.rules.rule import RuleProgram


def parsed_source(source: Source) -> ParsedSource[Program]:
    """Reads a source."""
    parsed = parse(source)
    rules = tuple(map(rule_name, parsed.program.rules))
    return ParsedSource(source, (ModuleText(parsed.program, "", None, rules, "none"),), parsed.diagnostics)


def compiled(parsed: Sequence[ParsedSource[Program]], options: CompileOptions) -> Compilation:
    """Compiles the rules of all files."""
    files = [with_declared_times(module.syntax) for file in parsed for module in file.modules]
    if any(each.severity == "error" for file in parsed for each in file.diagnostics):
        return _refused(files, ())
    found = [diagnostic for program in files for diagnostic in check_program(program)]
    if any(each.severity == "error" for each in found):
        return _refused(files, found)
    lowered = lower(files, options.timezone)
    if lowered.problems:
        return _refused(files, [*found, *lowered.problems])
    semantics = options.semantics or lowered.program.semantics
    rules = replace(lowered.program, semantics=semantics, calendars=tuple(options.calendars))
    modules: list[Module] = [RuleModule(rules), *lowered.states]
    compiled = tuple(CompiledModule(module, tuple(files)) for module in modules)
    return Compilation(compiled, tuple(found), lowered.endless)


def explained(module: CompiledModule[Program]) -> Explanation:
    """Returns how states are composed; rules are explained with their plan, all together."""
    assert isinstance(module.module, StateModule)
    return Explanation("states", printed_states(module.module))


def _refused(files: Sequence[Program], found: Sequence[Diagnostic]) -> Compilation:
    """Returns the compilation of files with errors: no rules."""
    return Compilation((CompiledModule(RuleModule(RuleProgram(())), tuple(files)),), tuple(found))


def rule_name(rule: Rule) -> str:
    """Returns the name of a rule: the label that it derives."""
    return rule.head.atom.label
