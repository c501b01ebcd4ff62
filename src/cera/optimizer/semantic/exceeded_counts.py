"""Counts that every match of a rule would exceed: residues for results by contradiction.

    H ∨ at most n L ← B      →      H ← B ∧ L1 ∧ … ∧ Ln+1, for n + 1 different events of one group

Only what is counted in all of time is looked at: that two events lie in one window is not known of a match.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from cera.constraints.clause import Alternative, Clause
from cera.constraints.groups import components, given_names
from cera.constraints.names import APART, Names, atom_variables
from cera.constraints.numbers import greatest, numbers_of
from cera.constraints.queries import Literal, Part
from cera.model.expressions.expression import EventReference, Temporal, Variable
from cera.optimizer.semantic.residues import NEVER, Residue, Way, said_by_head, ways
from cera.rules.reasoning.impossibility import is_impossible
from cera.rules.rule import Branch

#: Larger counts are not looked at: few rules have so many events of one label.
_MOST_EVENTS = 4


@dataclass(frozen=True)
class _Excess:
    """A clause whose body has, for each count that was in its head, one event more than that admits."""

    clause: Clause
    #: The identifiers of these events, which are different ones, for each of the counts.
    different: tuple[tuple[str, ...], ...]


def residues_of_counts(branch: Branch, clauses: Iterable[Clause]) -> Iterator[Residue]:
    """Yields the conditions that hold in all matches of a branch because it has too many events for a count."""
    for clause in clauses:
        excess = _excess(clause)
        if excess is None:
            continue
        head = said_by_head(excess.clause) if excess.clause.head else NEVER
        if head is None:
            continue
        for way in ways(branch, excess.clause):
            if all(_are_different(branch, way, each) for each in excess.different):
                yield Residue(way.instance(head), clause)


def _are_different(branch: Branch, way: Way, identifiers: Sequence[str]) -> bool:
    """Returns whether events have different times in every match."""
    events = [EventReference(way.events[each]) for each in identifiers]
    return all(
        one != other and is_impossible(branch, [Temporal("equals", one, other)])
        for one, other in combinations(events, 2)
    )


def _excess(clause: Clause) -> _Excess | None:
    """Returns the clause that remains where the counts in the head of another one are exceeded; None if it has none."""
    given = given_names(clause.body)
    head: list[Alternative] = []
    body: list[Part] = list(clause.body)
    different: list[tuple[str, ...]] = []
    for number, alternative in enumerate(clause.head):
        counted = next((each for each in _counted(alternative, given)), None)
        if counted is None:
            head.append(alternative)
            continue
        literal, most = counted
        events = list(_events(literal, most + 1, given, number))
        body += events
        different.append(tuple(each.identifier.identifier for each in events if each.identifier is not None))
    if not different:
        return None
    return _Excess(replace(clause, head=tuple(head), body=tuple(body)), tuple(different))


def _counted(alternative: Alternative, given: frozenset[str]) -> Iterator[tuple[Literal, int]]:
    """Yields the literals that an alternative counts in all of time, by themselves, each with its greatest number."""
    for component in components(alternative, given):
        match component:
            case (Literal(kind="event", time=None) as literal,) if literal.count is not None and not literal.negated:
                numbers = numbers_of(literal)
                most = None if numbers is None else greatest(numbers)
                if most is not None and most < _MOST_EVENTS:
                    yield literal, most


def _events(literal: Literal, count: int, given: frozenset[str], number: int) -> Iterator[Literal]:
    """Yields literals that ask for one event each of what another one counts, all of one group.

    Variables that have no value get names of their own, so that they mean nothing elsewhere in the clause.
    """
    groups = literal.group_by or ()
    for each in range(count):
        mark = f"{APART}{number}"
        own = {
            name: Variable(f"{name}{mark}" if name in groups else f"{name}{mark}.{each}")
            for name in atom_variables(literal.atom)
            if name not in given
        }
        identifier = EventReference(f"e{mark}.{each}")
        yield Names(variables=own).literal(replace(literal, identifier=identifier, count=None, group_by=None))
