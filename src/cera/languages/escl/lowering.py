"""From the constraints of a file to a module: kinds of labels, names, and the normal form."""

from __future__ import annotations

from cera.constraints.alternatives import TooManyAlternativesError
from cera.constraints.module import ConstraintModule
from cera.diagnostics import Diagnostic, Span
from cera.languages.atoms.syntax import Relation
from cera.languages.escl.dates import with_dates
from cera.languages.escl.steps import normal_forms
from cera.languages.escl.syntax import Program
from cera.languages.protocol.results import CompileOptions
from cera.model.time.clock import TimeError
from cera.model.time.interval import Time
from cera.model.time.time_text import parse_datetime
from cera.rules.declarations import RelationDeclaration


def lower(
    program: Program, name: str, span: Span | None, options: CompileOptions
) -> tuple[ConstraintModule | None, list[Diagnostic]]:
    """Returns the module of a file, or None and its errors."""
    problems: list[Diagnostic] = []
    origin = origin_of(program, options.timezone, problems)
    try:
        clauses, wrong = with_dates(
            [clause for steps in normal_forms(program) for clause in steps.clauses], options.timezone
        )
        problems += wrong
    except TooManyAlternativesError as error:
        hint = "write several constraints, or derive what they have in common by a local definition"
        return None, [*problems, Diagnostic("EC301", "error", str(error), error.span, hint)]
    relations = tuple(map(declaration_of, program.relations))
    given = (name, clauses, origin, options.locations, relations)
    module = ConstraintModule(*given, span=span, timezone=options.timezone)
    return (None if problems else module), problems


def origin_of(program: Program, timezone: str, problems: list[Diagnostic]) -> Time:
    """Returns where windows are counted from; a text that is no time is an error."""
    if program.origin is None:
        return 0
    try:
        return parse_datetime(program.origin.text, timezone).begin
    except TimeError as error:
        problems.append(Diagnostic("EC003", "error", str(error), program.origin.span))
        return 0


def declaration_of(relation: Relation) -> RelationDeclaration:
    return RelationDeclaration(
        relation.name,
        relation.attributes,
        relation.source,
        relation.refresh,
        relation.valid_from,
        relation.versions_of,
        relation.span,
    )
