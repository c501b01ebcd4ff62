"""What follows for a conjunctive query from other constraints: their conditions are added to its own."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from cera.constraints.clause import Clause
from cera.constraints.names import Names
from cera.constraints.subsumption.atoms import Name, Substitution
from cera.constraints.subsumption.conjunctive import ConjunctiveQuery, conditions_of, of_body
from cera.constraints.subsumption.subsumption import renamed, subsumptions, values_as_expressions
from cera.model.expressions.expression import Expression, Variable, event_references, variables
from cera.rules.reasoning.difference_bounds import Constraint
from cera.rules.reasoning.time_constraints import TimeConstraint
from cera.rules.reasoning.time_points import TimePoint

#: How often constraints are applied to what others have added.
ROUNDS = 3


def closed(query: ConjunctiveQuery, clauses: Sequence[Clause]) -> ConjunctiveQuery:
    """Returns a query with all that clauses demand wherever it holds: Hθ, for each clause H <- B and θ with Bθ."""
    known = [(of_body(clause.body), conditions_of(clause.head[0], clause.body)) for clause in _usable(clauses)]
    for _ in range(ROUNDS):
        added: list[Expression] = []
        for body, heads in known:
            for match in subsumptions(body, query) if heads else ():
                names = Names(match.identifiers, values_as_expressions(match.values))
                for head in heads or ():
                    bound = (
                        event_references(head) <= match.identifiers.keys() and variables(head) <= match.values.keys()
                    )
                    condition = renamed(head, names)
                    if bound and not event_references(head) & match.covers and condition not in query.conditions:
                        added.append(condition)
        if not added:
            break
        query = replace(query, conditions=(*query.conditions, *dict.fromkeys(added)))
    return query


def _usable(clauses: Sequence[Clause]) -> list[Clause]:
    return [clause for clause in clauses if not clause.definitions and len(clause.head) == 1]


def copied(query: ConjunctiveQuery, shared: Collection[str]) -> tuple[ConjunctiveQuery, Mapping[str, str]]:
    """Returns a query that asks for two matches of another one, and the names of variables in the second.

    Both have the same values of some variables.
    """
    names = {name: name if name in shared else f"{name}#2" for name in query.variables}
    ids = {each.identifier: f"{each.identifier}#2" for each in query.positive if each.identifier is not None}
    theta: Substitution = {name: Name(other) for name, other in names.items()}
    literals = [
        replace(each, atom=each.atom.renamed(theta), identifier=ids.get(each.identifier or ""), time=None)
        for each in query.positive
    ]
    as_names = Names(ids, {name: Variable(other) for name, other in names.items()})
    conditions = [
        renamed(each, as_names)
        for each in query.conditions
        if event_references(each) <= ids.keys() and variables(each) <= names.keys()
    ]
    bounds: list[TimeConstraint] = [
        Constraint(TimePoint(each, "begin"), TimePoint(each, "end"), 0) for each in ids.values()
    ]
    twice = replace(
        query,
        literals=(*query.literals, *literals),
        conditions=(*query.conditions, *conditions),
        bounds=(*query.bounds, *bounds),
        is_complete=False,
    )
    return twice, names
