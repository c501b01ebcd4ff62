"""ESCL as a language: the constraints of a file are a module, which derives what violates them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType

from cera.constraints.consequences.minimal import Statement, analysed, statements_of
from cera.constraints.module import ConstraintModule
from cera.constraints.translation.layers import divided, verification_lines
from cera.diagnostics import Diagnostic, Source, in_source_order
from cera.languages.escl.checks import check, oddities
from cera.languages.escl.lowering import lower
from cera.languages.escl.parser import parse
from cera.languages.escl.syntax import Program
from cera.languages.protocol.language import Example, Explanation, Form, Language, Target
from cera.languages.protocol.results import (
    Compilation,
    CompiledModule,
    CompileOptions,
    ParsedSource,
    module_of_file,
)

_SET = r"(WHILE\s|IN\s+ANY\s+CASE\s|CONSTRAINT\s|LET\s+DETECT\s|IF\s|\(\s*(IN\s+ANY\s+CASE|IF|WHILE)\s)"
_BEGIN = re.compile(rf"(\s|#[^\n]*\n)*{_SET}")
#: Declarations, which StreamLog has too, and a set of constraints behind them.
_DECLARED = re.compile(rf"(\s|#[^\n]*\n)*(ORIGIN\s*\"|relation\s)[^<]*^{_SET}", re.MULTILINE)


def _clauses(compiled: CompiledModule[Program]) -> str:
    from cera.languages.escl.steps import clauses_text  # programs are mostly run, not printed

    assert isinstance(compiled.module, ConstraintModule)
    return clauses_text(compiled.module.clauses)


def _steps(compiled: CompiledModule[Program]) -> str:
    from cera.languages.escl.steps import normal_forms, steps_text

    return steps_text(normal_forms(compiled.syntax))


#: What clauses that are verified event by event remember.
_REMEMBERED = "events and states that can still matter; those that always can, EC501 names"


class Escl(Language[Program]):
    name = "ESCL"
    short_name = "ESCL"
    ending = ".escl"
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
        parsed = parse(source)
        names = tuple(each.name or f"c{number}" for number, each in enumerate(parsed.program.constraints, 1))
        module = module_of_file(source, parsed.program, names, "the constraints of a file have its name")
        return ParsedSource(source, (module,), parsed.diagnostics)

    def format(self, source: Source) -> str:
        from cera.languages.escl.printer import format_source  # programs are mostly run, not printed

        return format_source(source)

    def compile(self, parsed: Sequence[ParsedSource[Program]], options: CompileOptions) -> Compilation:
        modules: list[tuple[ConstraintModule, Program]] = []
        found: list[Diagnostic] = []
        statements: list[Statement] = []
        for file in (each for each in parsed if not each.diagnostics):
            for written in file.modules:
                problems = check(written.syntax, options)
                if not written.syntax.constraints:
                    hint = "write `IN ANY CASE … END` or `IF … THEN … END`"
                    message = "there is no constraint in the file"
                    problems.append(Diagnostic("EC408", "warning", message, written.span, hint))
                lowered: ConstraintModule | None = None
                if not any(each.severity == "error" for each in problems):
                    lowered, errors = lower(written.syntax, written.name, written.span, options)
                    problems += errors
                if lowered is not None:
                    modules.append((lowered, written.syntax))
                    statements += statements_of(lowered.name, lowered.clauses, lowered.origin)
                found += problems
        analysis = analysed(statements)
        wrong = {each.file for each in analysis.unsatisfiable}
        found += oddities(analysis)
        compiled = (CompiledModule[object](each, syntax) for each, syntax in modules if each.name not in wrong)
        return Compilation(tuple(compiled), tuple(in_source_order(found)))

    def explain(self, module: CompiledModule[Program]) -> Explanation:
        assert isinstance(module.module, ConstraintModule)
        verified = [f"# {line}" for line in verification_lines(module.module)]
        text = "\n".join([_clauses(module).rstrip(), "", *verified])
        _, rest = divided(module.module)  # what rules remember, their plans say
        return Explanation("clauses", text, (_REMEMBERED,) if rest.clauses else None)


ESCL = Escl()
