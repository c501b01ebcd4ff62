"""Conjunctions that never hold, on any stream: sound, and not complete.

Values are looked at by the prover of rules, times as difference bounds, counts as sets of numbers, places by what one
condition says of another. A time from which a length leads out of the years 1 to 9999 is not considered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product

from cera.constraints.consequences.counting import Count, no_counts
from cera.constraints.consequences.gaps import Branch, content_branches, is_vacuous
from cera.constraints.consequences.time_bounds import (
    Kinds,
    bounds_of,
    branches_of,
    expression_of,
    in_common,
    kinds_of,
)
from cera.constraints.groups import binds
from cera.constraints.numbers import CountSet, counts
from cera.constraints.queries import (
    Apart,
    Condition,
    Directed,
    Gap,
    GapContent,
    Part,
    SentFrom,
    SpatialCondition,
    Spread,
    ValidityTime,
)
from cera.constraints.specification import Length, changed
from cera.constraints.subsumption.subsumption import spatially_implies, weaker
from cera.model.expressions.expression import Comparison, EventReference, Expression, Temporal
from cera.rules.reasoning.cases import Case
from cera.rules.reasoning.difference_bounds import DifferenceBounds
from cera.rules.reasoning.time_cases import no_times
from cera.rules.reasoning.time_constraints import TimeNetwork
from cera.rules.reasoning.value_constraints import no_values

#: More combinations of lengths than these are not looked at.
_MOST = 64


def is_impossible(
    parts: Sequence[Part],
    denied: Sequence[Condition] = (),
    counted: Sequence[Count] = (),
    given: frozenset[str] = frozenset(),
    existing: Iterable[ValidityTime] = (),
) -> bool:
    """Returns whether nothing makes all parts hold and none of the conditions that are denied, with further counts.

    That a condition is denied means that it is known not to hold. `given` are further variables with a value,
    `existing` intersections of times that are not empty.
    """
    bound = given.union(*map(binds, parts))
    if any(condition in parts or is_vacuous(condition) for condition in denied) or no_counts(parts, counted, given):
        return True
    if _no_places(parts, denied):
        return True
    kinds = kinds_of(parts)
    asserted = _expressions(parts, kinds)
    refused = _expressions(denied, kinds)
    if any(weaker(general, special) for general in refused for special in asserted):
        return True
    case = Case(tuple(asserted), tuple(refused))
    if no_values(case, bound):
        return True
    common = [*existing, *(each.literal.time for each in counted if 0 not in each.numbers)]
    network: TimeNetwork = DifferenceBounds(
        (*bounds_of(parts, kinds), *(bound for each in common for bound in in_common(each, kinds)))
    )
    if network.contradiction is not None:
        return True
    branches = [*_branches(parts, holds=True), *_branches(denied, holds=False)]
    number = 1
    for each in branches:
        number *= len(each)
    if number > _MOST:
        return False
    return all(
        _no_times(network, case, choice) or _no_contents(parts, counted, given, choice) for choice in product(*branches)
    )


def _branches(parts: Sequence[Part], *, holds: bool) -> Iterator[list[Branch]]:
    """Yields for each condition on lengths, and on what lies between others, the cases of which one is so."""
    for part in parts:
        if isinstance(part, Spread | Gap):
            yield [Branch(each) for each in branches_of(part, holds=holds)]
        elif isinstance(part, GapContent):
            yield content_branches(part, holds=holds)


def _expressions(parts: Sequence[Part], kinds: Kinds) -> list[Expression]:
    return [expression_of(each, kinds) for each in parts if isinstance(each, Comparison | Temporal)]


def _no_times(network: TimeNetwork, case: Case, choice: Sequence[Branch]) -> bool:
    return no_times(network, case, [clause for branch in choice for clause in branch.clauses])


def _no_contents(
    parts: Sequence[Part], counted: Sequence[Count], given: frozenset[str], choice: Sequence[Branch]
) -> bool:
    between = [count for branch in choice for count in branch.counts]
    return bool(between) and no_counts(parts, [*counted, *between], given)


def _no_places(parts: Sequence[Part], denied: Sequence[Condition]) -> bool:
    """Returns whether no places satisfy the conditions on them."""
    known: list[SpatialCondition] = [each for each in parts if isinstance(each, Apart | SentFrom | Directed)]
    for general in denied:
        if isinstance(general, Apart | SentFrom | Directed):
            same = {each.identifier: each.identifier for each in _identifiers(general)}
            if any(spatially_implies(special, general, same) for special in known):
                return True
    for one, other in combinations(known, 2):
        if isinstance(one, Apart) and isinstance(other, Apart) and _no_distance(one, other):
            return True
        if isinstance(one, Directed) and isinstance(other, Directed) and _are_opposite(one, other):
            return True
    return any(isinstance(each, Apart) and not _distances(each) and len(each.identifiers) == 2 for each in known)


def _identifiers(part: SpatialCondition) -> tuple[EventReference, ...]:
    return (part.left, part.right) if isinstance(part, Directed) else part.identifiers


def _no_distance(one: Apart, other: Apart) -> bool:
    same = len(one.identifiers) == 2 and set(one.identifiers) == set(other.identifiers)
    return same and not _distances(one).intersection(_distances(other))


def _distances(condition: Apart) -> CountSet:
    def millimetres(amount: object) -> int:
        assert isinstance(amount, Length)
        return amount.millimetres

    found = counts(changed(condition.distance, millimetres))
    assert found is not None
    return found


def _are_opposite(one: Directed, other: Directed) -> bool:
    """Returns whether something would lie in the north and in the south of something else."""
    ways, others = ({*each.direction.split("-")} & {"north", "south"} for each in (one, other))
    if (one.left, one.right) == (other.left, other.right):
        return bool(ways and others and ways != others)
    return (one.left, one.right) == (other.right, other.left) and bool(ways and ways == others)
