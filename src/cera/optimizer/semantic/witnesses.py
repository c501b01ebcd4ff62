"""What must be there: events and rows that constraints demand for every match of a branch.

IF event i: bid(bidder(B)) THEN exists >= 1 event j: enrolment(bidder(B)) and e(j) < b(i)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cera.constraints.clause import Clause
from cera.constraints.numbers import compared, counts
from cera.constraints.queries import Literal
from cera.constraints.subsumption.atoms import Fixed, FlatAtom, Name, Substitution, Value, extended, flat
from cera.model.expressions.expression import (
    Comparison,
    Expression,
    Variable,
    event_references,
    variables,
)
from cera.model.expressions.expression import Literal as Constant
from cera.optimizer.semantic.residues import Way, said_of_events, ways
from cera.rules.rule import Branch, EventQuery, RelationQuery

#: A literal of a rule that joins an event or a row.
Joined = EventQuery | RelationQuery


def certain_literals(rest: Branch, clause: Clause, joined: Joined) -> Iterator[tuple[Way, Literal]]:
    """Yields the literals that a clause says there is at least one of, for every match of the rest."""
    kind = "relation" if isinstance(joined, RelationQuery) else "event"
    literals = [part for part in clause.head[0] if isinstance(part, Literal)] if len(clause.head) == 1 else []
    if len(literals) != 1 or literals[0].kind != kind or literals[0].negated or literals[0].time is not None:
        return
    [literal] = literals
    numbers = None if literal.count is None else counts(literal.count)
    if literal.count is not None and (numbers is None or 0 in numbers):
        return
    for way in ways(rest, clause):
        # groups with values that the body does not have need not be there at all
        if literal.count is None or frozenset(literal.group_by or ()) <= way.values.keys():
            yield way, literal


@dataclass(frozen=True)
class Witness:
    """What a constraint says must be there, seen as the literal of the rule that asks for it."""

    way: Way
    joined: Joined
    literal: Literal
    #: The atom with values of the rule, and what the rule's own variables are in it.
    atom: FlatAtom
    values: Substitution

    @staticmethod
    def of(atom: FlatAtom, literal: Literal, way: Way, own: frozenset[str], joined: Joined) -> Witness | None:
        """Returns what must be there, if it is what an atom of the rule asks for."""
        said = flat(literal.atom, "event")
        if said is None:
            return None
        free = {name: Name(_existential(name)) for name in said.variables if name not in way.values}
        special = said.renamed({**way.values, **free})
        known: dict[str, Value] = {name: Name(name) for name in atom.variables if name not in own}
        values = extended(atom, special, known)
        return None if values is None else Witness(way, joined, literal, special, values)

    def is_the_only_one(self, atom: FlatAtom, literal: Literal) -> bool:
        """Returns whether there is exactly one event that the rule's atom finds."""
        if literal.count is None or counts(literal.count) != compared("=", 1):
            return False
        return self.atom.by_place == atom.by_place

    def given(self, clause: Clause) -> Iterator[Expression]:
        """Yields what the constraint says of it, in the names of the rule."""
        own: dict[str, Value] = {}
        for name, value in self.values.items():
            if isinstance(value, Fixed):
                yield Comparison("=", Variable(name), Constant(value.value))
            elif value.name != name:
                own.setdefault(value.name, Name(name))
        known: dict[str, Value] = dict(self.way.values)
        if self.literal.count is None:  # values of what is counted mean nothing elsewhere
            known |= {name: own[there] for name, there in self._open_names() if there in own}
        named = {part.identifier for part in clause.body if isinstance(part, Literal) and part.kind == "event"}
        states = self.way.events.keys() - {each.identifier for each in named if each is not None}
        events = {name: event for name, event in self.way.events.items() if name not in states}
        if isinstance(self.joined, EventQuery) and self.literal.identifier is not None:
            events[self.literal.identifier.identifier] = self.joined.identifier
        instance = Way(known, events)
        for condition in said_of_events(clause.head[0], clause.body):
            if variables(condition) <= known.keys() and event_references(condition) <= events.keys():
                yield instance.instance(condition)

    def _open_names(self) -> list[tuple[str, str]]:
        """Returns the variables of what must be there that the body leaves open, with their names in its atom."""
        atom = flat(self.literal.atom, "event")
        open_names = frozenset[str]() if atom is None else atom.variables - self.way.values.keys()
        return [(name, _existential(name)) for name in sorted(open_names)]


def _existential(name: str) -> str:
    """Returns a name for a variable of a constraint that no rule has."""
    return f"{name} of the constraint"
