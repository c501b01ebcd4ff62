"""What can be wrong with constraints besides their text, and what is odd about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cera.constraints.clause import Clause
from cera.constraints.implication import contradicts, implies, is_trivial, is_unsatisfiable
from cera.diagnostics import Diagnostic, Note, in_source_order
from cera.languages.escl.names import check_names
from cera.languages.escl.places import check_places
from cera.languages.escl.scopes import scopes
from cera.languages.escl.syntax import Program
from cera.languages.escl.times import check_times
from cera.languages.escl.values import check_values
from cera.languages.protocol.results import CompileOptions


def check(program: Program, options: CompileOptions) -> list[Diagnostic]:
    """Returns the diagnostics of a file whose text could be read, in source order."""
    found: list[Diagnostic] = [*check_names(program)]
    several, problems = scopes(program)
    found += problems
    for scope in several:
        found += check_values(scope)
        found += check_times(scope)
        found += check_places(scope, options.locations)
    unique = {(each.code, each.span, each.message): each for each in found}
    return list(in_source_order(list(unique.values())))


def minimal(clauses: Sequence[Clause]) -> list[Diagnostic]:
    """Returns what is odd about constraints: those that say nothing, that nothing satisfies, that contradict each other
    or follow from others."""
    by_constraint: dict[str, list[Clause]] = {}
    for clause in clauses:
        by_constraint.setdefault(clause.constraint, []).append(clause)
    found = [diagnostic for name, several in by_constraint.items() for diagnostic in _of_one(name, several)]
    odd = {each.span for each in found}
    names = list(by_constraint)
    dropped: set[str] = set()
    for name in reversed(names):
        own = by_constraint[name]
        if own[0].span in odd:
            continue
        others = [each for other in names if other != name and other not in dropped for each in by_constraint[other]]
        reasons = [next((each for each in others if implies(each, clause)), None) for clause in own]
        if all(reason is not None for reason in reasons):
            dropped.add(name)
            notes = tuple(Note(f"`{e.constraint}` is here", e.span) for e in dict.fromkeys(reasons) if e is not None)
            message = f"the constraint `{name}` follows from {'another one' if len(notes) == 1 else 'others'}"
            found.append(Diagnostic("EC405", "warning", message, own[0].span, "leave it out", notes))
    found += _contradictions([each for each in clauses if each.constraint not in dropped])
    return found


def _of_one(name: str, clauses: Sequence[Clause]) -> Iterator[Diagnostic]:
    span = clauses[0].span
    if all(map(is_trivial, clauses)):
        message = f"the constraint `{name}` can never be violated"
        yield Diagnostic("EC402", "warning", message, span, "leave it out, or say more")
    elif (broken := next(filter(is_unsatisfiable, clauses), None)) is not None:
        message = f"no stream satisfies the constraint `{name}`" + (" where its body holds" if broken.body else "")
        yield Diagnostic("EC403", "error", message, span, "no number is in the count, or a value differs from itself")


def _contradictions(clauses: Sequence[Clause]) -> Iterator[Diagnostic]:
    reported: set[str] = set()
    for place, second in enumerate(clauses):
        for first in clauses[:place]:
            both = contradicts(first, second) or contradicts(second, first)
            if both and second.constraint not in reported and first.constraint != second.constraint:
                reported.add(second.constraint)
                message = f"the constraints `{first.constraint}` and `{second.constraint}` contradict each other"
                hint = "no number of events is allowed by both"
                note = (Note(f"`{first.constraint}` is here", first.span),)
                yield Diagnostic("EC404", "warning", message, second.span, hint, note)
