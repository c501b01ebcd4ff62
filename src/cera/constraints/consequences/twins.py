"""Two identifiers that can stand for the same event, which alone then violates the constraint.

    IF event i: login(user(U)) and event j: login(user(U)) THEN {i, j} apart-by min 10 min END

Every login violates this with itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

from cera.constraints.clause import Clause
from cera.constraints.consequences.contradiction import is_unsatisfiable
from cera.constraints.consequences.matching import Theta
from cera.constraints.queries import GapContent, Literal
from cera.constraints.subsumption.atoms import extended, flat
from cera.model.expressions.expression import EventReference


def twins(clauses: Sequence[Clause]) -> tuple[EventReference, EventReference] | None:
    """Returns two identifiers such that every event that both stand for violates one of some clauses."""
    for clause in clauses:
        literals = [each for each in clause.body if isinstance(each, Literal)]
        if len(literals) != 2 or any(isinstance(each, GapContent) for each in clause.body):
            continue
        if any(each.kind != "event" or each.count is not None for each in literals):
            continue
        for one, other in permutations(literals):
            merged = _merged(clause, one, other)
            if merged is not None and is_unsatisfiable([merged]) and not is_unsatisfiable([clause]):
                first, second = (each.identifier for each in literals)
                return None if first is None or second is None else (first, second)
    return None


def _merged(clause: Clause, one: Literal, other: Literal) -> Clause | None:
    """Returns a clause in which two literals find the same event, if the first one names all that the other does."""
    if one.identifier is None or other.identifier is None or one.time != other.time:
        return None
    special, general = flat(one.atom, "event"), flat(other.atom, "event")
    values = None if special is None or general is None else extended(general, special, {})
    if values is None:
        return None
    names = Theta(values, {other.identifier.identifier: one.identifier.identifier}).names
    body = tuple(names.part(each) for each in clause.body if each is not other)
    return replace(clause, body=body, head=tuple(tuple(map(names.part, each)) for each in clause.head))
