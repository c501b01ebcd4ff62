"""Which constraints nothing satisfies, and which contradict each other (seed 002, Defs. 24 to 26): sound, not complete.

whatever makes the body hold violates one of the clauses; on a recording in which all is decided: states have
ended, places are known, times lie inside of it, and what modules have in common is there
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from cera.constraints.clause import Alternative, Clause
from cera.constraints.consequences.facts import Facts, prepared
from cera.constraints.consequences.implication import MOST_CHOICES, instance_of, instances_of
from cera.constraints.consequences.impossibility import is_impossible
from cera.constraints.consequences.related_times import related_times
from cera.constraints.groups import binds, components, given_names
from cera.constraints.names import APART, declared_identifier
from cera.constraints.queries import Combination, Literal, Membership, Part, TimerLiteral, ValidityTime
from cera.model.expressions.atoms import Atom
from cera.model.expressions.expression import Comparison, Variable
from cera.rules.reasoning.cases import is_constant


def is_unsatisfiable(clauses: Sequence[Clause]) -> bool:
    """Returns whether whatever makes the body of one of some clauses hold violates one of them."""
    first = {each.body: place for place, each in reversed(list(enumerate(clauses)))}
    return any(_is_unsatisfiable([clauses[i], *clauses[:i], *clauses[i + 1 :]]) for i in sorted(first.values()))


def _is_unsatisfiable(clauses: Iterable[Clause]) -> bool:
    """Returns whether whatever makes the body of the first clause hold violates one of some clauses."""
    first, *others = (prepared(each, happening=True) for each in clauses)
    body = _Body(first, others)
    return not body.is_impossible() and body.refutes([body.heads(first), *body.instances(others)])


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
    known = [prepared(each, happening=True) for each in first]
    body = _Body(one, [*others, *known])
    if body.is_impossible():
        return False
    own = [body.heads(one), *body.instances(others)]
    theirs = list(body.instances(known))
    if not theirs or body.refutes(own) or body.refutes(theirs):
        return False
    return body.refutes([*own, *theirs])


#: What holds if one of the alternatives of a head does, for each of them.
_Heads = list[list[Part]]


class _Body:
    """The body of a clause, where it holds and what its modules have in common is there."""

    def __init__(self, clause: Clause, others: Sequence[Clause]) -> None:
        self.clause = clause
        self.facts = Facts((*clause.body, *related_times(clause, others, decided=True).parts))
        parts = [part for each in (clause.body, *clause.head) for part in each]
        times = [part.time for part in parts if isinstance(part, Literal | Membership)]
        self.common = frozenset(each for each in times if each is not None and _is_of_modules(each))

    def is_impossible(self, parts: Sequence[Part] = ()) -> bool:
        return is_impossible((*self.facts.parts, *parts), existing=self.common)

    def heads(self, clause: Clause) -> _Heads:
        return [self._said(each) for each in clause.head]

    def instances(self, clauses: Iterable[Clause]) -> Iterator[_Heads]:
        number = 0
        for each in clauses:
            for theta in instances_of(each, self.clause, self.facts):
                number += 1
                yield [self._said(one) for one in instance_of(each, theta, str(number)).head]

    def refutes(self, heads: Sequence[_Heads]) -> bool:
        """Returns whether no choice of one alternative of each head is possible."""
        if prod(map(len, heads)) > MOST_CHOICES:
            heads = [each for each in heads if len(each) == 1]
        return all(self.is_impossible([part for each in choice for part in each]) for choice in product(*heads))

    def _said(self, alternative: Alternative) -> list[Part]:
        """Returns parts that hold if an alternative does, where all is decided."""
        known = given_names(self.facts.parts)
        found: list[Part] = []
        for component in components(alternative, known):
            if any(isinstance(part, TimerLiteral) for part in component):
                continue  # where it does not happen, nothing is asked for
            given = self.facts.all_bound.union(
                *(binds(part) for part in component if isinstance(part, Literal) and part.count is None)
            )
            found += (part for part in component if self._is_said(part, given))
        return found

    def _is_said(self, part: Part, given: frozenset[str]) -> bool:
        if not isinstance(part, Literal | Membership):
            return True
        if _is_of_modules(part.time) and part.time not in self.common:
            return False  # where modules have nothing in common, nothing is asked for
        return isinstance(part, Membership) or part.count is None or set(part.group_by or ()) <= given


def _is_of_modules(time: ValidityTime | None) -> bool:
    return isinstance(time, Combination) and time.of_modules
