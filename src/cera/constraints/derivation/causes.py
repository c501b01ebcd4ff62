"""What causes the answers of rules, because it causes all that they are derived from (seed 002, section 12.2.1).

    exists >= 1 h <- B    if  h ← q1, …, qn  in a state, and in it  exists >= 1 gk <- B,  where gk is an instance of qk

All events that a rule asks for are then there, in the state in which it is evaluated, and they fit together: the
variables that they share have values in B. A condition or an absence may leave them out (Listing 12.1), so rules with
one are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cera.constraints.clause import Clause
from cera.constraints.groups import binds
from cera.constraints.numbers import numbers_of
from cera.constraints.queries import Literal, Part
from cera.constraints.subsumption.atoms import FlatAtom, Name, Substitution, applied, extended, flat, flat_pattern
from cera.model.expressions.expression import EventReference, InState
from cera.rules.rule import Branch, Rule

#: The sign of a value that is there, and nobody knows which it is.
_SOME_VALUE = "#"


@dataclass(frozen=True)
class Cause:
    """A body that causes an answer: the clause that has it, its state, the answer in its variables, and its groups."""

    clause: Clause
    state: EventReference
    answer: FlatAtom
    groups: frozenset[str]


def causes(rule: Rule, head: FlatAtom, clauses: Sequence[Clause]) -> Iterator[Cause]:
    """Yields what causes the answers of a rule."""
    if len(rule.branches) != 1 or rule.grouping or rule.momentary or rule.traced:
        return
    found = _in_state(rule.branches[0])
    if found is None:
        return
    state, atoms = found
    done: list[tuple[Part, ...]] = []
    for clause in clauses:
        if clause.body in done:
            continue
        done.append(clause.body)
        bound = frozenset[str]().union(*(binds(part) for part in clause.body))
        for context in clause.body:
            place = flat(context.atom, "state") if isinstance(context, Literal) and _is_state(context) else None
            theta = None if place is None else extended(state, place, {})
            if theta is None or not isinstance(context, Literal) or context.identifier is None:
                continue
            alike = [each for each in clauses if each.body == clause.body and not each.definitions]
            for match in _matched(atoms, _known(alike, context.identifier, bound), theta):
                answer = head.renamed(match)
                if head.variables <= match.keys():
                    yield Cause(clause, context.identifier, answer, answer.variables & bound)


def _is_state(literal: Literal) -> bool:
    return literal.kind == "state" and literal.count is None and not literal.negated


def _in_state(branch: Branch) -> tuple[FlatAtom, list[FlatAtom]] | None:
    """Returns the state that a rule is evaluated in, and the events that it asks for and nothing else."""
    plain = Branch(events=branch.events, conditions=branch.conditions)
    openings = [query for query in branch.events if query.kind == "opening"]
    events = [query for query in branch.events if query.kind == "event"]
    if branch != plain or len(openings) != 1 or len(openings) + len(events) < len(branch.events) or not events:
        return None
    place = EventReference(openings[0].identifier)
    if {*branch.conditions} != {InState(EventReference(query.identifier), place) for query in events}:
        return None
    state, atoms = flat_pattern(openings[0].pattern), [flat_pattern(query.pattern) for query in events]
    known = [each for each in atoms if each is not None]
    return None if state is None or len(known) < len(atoms) else (state, known)


def _known(clauses: Sequence[Clause], state: EventReference, bound: frozenset[str]) -> list[FlatAtom]:
    """Returns the events of which clauses demand at least one in a state, for values that the body has."""
    found: list[FlatAtom] = []
    for number, clause in enumerate(clauses):
        if len(clause.head) != 1 or len(clause.head[0]) != 1:
            continue
        part = clause.head[0][0]
        numbers = numbers_of(part)
        if not isinstance(part, Literal) or part.kind != "event" or part.time != state or part.identifier is not None:
            continue
        groups = frozenset(part.group_by or ())
        atom = flat(part.atom, "event")
        if atom is None or not numbers or 0 in numbers or not groups <= bound:
            continue
        apart: Mapping[str, Name] = {n: Name(f"{n}{_SOME_VALUE}{number}") for n in atom.variables - groups}
        found.append(atom.renamed(apart))
    return found


def _matched(atoms: Sequence[FlatAtom], known: Sequence[FlatAtom], theta: Substitution) -> Iterator[Substitution]:
    """Yields the substitutions under which each atom of a rule is no more special than one that is there."""
    if not atoms:
        yield theta
        return
    for each in known:
        found = extended(atoms[0], each, theta)
        if found is not None:
            # what is there for one atom need not have the value that is there for another one
            own = [name for name in found.keys() - theta.keys() if _is_some(applied(Name(name), found))]
            if not any(name in other.variables for name in own for other in atoms[1:]):
                yield from _matched(atoms[1:], known, found)


def _is_some(value: object) -> bool:
    return isinstance(value, Name) and _SOME_VALUE in value.name
