"""Which constraints follow from others, say nothing, cannot be satisfied, or contradict each other.

All of it (seed 002, Defs. 24 to 26, ERR-61) is sound and none of it complete: what is found is so, and not all that is
so is found.

    follows         on every stream, if nothing violates the premises, nothing violates the clause
    is_trivial      nothing violates the clause on any stream
    is_unsatisfiable, contradict
                    whatever makes the body hold violates one of the clauses; on a recording in which all is decided:
                    states have ended, places are known, and times lie inside of it
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from cera.constraints.clause import Alternative, Clause
from cera.constraints.consequences.counting import Count
from cera.constraints.consequences.facts import APART, Facts, apart, is_condition, is_place, needed_ends, prepared
from cera.constraints.consequences.impossibility import is_impossible
from cera.constraints.consequences.matching import Theta, matches
from cera.constraints.consequences.refutation import Denial, denials, up_to_greatest
from cera.constraints.consequences.structure import is_weakened
from cera.constraints.consequences.time_bounds import kinds_of
from cera.constraints.groups import binds, components, own_names
from cera.constraints.names import Names, declared_identifier
from cera.constraints.numbers import ZERO, numbers_of
from cera.constraints.queries import GapContent, Literal, Part, TimerLiteral, ValidityTime
from cera.constraints.subsumption.atoms import Fixed, Name, extended, flat
from cera.model.expressions.atoms import Atom
from cera.model.expressions.expression import Comparison, Variable
from cera.rules.reasoning.cases import is_constant

#: More combinations of alternatives than these are not looked at.
_MOST = 64


@dataclass(frozen=True)
class Instance:
    """The head of a premise for a substitution of its body, all of which holds."""

    head: tuple[Alternative, ...]


def is_trivial(clause: Clause) -> bool:
    """Returns whether no stream can violate a clause: its body can never hold, or its head holds because of it."""
    return follows(clause, ())


def implies(first: Clause, second: Clause) -> bool:
    """Returns whether the second clause follows from the first one."""
    return follows(second, (first,))


def follows(clause: Clause, premises: Iterable[Clause]) -> bool:
    """Returns whether a clause follows from others:  B and H1θ and … refute that no alternative of the head holds."""
    clause = prepared(clause)
    body = Facts(clause.body)
    instances: list[Instance] = []
    for premise in map(prepared, premises):
        for number, theta in enumerate(instances_of(premise, clause, body)):
            if is_weakened(premise, clause, theta):
                return True
            instances.append(_instance(premise, theta, f"{len(instances)}.{number}"))
    if is_impossible(body.parts):
        return True
    ways = [list(denials(each, body)) for each in clause.head]
    if _product(map(len, ways)) > _MOST:
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


def _instance(premise: Clause, theta: Theta, number: str) -> Instance:
    return Instance(tuple(_renamed(each, theta, number) for each in premise.head))


def _renamed(alternative: Alternative, theta: Theta, number: str) -> Alternative:
    """Returns an alternative under a substitution; what only it has gets names of its own."""
    own = apart(alternative, frozenset(theta.values), f"{APART}{number}")
    names = Names({**theta.identifiers, **own.identifiers}, {**theta.names.variables, **own.variables})
    return tuple(map(names.part, alternative))


def _product(numbers: Iterable[int]) -> int:
    found = 1
    for each in numbers:
        found *= each
    return found


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
        self.known = frozenset[str]().union(*map(own_names, body.parts))

    def closed(self, instances: Sequence[Instance]) -> bool:
        if self._is_refuted((), ()):
            return True
        said = [[list(self._facts(alternative)) for alternative in each.head] for each in instances]
        useful = [each for each in said if all(map(any, each))]  # an alternative that says nothing leaves all open
        if not useful:
            return False
        while _product(len(each) for each in useful) > _MOST:
            useful.remove(max(useful, key=len))
        for choice in product(*useful):
            parts = [part for facts in choice for found in facts for part in found.parts]
            counts = [count for facts in choice for found in facts for count in found.counts]
            if not self._is_refuted(parts, counts):
                return False
        return True

    def _is_refuted(self, parts: Sequence[Part], counts: Sequence[Count]) -> bool:
        facts = self.body.adding(parts)
        if is_impossible(facts.parts, self.conditions, (*self.counts, *counts), self.given):
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
                    if part.kind == "relation" or (part.time is not None and part.time not in self.settled):
                        return False
                    if part.count is not None and not set(part.group_by or ()) <= given:
                        return False
                case GapContent():
                    return False
                case _:
                    if not is_condition(part) or is_place(part) or set(needed_ends(part, kinds)) - self.ended:
                        return False
        return True

    def _counted(self, literal: Literal) -> Iterator[Count]:
        """Yields what a count says that is not refuted, though not all may have happened, for the groups at fault."""
        numbers = numbers_of(literal)
        if numbers is None or literal.kind == "relation":
            return
        if literal.time is not None and literal.time not in self.settled:
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


# What nothing satisfies


def is_unsatisfiable(clauses: Sequence[Clause]) -> bool:
    """Returns whether whatever makes the body of one of some clauses hold violates one of them."""
    first = {each.body: place for place, each in reversed(list(enumerate(clauses)))}
    return any(_is_unsatisfiable([clauses[i], *clauses[:i], *clauses[i + 1 :]]) for i in sorted(first.values()))


def _is_unsatisfiable(clauses: Iterable[Clause]) -> bool:
    """Returns whether whatever makes the body of the first clause hold violates one of some clauses."""
    first, *others = (prepared(each, happening=True) for each in clauses)
    body = Facts(first.body)
    return not is_impossible(body.parts) and _refute(body, [_heads(first, body), *_instances(others, first, body)])


def forbids_body(clauses: Sequence[Clause]) -> bool:
    """Returns whether clauses that nothing satisfies just say that the body does not hold: the heads deny what the body
    says, and do not contradict themselves, unless what they say is constant."""
    said = [part for clause in clauses for each in clause.head for part in each]
    if all(isinstance(part, Comparison) and is_constant(part) for part in said):
        return True
    return not is_unsatisfiable([replace(each, body=tuple(_unsaid(each.body))) for each in clauses])


def _unsaid(parts: Sequence[Part]) -> Iterator[Part]:
    """Yields parts that only declare the names of others."""
    for number, part in enumerate(parts):
        kind = part.kind if isinstance(part, Literal) else "event"
        anything = Atom(f"{APART}{number}", tuple(Atom(each, (Variable(each),)) for each in sorted(binds(part))))
        yield Literal(anything, kind, declared_identifier(part))


def contradict(first: Sequence[Clause], second: Sequence[Clause]) -> bool:
    """Returns whether whatever makes the body of the second clauses hold violates one of both, and neither alone does
    not allow it."""
    one, *others = (prepared(each, happening=True) for each in second)
    body = Facts(one.body)
    if is_impossible(body.parts):
        return False
    own = [_heads(one, body), *_instances(others, one, body)]
    theirs = list(_instances((prepared(each, happening=True) for each in first), one, body))
    if not theirs or _refute(body, own) or _refute(body, theirs):
        return False
    return _refute(body, [*own, *theirs])


#: What holds if one of the alternatives of a head does, for each of them.
_Heads = list[list[Part]]


def _heads(clause: Clause, body: Facts) -> _Heads:
    return [_said(each, body) for each in clause.head]


def _instances(clauses: Iterable[Clause], clause: Clause, body: Facts) -> Iterator[_Heads]:
    number = 0
    for each in clauses:
        for theta in instances_of(each, clause, body):
            number += 1
            yield [_said(one, body) for one in _instance(each, theta, str(number)).head]


def _refute(body: Facts, heads: Sequence[_Heads]) -> bool:
    """Returns whether no choice of one alternative of each head is possible."""
    if _product(map(len, heads)) > _MOST:
        heads = [each for each in heads if len(each) == 1]
    return all(is_impossible((*body.parts, *(part for each in choice for part in each))) for choice in product(*heads))


def _said(alternative: Alternative, body: Facts) -> list[Part]:
    """Returns parts that hold if an alternative does, where all is decided."""
    known = frozenset[str]().union(*map(own_names, body.parts))
    found: list[Part] = []
    for component in components(alternative, known):
        if any(isinstance(part, TimerLiteral) for part in component):
            continue  # where it does not happen, nothing is asked for
        given = body.all_bound.union(
            *(binds(part) for part in component if isinstance(part, Literal) and part.count is None)
        )
        found += (
            part
            for part in component
            if not (isinstance(part, Literal) and part.count is not None) or set(part.group_by or ()) <= given
        )
    return found
