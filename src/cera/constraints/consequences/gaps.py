"""What conditions on what lies between others say of counts and of times.

Between neighbours that overlap there is nothing (ERR-60), so where something lies between all of some events, no two of
them overlap. Of two events one number of events lies between; of more, each of several numbers is as it is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import assert_never

from cera.constraints.consequences.counting import Count
from cera.constraints.consequences.time_bounds import begin, end
from cera.constraints.names import APART
from cera.constraints.numbers import complement, counts
from cera.constraints.queries import AllQuantities, AnyQuantity, Apart, Gap, GapContent, Part, Quantities, Quantity
from cera.model.expressions.expression import EventReference
from cera.rules.reasoning.difference_bounds import Constraint
from cera.rules.reasoning.time_constraints import Clause


@dataclass(frozen=True)
class Branch:
    """One of the cases in which a condition holds, or does not: clauses on times, and counts."""

    clauses: tuple[Clause, ...] = ()
    counts: tuple[Count, ...] = ()


def is_vacuous(part: Part) -> bool:
    """Returns whether a condition on neighbours is about one alone, which has none."""
    return isinstance(part, Gap | GapContent | Apart) and len(part.identifiers) == 1


def content_branches(condition: GapContent, *, holds: bool) -> list[Branch]:
    """Returns the cases of which one holds if a condition does, or does not."""
    several = len(condition.identifiers) > 2
    if len(condition.identifiers) < 2 or (several and not holds):
        return [Branch()]  # there is nothing between, or some of the numbers are others
    between = EventReference(f"{APART}{','.join(sorted(each.identifier for each in condition.identifiers))}")
    return [
        Branch(tuple(_clauses(condition, found)), found)
        for found in _branches(condition.quantities, between, holds=holds)
    ]


def _branches(quantities: Quantities, between: EventReference, *, holds: bool) -> list[tuple[Count, ...]]:
    match quantities:
        case Quantity():
            numbers = counts(quantities.count)
            if numbers is None:
                return [()]
            literal = replace(quantities.literal, time=between, identifier=None)
            return [(Count(literal, numbers if holds else complement(numbers)),)]
        case AllQuantities() | AnyQuantity():
            parts = [_branches(each, between, holds=holds) for each in quantities.parts]
            if isinstance(quantities, AnyQuantity) == holds:
                return [each for one in parts for each in one]
            return [tuple(count for one in choice for count in one) for choice in product(*parts)]
        case _:
            assert_never(quantities)


def _clauses(condition: GapContent, found: Sequence[Count]) -> Iterator[Clause]:
    if any(0 not in each.numbers for each in found):
        for one, other in combinations([each.identifier for each in condition.identifiers], 2):
            yield tuple((Constraint(end(i), begin(j), 0),) for i, j in ((one, other), (other, one)))
