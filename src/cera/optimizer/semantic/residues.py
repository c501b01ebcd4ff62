"""Residues: what a constraint says of the matches of a rule (seed 002, section 10.1).

    Hθ, if Bθ follows from the body of the rule, for a constraint H ← B

A constraint is relevant in as many ways as there are substitutions θ, and each has a residue (ERR-91). θ maps the
literals of B to events, states and rows of the rule, not necessarily to different ones (ERR-88).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeGuard

from cera.constraints.clause import Alternative, Clause
from cera.constraints.names import used_variables
from cera.constraints.queries import Literal, Part
from cera.constraints.subsumption.atoms import Fixed, Name, Substitution, extended, flat, flat_pattern
from cera.constraints.subsumption.conjunctive import conditions_of
from cera.model.expressions.expression import (
    And,
    EventReference,
    Expression,
    Or,
    Variable,
    event_references,
    rebuild,
    variables,
)
from cera.model.expressions.expression import Literal as Constant
from cera.rules.reasoning.impossibility import implies
from cera.rules.rule import Branch, EventQuery
from cera.rules.states import contained

#: Of the substitutions of a constraint only so many are tried: n events of one label that a rule asks for have n to the
#: power of those of the constraint. Any of them may be left out.
MOST_WAYS = 1_000
#: What no match satisfies.
NEVER: Expression = Or(())


@dataclass(frozen=True)
class Residue:
    """A condition that holds in every match of a branch, by a constraint."""

    condition: Expression
    clause: Clause


@dataclass(frozen=True)
class Way:
    """A substitution of a constraint: the values of its variables and the events of its identifiers, in a rule."""

    values: Substitution
    events: Mapping[str, str]

    def instance(self, expression: Expression) -> Expression:
        match expression:
            case Variable(name) if name in self.values:
                match self.values[name]:
                    case Name(other):
                        return replace(expression, name=other)
                    case Fixed(value):
                        return Constant(value, expression.span)
            case EventReference(identifier):
                return replace(expression, identifier=self.events[identifier])
            case _:
                pass
        return rebuild(expression, self.instance)


def residues(branch: Branch, clauses: Iterable[Clause]) -> Iterator[Residue]:
    """Yields the conditions that hold in all matches of a branch, on streams that satisfy the clauses.

    Of heads, these are the conditions on the events of the body.
    """
    for clause in clauses:
        head = said_by_head(clause)
        if head is None:
            continue
        found: set[str] = set()
        for way in ways(branch, clause):
            residue = way.instance(head)
            if repr(residue) not in found:
                found.add(repr(residue))
                yield Residue(residue, clause)


def ways(branch: Branch, clause: Clause) -> Iterator[Way]:
    """Yields the substitutions under which the body of a clause follows from a branch.

    Bodies may ask for events of any time or in states, for states, and for rows, with conditions that follow from the
    branch; one that asks for anything else is left out.
    """
    literals = [part for part in clause.body if _is_asked_for(part)]
    others = [part for part in clause.body if not _is_asked_for(part)]
    conditions = conditions_of(others, clause.body)
    events = [literal for literal in literals if literal.kind == "event"]
    if conditions is None or clause.definitions:
        return
    if not frozenset[str]().union(*map(event_references, conditions)) <= _identifiers(events):
        return
    for way in islice(_ways(literals, branch, Way({}, {})), MOST_WAYS):
        if all(implies(branch, way.instance(each)) for each in conditions):
            yield way


def relations_in(clause: Clause) -> frozenset[str]:
    """Returns the names of the relations that a clause asks for."""
    parts = [*clause.body, *(part for alternative in clause.head for part in alternative)]
    return frozenset(part.atom.label for part in parts if isinstance(part, Literal) and part.kind == "relation")


def is_plain(part: Part) -> TypeGuard[Literal]:
    """Returns whether a part asks for an event of any time."""
    return _is_asked_for(part) and part.kind == "event" and part.time is None


def _is_asked_for(part: Part) -> TypeGuard[Literal]:
    """Returns whether a part asks for a state, for a row, or for an event of any time or in a state."""
    if not isinstance(part, Literal) or part.count is not None or part.negated:
        return False
    if part.kind in ("state", "relation"):
        return part.time is None
    return part.kind == "event" and (part.time is None or isinstance(part.time, EventReference))


def _identifiers(literals: Iterable[Literal]) -> frozenset[str]:
    return frozenset(each.identifier.identifier for each in literals if each.identifier is not None)


def said_of_events(alternative: Alternative, body: Sequence[Part]) -> list[Expression]:
    """Returns the conditions on values and times of an alternative of a head."""
    return [condition for part in alternative for condition in conditions_of([part], body) or ()]


def said_by_head(clause: Clause) -> Expression | None:
    """Returns what the head of a clause says of the events of its body; None if an alternative says nothing of them."""
    literals = [part for part in clause.body if _is_asked_for(part)]
    known = _identifiers(literal for literal in literals if literal.kind == "event")
    bound = frozenset[str]().union(*map(used_variables, literals))
    said: list[Expression] = []
    for alternative in clause.head:
        conditions = said_of_events(alternative, clause.body)
        parts = [each for each in conditions if event_references(each) <= known and variables(each) <= bound]
        if not parts:
            return None
        said.append(parts[0] if len(parts) == 1 else And(tuple(parts)))
    return None if not said else said[0] if len(said) == 1 else Or(tuple(said))


def _ways(literals: Sequence[Literal], branch: Branch, way: Way) -> Iterator[Way]:
    """Yields the substitutions under which the literals of a constraint are among the events, states and rows of a
    branch.

    States stand before the events that are in them, as modules do.
    """
    if not literals:
        yield way
        return
    literal, rest = literals[0], literals[1:]
    general = flat(literal.atom, "state" if literal.kind == "state" else "event")
    if literal.kind == "relation":
        for row in branch.relations:
            found = flat_pattern(row.pattern)
            values = None if general is None or found is None else extended(general, found, way.values)
            if values is not None:
                yield from _ways(rest, branch, Way(values, way.events))
        return
    for query in branch.events:
        special = flat_pattern(query.pattern) if query.kind in ("event", "opening") and not query.auxiliary else None
        values = None if general is None or special is None else extended(general, special, way.values)
        if values is not None and _is_in_time(literal, query, branch, way):
            named = {} if literal.identifier is None else {literal.identifier.identifier: query.identifier}
            yield from _ways(rest, branch, Way(values, {**way.events, **named}))


def _is_in_time(literal: Literal, query: EventQuery, branch: Branch, way: Way) -> bool:
    """Returns whether what a query finds is in the state in which a constraint asks for it."""
    if literal.time is None:
        return True
    assert isinstance(literal.time, EventReference)
    state = way.events.get(literal.time.identifier)
    return state is not None and (query.identifier, state) in contained(branch.conditions)
