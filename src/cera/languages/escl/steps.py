"""Sets of constraints in normal form as text, with the steps of the normalisation or without (`cera translate`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cera.constraints.clause import Clause
from cera.constraints.constraint import ConstraintSet
from cera.constraints.kinds import named, resolved, said_kinds
from cera.constraints.normalisation import AllClauses, AnyClause, ClauseSet, OpenClause, Steps, normalise
from cera.languages.escl.printer import print_clause, print_set
from cera.languages.escl.syntax import Program

_TITLES = (
    "1. without local definitions",
    "2. without disjunctions in bodies",
    "3. without modules",
    "4. clauses",
    "5. disjunctions of constraints in the heads",
)


def normal_forms(program: Program) -> list[Steps]:
    """Returns the sets of a program in normal form. Raises TooManyAlternativesError."""
    return [normalise(tree) for tree in prepared(program)]


def prepared(program: Program) -> list[ConstraintSet]:
    """Returns the sets of a program with the kinds of all literals, and the names of all constraints."""
    relations = {each.name for each in program.relations}
    said = said_kinds(program.sets)
    return [resolved(tree, relations, said) for tree in named(program.sets)]


def clauses_text(clauses: Iterable[Clause]) -> str:
    """Returns clauses, each behind its name."""
    return "\n".join(f"# {clause.name}\n{print_clause(clause)}" for clause in clauses)


def steps_text(steps: Sequence[Steps]) -> str:
    """Returns sets of constraints after each step."""
    texts = (
        "\n".join(print_set(each.without_definitions) for each in steps),
        "\n".join(print_set(each.without_disjunctions) for each in steps),
        "\n".join(print_set(each.without_modules) for each in steps),
        "\n".join(_set_text(each.clausal) + "\n" for each in steps),
        clauses_text(clause for each in steps for clause in each.clauses),
    )
    return "\n".join(f"# {title}\n\n{text}" for title, text in zip(_TITLES, texts, strict=True))


def _set_text(tree: ClauseSet) -> str:
    match tree:
        case OpenClause():
            return print_clause(tree.clause).rstrip()
        case AllClauses():
            return "\nand\n".join(_operand(each) for each in tree.parts)
        case AnyClause():
            return "\nor\n".join(_operand(each) for each in tree.parts)


def _operand(tree: ClauseSet) -> str:
    return _set_text(tree) if isinstance(tree, OpenClause) else f"(\n{_set_text(tree)}\n)"
