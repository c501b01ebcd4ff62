"""XChangeEQ as a language: the rules of all its files are one program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cera.diagnostics import Source
from cera.languages.protocol.language import Example, Explanation, Language, RuleText, Target
from cera.languages.protocol.results import Compilation, CompiledModule, CompileOptions, ParsedSource
from cera.rules.rule import RuleProgram

if TYPE_CHECKING:
    from cera.languages.xchangeeq.syntax import ProgramSyntax


def _rule_text(program: RuleProgram) -> RuleText:
    from cera.languages.xchangeeq.rule_text import rule_text  # programs are mostly run, not printed

    return rule_text(program)


class XChangeEQ(Language["ProgramSyntax"]):
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
        from cera.languages.xchangeeq.compilation import (
            parsed_source,  # the language is known before a program of it is read
        )

        return parsed_source(source)

    def format(self, source: Source) -> str:
        from cera.languages.xchangeeq.printer import format_source  # programs are mostly run, not printed

        return format_source(source)

    def compile(self, parsed: Sequence[ParsedSource[ProgramSyntax]], options: CompileOptions) -> Compilation:
        from cera.languages.xchangeeq.compilation import compiled

        return compiled(parsed, options)

    def explain(self, module: CompiledModule[ProgramSyntax]) -> Explanation:
        raise AssertionError("rules are explained with their plan, all together")


XCHANGEEQ = XChangeEQ()
