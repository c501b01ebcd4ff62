"""What can be wrong with constraints besides their text, and what is odd about them."""

from __future__ import annotations

from collections.abc import Sequence

from cera.constraints.consequences.minimal import Analysis, Statement
from cera.constraints.groups import binds
from cera.constraints.queries import Literal
from cera.diagnostics import Diagnostic, Note, in_source_order
from cera.languages.escl.module_times import check_modules
from cera.languages.escl.names import check_names
from cera.languages.escl.places import check_places
from cera.languages.escl.scopes import scopes
from cera.languages.escl.syntax import Program
from cera.languages.escl.times import check_times
from cera.languages.escl.values import check_values
from cera.languages.protocol.results import CompileOptions
from cera.model.expressions.expression import Comparison, walk
from cera.model.expressions.expression import Literal as Constant


def check(program: Program, options: CompileOptions) -> list[Diagnostic]:
    """Returns the diagnostics of a file whose text could be read, in source order."""
    found: list[Diagnostic] = [*check_names(program)]
    several, problems = scopes(program)
    found += problems
    found += check_modules(program)
    for scope in several:
        found += check_values(scope)
        found += check_times(scope)
        found += check_places(scope, options.locations)
    unique = {(each.code, each.span, each.message): each for each in found}
    return list(in_source_order(list(unique.values())))


def oddities(analysis: Analysis) -> list[Diagnostic]:
    """Returns what is odd about constraints: those that say nothing, that nothing satisfies, that contradict each other
    or follow from others; and in the last case a minimal set."""
    shown = _Names(analysis)
    found = [
        _warning("EC402", each, f"the constraint {shown(each)} can never be violated", _saying_more(each))
        for each in analysis.trivial
    ]
    for each, one, other in analysis.twins:
        message = (
            f"`{one.identifier}` and `{other.identifier}` can be the same event, which alone violates {shown(each)}"
        )
        hint = f"write `{one.identifier} before {other.identifier}`, if two are meant"
        notes = (Note("this may be the same", other.span),) if other.span is not None else ()
        found.append(Diagnostic("EC411", "warning", message, one.span or each.clauses[0].span, hint, notes))
    for each in analysis.unsatisfiable:
        where = " where its body holds" if each.clauses[0].body else ""
        message = f"no stream satisfies the constraint {shown(each)}{where}"
        hint = _small_letters(each) or "no number is in the count, or conditions contradict each other"
        found.append(Diagnostic("EC403", "error", message, each.clauses[0].span, hint))
    for each in analysis.forbidding:
        message = f"{shown(each)} forbids its body: whatever makes it hold is a violation"
        hint = "if that is not meant, look at what the head says of the body"
        found.append(Diagnostic("EC409", "note", message, each.clauses[0].span, hint))
    for redundancy in analysis.redundant:
        several = redundancy.because
        message = f"the constraint {shown(redundancy.statement)} follows from {shown.all(several)}"
        found.append(_warning("EC405", redundancy.statement, message, "leave it out", shown.notes(several)))
    reported: list[Statement] = []
    for contradiction in analysis.contradictions:
        first, second = contradiction.first, contradiction.second
        if second not in reported:
            reported.append(second)
            message = f"the constraints {shown(first)} and {shown(second)} contradict each other"
            hint = "nothing that they are about is allowed by both"
            found.append(_warning("EC404", second, message, hint, shown.notes((first,))))
    if analysis.redundant:
        found.append(_proposal(analysis, shown))
    return found


def _saying_more(statement: Statement) -> str:
    """Returns a hint for a constraint that says nothing: of groups without values only those are counted that occur."""
    for clause in statement.clauses:
        bound = frozenset[str]().union(*map(binds, clause.body))
        for part in (part for each in clause.head for part in each):
            if isinstance(part, Literal) and part.count is not None and part.group_by:
                missing = [name for name in part.group_by if name not in bound]
                if missing:
                    names = " and ".join(f"`{name}`" for name in missing)
                    values = f"give {names} values, `IF event: p(x({missing[0]})) THEN … END`"
                    return f"only groups that occur are counted: {values}, or count all: `group-by {{}}`"
    return "leave it out, or say more"


def _small_letters(statement: Statement) -> str | None:
    """Returns a hint for words in small letters that are compared, and may be meant as variables."""
    parts = [part for clause in statement.clauses for each in (clause.body, *clause.head) for part in each]
    for each in (found for part in parts if isinstance(part, Comparison) for found in walk(part)):
        if not isinstance(each, Constant) or not isinstance(each.value, str) or each.span is None:
            continue
        if each.span.source.text[each.span.start].isalpha():
            variable = f"{each.value[0].upper()}{each.value[1:]}"
            return f"`{each.value}` is the text of itself; a variable begins with a capital letter: `{variable}`"
    return None


def _warning(code: str, of: Statement, message: str, hint: str, notes: tuple[Note, ...] = ()) -> Diagnostic:
    return Diagnostic(code, "warning", message, of.clauses[0].span, hint, notes)


def _proposal(analysis: Analysis, shown: _Names) -> Diagnostic:
    """Returns the note that proposes a minimal set (EC410)."""
    every = len(analysis.minimal) + len(analysis.redundant) + len(analysis.trivial)
    first = analysis.minimal[0]
    message = f"{len(analysis.minimal)} of {every} constraints say the same as all: {shown.all(analysis.minimal)}"
    reasons = (
        Note(f"{shown(each.statement)} follows from {shown.all(each.because)}", each.statement.clauses[0].span)
        for each in analysis.redundant
    )
    empty = (Note(f"{shown(each)} says nothing", each.clauses[0].span) for each in analysis.trivial)
    return Diagnostic("EC410", "note", message, first.clauses[0].span, "leave out the others", (*reasons, *empty))


class _Names:
    """The names of constraints in messages: with that of the file if there are several files."""

    def __init__(self, analysis: Analysis) -> None:
        every = [*analysis.trivial, *analysis.minimal, *(each.statement for each in analysis.redundant)]
        self._several = len({each.file for each in every}) > 1

    def __call__(self, statement: Statement) -> str:
        return f"`{statement.file}.{statement.name}`" if self._several else f"`{statement.name}`"

    def all(self, statements: Sequence[Statement]) -> str:
        names = [self(each) for each in statements]
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

    def notes(self, statements: Sequence[Statement]) -> tuple[Note, ...]:
        return tuple(Note(f"{self(each)} is here", each.clauses[0].span) for each in statements)
