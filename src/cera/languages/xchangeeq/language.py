"""XChangeEQ as a language: the rules of all its files are one program."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cera.diagnostics import Diagnostic, Source
from cera.languages.protocol.language import Example, Explanation, Language, RuleText, Target
from cera.languages.protocol.results import Compilation, CompiledModule, CompileOptions, ModuleText, ParsedSource
from cera.languages.xchangeeq.lowering import lower
from cera.languages.xchangeeq.names import rule_name
from cera.languages.xchangeeq.parser import parse
from cera.languages.xchangeeq.syntax import CalendarsDirective, ProgramSyntax
from cera.model.calendars.calendar_files import Calendar, CalendarError, load_calendars
from cera.modules.rules.module import RuleModule
from cera.rules.rule import RuleProgram


def _rule_text(program: RuleProgram) -> RuleText:
    from cera.languages.xchangeeq.rule_text import rule_text  # programs are mostly run, not printed

    return rule_text(program)


class XChangeEQ(Language[ProgramSyntax]):
    name = "XChangeEQ"
    short_name = "XChangeEQ"
    ending = ".xceq"
    signs = ("{", "DETECT ", "RAISE ")
    one_program = True
    target = Target(
        "xceq",
        shown="the rules of StreamLog in XChangeEQ",
        having="a form in XChangeEQ",
        refusal="{} is not a program of rules",
        rules=_rule_text,
        examples=(Example("auction.slog", kept="auction.xceq"),),
    )

    def claims(self, text: str) -> float:
        """Returns a low claim: texts that no other language claims belong to this one."""
        return 0.1

    def parse(self, source: Source) -> ParsedSource[ProgramSyntax]:
        parsed = parse(source)
        rules = tuple(map(rule_name, parsed.program.rules))
        return ParsedSource(source, (ModuleText(parsed.program, "", None, rules, "none"),), parsed.diagnostics)

    def format(self, source: Source) -> str:
        from cera.languages.xchangeeq.printer import format_source  # programs are mostly run, not printed

        return format_source(source)

    def compile(self, parsed: Sequence[ParsedSource[ProgramSyntax]], options: CompileOptions) -> Compilation:
        calendars, missing = _calendars(parsed, options.calendars)
        files = [module.syntax for file in parsed for module in file.modules]
        rules, problems = lower(files, calendars=calendars, timezone=options.timezone, semantics=options.semantics)
        return Compilation((CompiledModule(RuleModule(rules), tuple(files)),), (*missing, *problems))

    def explain(self, module: CompiledModule[ProgramSyntax]) -> Explanation:
        raise AssertionError("rules are explained with their plan, all together")


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


XCHANGEEQ = XChangeEQ()
