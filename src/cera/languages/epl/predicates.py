"""The predicates of translated programs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from cera.datalog.syntax import NEXT, Atom, BodyPart
from cera.languages.epl.attribute_grammar import Bound, Predecessor
from cera.model.expressions.expression import Arithmetic, Comparison, Literal, Variable

#: Some monitored event happens; the time of a stage; its number. These hold facts of every program.
ANY, TIME, STAGE = "any", "time", "stage"
SAT_START = "sat_start"

_PREFIXES = "at|has|last|wait|used|count|turn|try|(later_)?(cand|pair)"
_TAKEN = re.compile(rf"{ANY}|{TIME}|{STAGE}|(({_PREFIXES})_)?sat(\d+|E|_start)(_.*)?")


def is_taken(label: str) -> bool:
    """Returns whether a label of a stream would be taken for a predicate of the translation."""
    return _TAKEN.fullmatch(label) is not None


class Names:
    """The predicates of one rule: `sat1`, …, `satE`; with the name of the rule if its module has several."""

    def __init__(self, suffix: str = "") -> None:
        self._suffix = f"_{suffix}" if suffix else ""
        self._same: dict[str, str] = {}

    def same(self, number: str, other: str) -> None:
        """Gives a node the name of another, which is satisfied at the same stages with the same arguments."""
        self._same[number] = self._same.get(other, other)

    def sat(self, number: str) -> str:
        return f"sat{self._same.get(number, number)}{self._suffix}"

    def of(self, predecessor: Predecessor) -> str:
        sat = self.sat(predecessor.number)
        return sat if predecessor.memory == "sat" else f"{predecessor.memory}_{sat}"

    def has(self, number: str) -> str:
        return f"has_{self.sat(number)}"

    def candidate(self, number: str) -> str:
        return f"cand_{self.sat(number)}"

    def attempt(self, number: str) -> str:
        return f"try_{self.sat(number)}"

    def pair(self, number: str) -> str:
        return f"pair_{self.sat(number)}"

    def count(self, number: str) -> str:
        return f"count_{self.sat(number)}"

    def turn(self, number: str) -> str:
        return f"turn_{self.sat(number)}"

    def later(self, candidates: str) -> str:
        return f"later_{candidates}"

    def used(self, number: str) -> str:
        return f"used_{self.sat(number)}"


def terms(names: Iterable[str]) -> tuple[Variable, ...]:
    return tuple(Variable(name) for name in names)


def in_time(bounds: Sequence[Bound]) -> tuple[BodyPart, ...]:
    """Returns the condition that the next stage is not later than the bounds allow."""
    if not bounds:
        return ()
    now = Variable(bounds[0].now)
    conditions = (
        Comparison("<=", Arithmetic("-", now, Variable(bound.since)), Literal(bound.microseconds)) for bound in bounds
    )
    return (Atom(TIME, (now,), NEXT), *conditions)
