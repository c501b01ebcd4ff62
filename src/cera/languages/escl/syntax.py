"""The syntax tree of a file of ESCL: declarations, and sets of constraints (`cera.constraints.constraint`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf

from cera.constraints.constraint import Constraint, ConstraintSet, constraints_of
from cera.languages.atoms.syntax import Declaration, Origin, Relation

#: The kinds of items; the grammar has a start rule for each.
Start = OneOf["declaration", "constraints"]
STARTS: tuple[Start, ...] = ("declaration", "constraints")

Item = Declaration | ConstraintSet


@dataclass(frozen=True)
class Program:
    """The declarations and the sets of constraints of a file, in their order; all sets hold."""

    declarations: tuple[Declaration, ...] = ()
    sets: tuple[ConstraintSet, ...] = ()

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        return tuple(each for one in self.sets for each in constraints_of(one))

    @property
    def relations(self) -> tuple[Relation, ...]:
        return tuple(each for each in self.declarations if isinstance(each, Relation))

    @property
    def origin(self) -> Origin | None:
        return next((each for each in self.declarations if isinstance(each, Origin)), None)


def program_of(items: tuple[Item, ...]) -> Program:
    """Returns the program of items."""
    declarations = tuple(each for each in items if isinstance(each, Origin | Relation))
    return Program(declarations, tuple(each for each in items if not isinstance(each, Origin | Relation)))
