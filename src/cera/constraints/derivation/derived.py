"""A derived constraint: what it says, what it follows from, and what has to be supposed of the stream."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from cera.constraints.constraint import ConstraintSet

#: What has to be known of a stream, besides that automata accept it, and that rules derive what they derive.
Supposition = Literal["points", "distinct", "unique", "expected", "flat", "single"]
SUPPOSITIONS: tuple[Supposition, ...] = get_args(Supposition)

MEANINGS: dict[Supposition, str] = {
    "points": "events last no time",
    "distinct": "no two events of the automaton end at the same time",
    "unique": "a value of a unique variable is never used again",
    "expected": "no event of the automaton comes when no instance waits for it",
    "flat": "events have each attribute at most once",
    "single": "no two states with the same label and values hold at once",
}


@dataclass(frozen=True)
class DerivedConstraint:
    """A set of constraints with one constraint in it. `because` says what it follows from, in words."""

    constraints: ConstraintSet
    because: str
    supposing: frozenset[Supposition] = frozenset()


def supposed(found: Iterable[DerivedConstraint], given: Iterable[Supposition]) -> list[DerivedConstraint]:
    """Returns the constraints that hold if this much is supposed."""
    known = frozenset(given)
    return [each for each in found if each.supposing <= known]
