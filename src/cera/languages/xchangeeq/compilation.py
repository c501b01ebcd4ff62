"""Programs of XChangeEQ, read and compiled."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cera.diagnostics import Diagnostic, Source
from cera.languages.protocol.results import Compilation, CompiledModule, CompileOptions, ModuleText, ParsedSource
from cera.languages.xchangeeq.lowering import lower
from cera.languages.xchangeeq.names import rule_name
from cera.languages.xchangeeq.parser import parse
from cera.languages.xchangeeq.syntax import CalendarsDirective, ProgramSyntax
from cera.model.calendars.calendar_files import Calendar, CalendarError, load_calendars
from cera.modules.rules.module import RuleModule


def parsed_source(source: Source) -> ParsedSource[ProgramSyntax]:
    """Reads a source."""
    parsed = parse(source)
    rules = tuple(map(rule_name, parsed.program.rules))
    return ParsedSource(source, (ModuleText(parsed.program, "", None, rules, "none"),), parsed.diagnostics)


def compiled(parsed: Sequence[ParsedSource[ProgramSyntax]], options: CompileOptions) -> Compilation:
    """Compiles the rules of all files."""
    calendars, missing = _calendars(parsed, options.calendars)
    files = [module.syntax for file in parsed for module in file.modules]
    rules, problems = lower(files, calendars=calendars, timezone=options.timezone, semantics=options.semantics)
    return Compilation((CompiledModule(RuleModule(rules), tuple(files)),), (*missing, *problems))


def _calendars(
    parsed: Sequence[ParsedSource[ProgramSyntax]], given: Sequence[Calendar]
) -> tuple[list[Calendar], list[Diagnostic]]:
    """Returns the calendars that were given and those that CALENDARS directives name."""
    found, problems = list(given), []
    for file in parsed:
        for directive in (item for module in file.modules for item in module.syntax.items):
            if isinstance(directive, CalendarsDirective):
                try:
                    found += load_calendars(Path(file.source.name).parent / directive.path)
                except (CalendarError, OSError) as error:
                    problems.append(Diagnostic("XC006", "error", str(error), directive.span))
    return found, problems
