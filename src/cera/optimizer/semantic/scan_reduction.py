"""Scan reduction: a condition that every match satisfies sorts out events before they are joined, and says for how long
they can be needed (the fifth heuristic, b).

    h ← B      →      h ← B ∧ c, if c is a residue of B that does not follow from B, and

        c is about the values of one literal of B, of which not every event or row satisfies it, or
        c bounds the difference of two times of B that had no bound, or says which of two events of B ends first: then
        the later one need not be kept for the other

A condition on the values of several literals finds nothing out sooner, and is not added; but with a bound that the rule
has on one of the values, it bounds the other one: from V ≤ W and W < 100 follows V < 100.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from cera.constraints.clause import Clause
from cera.model.expressions.expression import (
    Comparison,
    Expression,
    Literal,
    Variable,
    event_references,
    variables,
)
from cera.model.matching import patterns
from cera.optimizer.semantic.residues import Residue, residues
from cera.rules.reasoning.cases import CONVERSE, conjuncts
from cera.rules.reasoning.impossibility import implies
from cera.rules.reasoning.time_conditions import EDGES
from cera.rules.reasoning.time_consequences import time_network
from cera.rules.reasoning.time_points import TimePoint
from cera.rules.rule import Branch, EventQuery, RelationQuery

LAW = "scan reduction"


def with_filters(branch: Branch, clauses: Sequence[Clause]) -> tuple[Branch, tuple[tuple[Expression, Residue], ...]]:
    """Returns a branch with the conditions that make it cheaper, and each of those with its reason."""
    added: list[tuple[Expression, Residue]] = []
    for residue in tuple(residues(branch, clauses)):
        for said in conjuncts([residue.condition]):
            for condition in (said, *_passed_on(said, branch)):
                if _helps(condition, branch, clauses) and not implies(branch, condition):
                    branch = replace(branch, conditions=(*branch.conditions, condition))
                    added.append((condition, residue))
    return branch, tuple(added)


def _passed_on(said: Expression, branch: Branch) -> Iterator[Expression]:
    """Yields the bounds on one variable that follow from a comparison of two and a bound of the branch on the other,
    the tightest for each."""
    match said:
        case Comparison(operator, Variable() as left, Variable() as right):
            compared = [(left, operator, right), (right, CONVERSE[operator], left)]
        case _:
            return
    informed = replace(branch, conditions=(*branch.conditions, said))
    for bounded, passing, bounding in compared:
        for limit in [limit for limit in map(_limit, conjuncts(branch.conditions)) if limit is not None]:
            if limit.left == bounding:
                tried = dict.fromkeys((limit.operator, passing))
                found = (Comparison(each, bounded, limit.right) for each in tried)
                yield from islice((each for each in found if implies(informed, each)), 1)


def _limit(condition: Expression) -> Comparison | None:
    """Returns a comparison of a variable with a value, the variable on the left; None if it is another condition."""
    match condition:
        case Comparison(_, Variable(), Literal()):
            return condition
        case Comparison(operator, Literal() as value, Variable() as name):
            return Comparison(CONVERSE[operator], name, value)
        case _:
            return None


def alone(condition: Expression, branch: Branch) -> Branch | None:
    """Returns one literal of a branch that has all the variables of a condition on values, as a branch of its own; None
    if there is none, or nothing else is joined."""
    used = variables(condition)
    if event_references(condition) or not used or not _joins(branch):
        return None
    queries: tuple[EventQuery | RelationQuery, ...] = (*branch.events, *branch.relations)
    for query in queries:
        if used <= patterns.bound_variables(query.pattern):
            return _only(query)
    return None


def _only(query: EventQuery | RelationQuery) -> Branch:
    return Branch(events=(query,)) if isinstance(query, EventQuery) else Branch(relations=(query,))


def _joins(branch: Branch) -> bool:
    return len(branch.events) + len(branch.relations) + len(branch.accumulations) > 1


def _helps(condition: Expression, branch: Branch, clauses: Sequence[Clause]) -> bool:
    one = alone(condition, branch)
    if one is not None:
        return not is_guaranteed(condition, one, clauses)
    return not variables(condition) and any(_new_bounds(branch, condition))


def is_guaranteed(condition: Expression, branch: Branch, clauses: Sequence[Clause]) -> bool:
    """Returns whether constraints say that all that a branch finds satisfies a condition."""
    return implies(branch, condition, [each.condition for each in residues(branch, clauses)])


def _new_bounds(branch: Branch, condition: Expression) -> Iterator[bool]:
    """Yields whether differences of times have a bound with a condition and none without it, or are ends in an order
    that was open."""
    before = time_network(branch)
    after = time_network(replace(branch, conditions=(*branch.conditions, condition)))
    if before.contradiction is not None or after.contradiction is not None:
        return
    names = [each.identifier for each in branch.events if each.kind == "event" and not each.auxiliary]
    points = [TimePoint(name, edge) for name in names for edge in EDGES]
    for left in points:
        for right in points:
            if left != right:
                known, found = before.least(left, right), after.least(left, right)
                ordered = left.edge == right.edge == "end" and known is not None and known > 0
                yield found is not None and (known is None or (ordered and found <= 0))
