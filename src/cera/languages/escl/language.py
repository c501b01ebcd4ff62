"""ESCL as a language: the constraints of a file are a module, which derives what violates them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from cera.diagnostics import Source
from cera.languages.protocol.language import Example, Explanation, Form, Language, Target
from cera.languages.protocol.results import (
    Compilation,
    CompiledModule,
    CompileOptions,
    ParsedSource,
)

if TYPE_CHECKING:
    from cera.languages.escl.syntax import Program

_SET = r"(WHILE\s|IN\s+ANY\s+CASE\s|CONSTRAINT\s|LET\s+DETECT\s|IF\s|\(\s*(IN\s+ANY\s+CASE|IF|WHILE)\s)"
_BEGIN = re.compile(rf"(\s|#[^\n]*\n)*{_SET}")
#: Declarations, which StreamLog has too, and a set of constraints behind them.
_DECLARED = re.compile(rf"(\s|#[^\n]*\n)*(ORIGIN\s*\"|relation\s)[^<]*^{_SET}", re.MULTILINE)


def _clauses(compiled: CompiledModule[Program]) -> str:
    from cera.languages.escl.compilation import clauses_of

    return clauses_of(compiled)


def _steps(compiled: CompiledModule[Program]) -> str:
    from cera.languages.escl.steps import normal_forms, steps_text  # programs are mostly run, not printed

    return steps_text(normal_forms(compiled.syntax))


class Escl(Language["Program"]):
    name = "ESCL"
    short_name = "ESCL"
    ending = ".escl"
    defines = ("constraint", "constraints")
    signs = ("IN ANY CASE ", "CONSTRAINT ", "IF event", "IF state", " THEN ", " LET ")
    target = Target(
        "clauses",
        shown="the normal form",
        having="a normal form",
        refusal="{} is not a set of constraints",
    )
    forms = MappingProxyType(
        {
            "clauses": Form(
                _clauses,
                "constraints of ESCL",
                "constraints of ESCL",
                about="Constraints become clauses in five steps, which can be shown too.",
                examples=(Example("auction.escl"),),
                steps=_steps,
            )
        }
    )

    def claims(self, text: str) -> float:
        return 1.0 if _BEGIN.match(text) or _DECLARED.match(text) else 0.0

    def parse(self, source: Source) -> ParsedSource[Program]:
        from cera.languages.escl.compilation import (
            parsed_source,  # the language is known before a program of it is read
        )

        return parsed_source(source)

    def format(self, source: Source) -> str:
        from cera.languages.escl.printer import format_source  # programs are mostly run, not printed

        return format_source(source)

    def compile(self, parsed: Sequence[ParsedSource[Program]], options: CompileOptions) -> Compilation:
        from cera.languages.escl.compilation import compiled

        return compiled(parsed, options)

    def explain(self, module: CompiledModule[Program]) -> Explanation:
        from cera.languages.escl.compilation import explained

        return explained(module)


ESCL = Escl()
