"""StreamLog as a language: the rules of all its files are one program, together with those of XChangeEQ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from cera.diagnostics import Diagnostic, Source
from cera.languages.protocol.language import Example, Explanation, Language, RuleText, Target
from cera.languages.protocol.results import Compilation, CompiledModule, CompileOptions, ModuleText, ParsedSource
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

#: The end of a head and its arrow, and the beginnings that no other language has.
_ARROW = re.compile(r"[\w)\"]\s*(?:<-(?![0-9])|←)")
_OPENING = re.compile(
    r"\s*(?:ORIGIN\s*\"|relation\s[^.\n]*\bfrom\s*\"|Range\s*[0-9]|\[|(?:unbounded|now|event|state)\s*:|(?:event|state)\s+\w+\s*:)"
)
#: Directives of Datalog, which has the same arrow.
_DIRECTIVE = re.compile(r"(\s|%[^\n]*\n)*(?:module|monitor|granularity|partition|detect)\s+[\"\w]")
_COMMENT = re.compile(r"#[^\n]*|/\*.*?\*/", re.DOTALL)


def _rule_text(program: RuleProgram) -> RuleText:
    from cera.languages.streamlog.rule_text import rule_text  # programs are mostly run, not printed

    return rule_text(program)


class StreamLog(Language[Program]):
    name = "StreamLog"
    short_name = "StreamLog"
    ending = ".slog"
    signs = ("<-", "←")
    one_program = True
    target = Target(
        "slog",
        shown="the rules of XChangeEQ in StreamLog",
        having="a form in StreamLog",
        refusal="{} is not a program of rules",
        rules=_rule_text,
        about=(
            "Rules of XChangeEQ and StreamLog can be written in either language as far as both can say what they do: "
            "the translation derives the same events. What the other language cannot say is an error with its place."
        ),
        examples=(Example("fire.xceq", kept="fire.slog"),),
    )

    def claims(self, text: str) -> float:
        """Returns how well a text fits. Rules of Datalog look alike: then the one has it that understands more."""
        code = _COMMENT.sub(" ", text)
        opening = _OPENING.match(code) is not None
        if _ARROW.search(code) is None or _DIRECTIVE.match(code):
            return 0.3 if opening else 0.0
        return 0.6 if opening else 0.4

    def parse(self, source: Source) -> ParsedSource[Program]:
        parsed = parse(source)
        rules = tuple(map(rule_name, parsed.program.rules))
        return ParsedSource(source, (ModuleText(parsed.program, "", None, rules, "none"),), parsed.diagnostics)

    def format(self, source: Source) -> str:
        from cera.languages.streamlog.printer import format_source  # programs are mostly run, not printed

        return format_source(source)

    def compile(self, parsed: Sequence[ParsedSource[Program]], options: CompileOptions) -> Compilation:
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

    def explain(self, module: CompiledModule[Program]) -> Explanation:
        """Returns how states are composed; rules are explained with their plan, all together."""
        assert isinstance(module.module, StateModule)
        return Explanation("states", printed_states(module.module))


def _refused(files: Sequence[Program], found: Sequence[Diagnostic]) -> Compilation:
    """Returns the compilation of files with errors: no rules."""
    return Compilation((CompiledModule(RuleModule(RuleProgram(())), tuple(files)),), tuple(found))


def rule_name(rule: Rule) -> str:
    """Returns the name of a rule: the label that it derives."""
    return rule.head.atom.label


STREAMLOG = StreamLog()
