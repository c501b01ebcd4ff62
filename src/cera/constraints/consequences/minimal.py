"""What sets of constraints say too much or too little, and a minimal set among them (seed 002, Defs. 24 to 27).

    minimal     no constraint of the set follows from others of it, and none says nothing

From constraints that contradict each other, or forbid every event, all would follow; they are left as they are until
one of them is mended.
A minimal set is what is left when constraints that follow from the others are taken out, the last one first. There may
be others. A constraint whose violations those of other files ask for is never taken out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from cera.constraints.clause import Clause
from cera.constraints.consequences.contradiction import contradict, forbids_body, is_unsatisfiable
from cera.constraints.consequences.counting import positive
from cera.constraints.consequences.implication import follows, is_trivial
from cera.constraints.consequences.twins import twins
from cera.constraints.definitions import literals_of
from cera.constraints.partition import parts_of_clause
from cera.constraints.queries import HullLiteral, Literal, Part, TimerLiteral, WindowLiteral
from cera.constraints.reports import VIOLATION
from cera.constraints.times import is_moving
from cera.model.expressions.atoms import Atom, Sliding
from cera.model.expressions.expression import EventReference
from cera.model.expressions.expression import Literal as Constant
from cera.model.time.interval import Time


@dataclass(frozen=True)
class Statement:
    """A constraint of a file, in normal form. `origin` is where windows are counted from in the file."""

    name: str
    file: str
    clauses: tuple[Clause, ...]
    origin: Time = 0


@dataclass(frozen=True)
class Redundancy:
    """A constraint that follows from others."""

    statement: Statement
    because: tuple[Statement, ...]


@dataclass(frozen=True)
class Contradiction:
    """Two constraints of which one is violated wherever the body of the second one holds."""

    first: Statement
    second: Statement


@dataclass(frozen=True)
class Analysis:
    """What is odd about constraints, each in the order of the files, and a minimal set that says the same as all."""

    trivial: tuple[Statement, ...]
    unsatisfiable: tuple[Statement, ...]
    #: Constraints that one event violates by itself, and the two identifiers that stand for it.
    twins: tuple[tuple[Statement, EventReference, EventReference], ...]
    #: Constraints that only say that their body does not hold.
    forbidding: tuple[Statement, ...]
    contradictions: tuple[Contradiction, ...]
    redundant: tuple[Redundancy, ...]
    minimal: tuple[Statement, ...]


def statements_of(file: str, clauses: Iterable[Clause], origin: Time = 0) -> list[Statement]:
    """Returns the constraints that clauses come from."""
    found: dict[str, list[Clause]] = {}
    for clause in clauses:
        found.setdefault(clause.constraint, []).append(clause)
    return [Statement(name, file, tuple(several), origin) for name, several in found.items()]


def analysed(statements: Sequence[Statement]) -> Analysis:
    trivial = tuple(each for each in statements if all(map(is_trivial, each.clauses)))
    rest = [each for each in statements if each not in trivial]
    broken = [each for each in rest if is_unsatisfiable(each.clauses)]
    sound = [each for each in rest if each not in broken]
    contradictions = tuple(
        Contradiction(first, second)
        for place, second in enumerate(sound)
        for first in sound[:place]
        if comparable(first, second) and (_contradict(first, second) or _contradict(second, first))
    )
    alone = tuple((each, *found) for each in sound if (found := twins(each.clauses)) is not None)
    disputed = [each for pair in contradictions for each in (pair.first, pair.second)]
    disputed += (each for each, _, _ in alone)
    redundant: list[Redundancy] = []
    kept = list(sound)
    free = [each for each in sound if each not in disputed and not _is_watched(each, statements)]
    for statement in reversed(free):
        others = [each for each in kept if each is not statement and each not in disputed]
        because = _reasons(statement, others)
        if because is not None:
            redundant.append(Redundancy(statement, tuple(each for each in sound if each in because)))
            kept = [each for each in kept if each is not statement]  # another one may say the same
    minimal = tuple(each for each in rest if any(each is one for one in kept) or each not in sound)
    forbidding = tuple(each for each in broken if forbids_body(each.clauses))
    unsatisfiable = tuple(each for each in broken if each not in forbidding)
    return Analysis(trivial, unsatisfiable, alone, forbidding, contradictions, tuple(reversed(redundant)), minimal)


def _contradict(first: Statement, second: Statement) -> bool:
    clauses = [
        one
        for one in first.clauses
        if any(_speaks_of(one, each) and _heads(one) & _heads(each) for each in second.clauses)
    ]
    return bool(clauses) and contradict(clauses, second.clauses)


def _reasons(statement: Statement, others: Sequence[Statement]) -> list[Statement] | None:
    """Returns the constraints that one follows from; None if it does not."""
    found: list[Statement] = []
    known = [each for each in others if comparable(each, statement)]
    for clause in statement.clauses:
        if is_trivial(clause):
            continue
        reasons = _reasons_of(clause, known)
        if reasons is None:
            return None
        found += (each for each in reasons if each not in found)
    return found


def _reasons_of(clause: Clause, others: Sequence[Statement]) -> list[Statement] | None:
    """Returns one constraint that a clause follows from, or several none of which can be left out."""
    topics = _heads(clause) | _topics(clause.body)
    about = [
        (each, [one for one in each.clauses if _speaks_of(one, clause) and _heads(one) & topics]) for each in others
    ]
    useful = [(each, clauses) for each, clauses in about if clauses]
    for each, clauses in useful:
        if follows(clause, clauses):
            return [each]
    if len(useful) < 2 or not follows(clause, [one for _, clauses in useful for one in clauses]):
        return None
    for pair in list(useful):
        fewer = [other for other in useful if other is not pair]
        if follows(clause, [one for _, clauses in fewer for one in clauses]):
            useful = fewer
    return [each for each, _ in useful]


def _is_watched(statement: Statement, others: Sequence[Statement]) -> bool:
    """Returns whether constraints of other files ask for the violations of one: without it they would say less."""
    return any(
        each.file != statement.file and _names_violation(literal, statement.name)
        for each in others
        for literal in _asked(each)
    )


def _asked(statement: Statement) -> Iterator[Literal]:
    for clause in statement.clauses:
        bodies = [body for each in clause.definitions for body in each.bodies]
        for part in parts_of_clause(clause, bodies):
            yield from literals_of(part)


def _names_violation(literal: Literal, name: str) -> bool:
    """Returns whether a literal can find violations of a constraint."""
    if literal.atom.label != VIOLATION:
        return False
    attributes = [each for each in literal.atom.arguments if isinstance(each, Atom)]
    if any(each.label == "automaton" for each in attributes):
        return False
    named = [each for each in attributes if each.label == "constraint"]
    return all(value.value == name for each in named for value in each.arguments if isinstance(value, Constant))


def _speaks_of(premise: Clause, clause: Clause) -> bool:
    """Returns whether all events and states that a premise asks for are asked for by a clause."""
    return _labels(premise) <= _labels(clause)


def _heads(clause: Clause) -> set[str]:
    return set[str]().union(*(_topics(each) for each in clause.head))


def _topics(parts: Sequence[Part]) -> set[str]:
    """Returns what parts speak of, so that others can say something else of it: labels, or values and times."""
    return {each.atom.label if isinstance(each, Literal) else "" for each in parts if not _is_declared(each)}


def _is_declared(part: Part) -> bool:
    return isinstance(part, TimerLiteral | WindowLiteral | HullLiteral)


def _labels(clause: Clause) -> set[tuple[str, str]]:
    return {(each.kind or "event", each.atom.label) for each in positive(clause.body)}


def comparable(first: Statement, second: Statement) -> bool:
    """Returns whether the same texts mean the same in both.

    Windows are counted from the origin of the file, and `now` is when something happens that one of its constraints
    asks for.
    """
    if first.file == second.file:
        return True
    windows = [
        part.window
        for statement in (first, second)
        for clause in statement.clauses
        for part in parts_of_clause(clause, [body for each in clause.definitions for body in each.bodies])
        if isinstance(part, WindowLiteral)
    ]
    if any(map(is_moving, windows)):
        return False
    return first.origin == second.origin or not any(isinstance(each, Sliding) for each in windows)
