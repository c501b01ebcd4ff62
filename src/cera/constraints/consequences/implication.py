"""Which constraints follow from others, or say nothing.

All of it (seed 002, Defs. 24 to 26, ERR-61) is sound and none of it complete: what is found is so, and not all that is
so is found.

    follows         on every stream, if nothing violates the premises, nothing violates the clause
    is_trivial      nothing violates the clause on any stream
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from cera.constraints.clause import Alternative, Clause
from cera.constraints.consequences.counting import Count
from cera.constraints.consequences.facts import Facts, apart, is_condition, is_place, needed_ends, prepared
from cera.constraints.consequences.impossibility import is_impossible
from cera.constraints.consequences.matching import Theta, matches
from cera.constraints.consequences.refutation import Denial, denials, up_to_greatest
from cera.constraints.consequences.related_times import related_times
from cera.constraints.consequences.structure import is_weakened
from cera.constraints.consequences.time_bounds import kinds_of
from cera.constraints.groups import binds, components, given_names
from cera.constraints.names import APART, Names, declared_identifier
from cera.constraints.numbers import ZERO, numbers_of
from cera.constraints.queries import Combination, GapContent, Literal, Part, ValidityTime
from cera.constraints.subsumption.atoms import Fixed, Name, extended, flat
from cera.model.expressions.expression import EventReference

#: More combinations of alternatives than these are not looked at.
MOST_CHOICES = 64


@dataclass(frozen=True)
class Instance:
    """The head of a premise for a substitution of its body, all of which holds.

    If it is about times that are there only in a recording, these are `recorded`.
    """

    head: tuple[Alternative, ...]
    recorded: frozenset[ValidityTime] = frozenset()


def is_trivial(clause: Clause) -> bool:
    """Returns whether no stream can violate a clause: its body can never hold, or its head holds because of it."""
    return follows(clause, ())


def implies(first: Clause, second: Clause) -> bool:
    """Returns whether the second clause follows from the first one."""
    return follows(second, (first,))


def follows(clause: Clause, premises: Iterable[Clause]) -> bool:
    """Returns whether a clause follows from others:  B and H1θ and … refute that no alternative of the head holds."""
    clause = prepared(clause)
    known = [prepared(each) for each in premises]
    times = related_times(clause, known, decided=False)
    body = Facts((*clause.body, *times.parts))
    instances: list[Instance] = []
    for premise in known:
        for number, theta in enumerate(instances_of(premise, clause, body)):
            recorded = frozenset(times.inside[each] for each in theta.identifiers.values() if each in times.inside)
            if not recorded and is_weakened(premise, clause, theta):
                return True
            instances.append(instance_of(premise, theta, f"{len(instances)}.{number}", recorded))
    if is_impossible(body.parts):
        return True
    ways = [list(denials(each, body)) for each in clause.head]
    if prod(map(len, ways)) > MOST_CHOICES:
        return False
    return all(_Proof(clause, body, denied).closed(instances) for denied in product(*ways))


def instances_of(premise: Clause, clause: Clause, body: Facts) -> list[Theta]:
    """Returns the substitutions under which the body of a premise holds wherever that of a clause does."""
    if premise.definitions != clause.definitions:
        return []
    if len(premise.body) != len(clause.body) and (_asks_relation(premise) or _asks_relation(clause)):
        return []  # rows may change until the rest of the larger body holds
    return matches(premise.body, body)


def _asks_relation(clause: Clause) -> bool:
    parts = (*clause.body, *(part for each in clause.head for part in each))
    return any(isinstance(part, Literal) and part.kind == "relation" for part in parts)


def instance_of(
    premise: Clause, theta: Theta, number: str, recorded: frozenset[ValidityTime] = frozenset()
) -> Instance:
    return Instance(tuple(_renamed(each, theta, number) for each in premise.head), recorded)


def _renamed(alternative: Alternative, theta: Theta, number: str) -> Alternative:
    """Returns an alternative under a substitution; what only it has gets names of its own."""
    own = apart(alternative, frozenset(theta.values), f"{APART}{number}")
    names = Names({**theta.identifiers, **own.identifiers}, {**theta.names.variables, **own.variables})
    return tuple(map(names.part, alternative))


class _Proof:
    """The proof that all alternatives of a head cannot be refuted in some ways, all at once."""

    def __init__(self, clause: Clause, body: Facts, denied: Sequence[Denial]) -> None:
        self.clause = clause
        self.body = body
        self.denied = denied
        self.conditions = [condition for each in denied for condition in each.conditions]
        self.counts = [count for each in denied for count in each.counts]
        self.settled = frozenset[ValidityTime]().union(*(each.settled for each in denied))
        self.given = frozenset[str]().union(*(each.given for each in denied))
        self.ended = body.ended | {name for each in self.conditions for name in needed_ends(each, body.kinds)}
        self.known = given_names(body.parts)

    def closed(self, instances: Sequence[Instance]) -> bool:
        if self._is_refuted((), ()):
            return True
        known = [each for each in instances if each.recorded <= self.settled]
        said = [[list(self._facts(alternative)) for alternative in each.head] for each in known]
        useful = [each for each in said if all(map(any, each))]  # an alternative that says nothing leaves all open
        if not useful:
            return False
        while prod(len(each) for each in useful) > MOST_CHOICES:
            useful.remove(max(useful, key=len))
        for choice in product(*useful):
            parts = [part for facts in choice for found in facts for part in found.parts]
            counts = [count for facts in choice for found in facts for count in found.counts]
            if not self._is_refuted(parts, counts):
                return False
        return True

    def _is_refuted(self, parts: Sequence[Part], counts: Sequence[Count]) -> bool:
        facts = self.body.adding(parts)
        common = [each for each in self.settled if isinstance(each, Combination) and each.of_modules]
        if is_impossible(facts.parts, self.conditions, (*self.counts, *counts), self.given, common):
            return True
        return any(each.component and self._holds(each.component, facts) for each in self.denied)

    def _holds(self, component: Sequence[Part], facts: Facts) -> bool:
        """Returns whether parts that depend on one another hold, so that they cannot be refuted."""
        given = self.body.all_bound.union(
            *(binds(part) for part in component if isinstance(part, Literal) and part.count is None)
        )
        for part in component:
            if isinstance(part, Literal) and part.kind == "relation":
                return False  # rows may have changed
            if isinstance(part, Literal) and part.count is not None and not set(part.group_by or ()) <= given:
                return False  # every group that occurs may be meant
        known = Theta(
            {name: Name(name) for name in self.body.all_bound},
            {name: name for name in self.body.kinds},
        )
        return bool(matches(component, facts, known, self.body.parts))

    # What a premise says

    def _facts(self, alternative: Alternative) -> Iterator[_Said]:
        """Yields what is certain if an alternative of a premise is not refuted."""
        for component in components(alternative, self.known):
            if self._is_decided(component):
                yield _Said(component)
            elif len(component) == 1 and isinstance(component[0], Literal) and component[0].count is not None:
                yield _Said((), tuple(self._counted(component[0])))

    def _is_decided(self, component: Sequence[Part]) -> bool:
        """Returns whether parts hold unless they are refuted."""
        kinds = {**self.body.kinds, **kinds_of(component)}
        given = self.body.all_bound.union(
            *(binds(part) for part in component if isinstance(part, Literal) and part.count is None)
        )
        for part in component:
            match part:
                case Literal():
                    if part.kind == "relation" or not self._is_settled(part.time):
                        return False
                    if part.count is not None and not set(part.group_by or ()) <= given:
                        return False
                case GapContent():
                    if not all(self._is_event(each.identifier) for each in part.identifiers):
                        return False  # what lies between timers may still happen
                case _:
                    if not is_condition(part) or is_place(part) or set(needed_ends(part, kinds)) - self.ended:
                        return False
        return True

    def _is_event(self, name: str) -> bool:
        declared = [each for each in self.body.parts if declared_identifier(each) == EventReference(name)]
        return any(isinstance(each, Literal) and each.kind == "event" for each in declared)

    def _is_settled(self, time: ValidityTime | None) -> bool:
        """Returns whether a time has passed, and is judged."""
        return time is None or any(self.body.placement.is_judged(time, each) for each in self.settled)

    def _counted(self, literal: Literal) -> Iterator[Count]:
        """Yields what a count says that is not refuted, though not all may have happened, for the groups at fault."""
        numbers = numbers_of(literal)
        if numbers is None or literal.kind == "relation":
            return
        if not self._is_settled(literal.time):
            numbers = up_to_greatest(numbers)
        unbound = set(literal.group_by or ()) - self.body.all_bound
        if not unbound:
            yield Count(literal, numbers)
            return
        for denied in self.counts:
            found = of_group(literal, denied.literal, unbound, self.body.all_bound | self.given)
            if found is not None:
                yield Count(found, numbers.union(ZERO))


@dataclass(frozen=True)
class _Said:
    parts: tuple[Part, ...]
    counts: tuple[Count, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.parts or self.counts)


def of_group(literal: Literal, other: Literal, unbound: set[str], given: frozenset[str]) -> Literal | None:
    """Returns a literal for the group that another one has; None if that is not known."""
    general, special = flat(literal.atom, literal.kind or "event"), flat(other.atom, other.kind or "event")
    if general is None or special is None:
        return None
    values = extended(general, special, {name: Name(name) for name in general.variables - unbound if name in given})
    if values is None or not unbound <= values.keys():
        return None
    chosen = {name: values[name] for name in unbound}
    if not all(isinstance(each, Fixed) or each.name in given for each in chosen.values()):
        return None
    return Theta(chosen).names.literal(literal)
