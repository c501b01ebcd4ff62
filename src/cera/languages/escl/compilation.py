"""Constraints, read and compiled."""

from __future__ import annotations

from collections.abc import Sequence

from cera.constraints.consequences.minimal import Statement, analysed, statements_of
from cera.constraints.module import ConstraintModule
from cera.constraints.translation.layers import divided, verification_lines
from cera.diagnostics import Diagnostic, Source, in_source_order
from cera.languages.escl.checks import check, oddities
from cera.languages.escl.lowering import lower
from cera.languages.escl.parser import parse
from cera.languages.escl.syntax import Program
from cera.languages.protocol.language import Explanation
from cera.languages.protocol.results import (
    Compilation,
    CompiledModule,
    CompileOptions,
    ParsedSource,
    module_of_file,
)

#: What clauses that are verified event by event remember.
_REMEMBERED = "events and states that can still matter; those that always can, EC501 names"


def parsed_source(source: Source) -> ParsedSource[Program]:
    """Reads a source."""
    parsed = parse(source)
    names = tuple(each.name or f"c{number}" for number, each in enumerate(parsed.program.constraints, 1))
    module = module_of_file(source, parsed.program, names, "the constraints of a file have its name")
    return ParsedSource(source, (module,), parsed.diagnostics)


def compiled(parsed: Sequence[ParsedSource[Program]], options: CompileOptions) -> Compilation:
    """Compiles the constraints of each file, and says what is odd about all of them together."""
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


def explained(module: CompiledModule[Program]) -> Explanation:
    """Returns the clauses, and how each is verified."""
    assert isinstance(module.module, ConstraintModule)
    verified = [f"# {line}" for line in verification_lines(module.module)]
    text = "\n".join([clauses_of(module).rstrip(), "", *verified])
    _, rest = divided(module.module)  # what rules remember, their plans say
    return Explanation("clauses", text, (_REMEMBERED,) if rest.clauses else None)


def clauses_of(module: CompiledModule[Program]) -> str:
    """Returns the text of the clauses of a file."""
    from cera.languages.escl.steps import clauses_text  # programs are mostly run, not printed

    assert isinstance(module.module, ConstraintModule)
    return clauses_text(module.module.clauses)
