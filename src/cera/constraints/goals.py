"""What a verifier looks for: the bodies of clauses, and of their local definitions, prepared to be found step by step.

A body is divided. Its *seed* is what can only become true: events and states that it needs, times relative to them, and
conditions on them. The *rest* is what can change as long as its time has not passed: counts, absences, and what lies
between others. For each seed the rest is judged, and then the head.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from cera.constraints.binding import Plan, plan
from cera.constraints.clause import Clause, DerivedPredicate
from cera.constraints.definitions import literals_of
from cera.constraints.groups import binds
from cera.constraints.memory import Asked, Place
from cera.constraints.names import atom_variables, declared_identifier, time_identifiers
from cera.constraints.queries import GapContent, Literal, Part, WindowLiteral
from cera.constraints.times import is_moving
from cera.model.expressions.atoms import Sliding


@dataclass(frozen=True)
class Watch:
    """A literal whose events and states can change what a seed comes to: those that have the values of the seed."""

    number: int
    asked: Asked
    #: The variables that the seed gives values.
    variables: tuple[str, ...]


@dataclass(frozen=True)
class Goal:
    """The body of a clause, or one of a definition."""

    number: int
    clause: Clause
    definition: DerivedPredicate | None
    seed: tuple[Part, ...]
    rest: Plan
    heads: tuple[Plan, ...]
    #: The places of the literals in the seed, and of the windows of which there are several.
    literals: tuple[int, ...]
    windows: tuple[int, ...]
    watches: tuple[Watch, ...]
    #: For each literal of the seed, the order in which the others are looked up.
    orders: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    #: For each window, the places of the literals that lie in it.
    inside: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    @property
    def is_certain(self) -> bool:
        """Whether a seed is all there is: nothing else can change."""
        return not self.rest.parts and not self.watches

    def literal(self, place: int) -> Literal:
        part = self.seed[place]
        assert isinstance(part, Literal)
        return part


class ClauseGoals:
    """The goals of a clause: those of its definitions, each after those that it needs, and its own."""

    def __init__(self, clause: Clause, first: int) -> None:
        self.clause = clause
        self.local = {each.head.atom.label for each in clause.definitions}
        #: How literals are looked up, by their identity.
        self.asked: dict[int, Asked] = {}
        bodies = [(each, body) for each in clause.definitions for body in each.bodies]
        made = [self._goal(first + number, *each, ()) for number, each in enumerate(bodies)]
        self.definitions = tuple(made)
        heads = tuple(plan(each, clause.body) for each in clause.head)
        self.goal = self._goal(first + len(made), None, clause.body, heads)

    @property
    def goals(self) -> tuple[Goal, ...]:
        return (*self.definitions, self.goal)

    def indexed(self) -> Iterator[tuple[Place, str]]:
        """Yields the attributes by which events and states are looked up."""
        for each in self.asked.values():
            yield from ((each.place, name) for name, _, _ in each.attributes)

    def _goal(
        self, number: int, definition: DerivedPredicate | None, body: Sequence[Part], heads: tuple[Plan, ...]
    ) -> Goal:
        ordered = plan(body).parts
        cut = next((at for at, part in enumerate(ordered) if _can_change(part)), len(ordered))
        seed, rest = ordered[:cut], ordered[cut:]
        for part in (*ordered, *(part for head in heads for part in head.parts)):
            for literal in literals_of(part):
                self.asked[id(literal)] = Asked(literal, local=literal.atom.label in self.local)
        known = frozenset[str]().union(*map(binds, seed))
        places = tuple(at for at, part in enumerate(seed) if isinstance(part, Literal) and part.kind != "relation")
        windows = tuple(at for at, part in enumerate(seed) if _is_one_of_several(part))
        inside = {at: tuple(_inside(seed, at, places)) for at in windows}
        return Goal(
            number,
            self.clause,
            definition,
            seed,
            Plan(rest),
            heads,
            places,
            windows,
            tuple(self._watches((*rest, *(part for head in heads for part in head.parts)), known)),
            {place: _order(seed, place, places) for place in places},
            inside,
        )

    def _watches(self, parts: Iterable[Part], known: frozenset[str]) -> Iterator[Watch]:
        literals = [each for part in parts for each in literals_of(part) if each.kind != "relation"]
        for number, literal in enumerate(literals):
            names = tuple(name for name in atom_variables(literal.atom) if name in known)
            yield Watch(number, self.asked[id(literal)], names)


def _can_change(part: Part) -> bool:
    return isinstance(part, GapContent) or (isinstance(part, Literal) and part.count is not None)


def _is_one_of_several(part: Part) -> bool:
    return isinstance(part, WindowLiteral) and (isinstance(part.window, Sliding) or is_moving(part.window))


def _inside(seed: Sequence[Part], window: int, places: Sequence[int]) -> Iterator[int]:
    """Yields the places of the literals that are evaluated in a window alone."""
    name = declared_identifier(seed[window])
    for place in places:
        part = seed[place]
        assert isinstance(part, Literal)
        named = time_identifiers(part.time)
        if name is not None and len(named) == 1 and named[0].identifier == name.identifier:
            yield place


def _order(seed: Sequence[Part], first: int, places: Sequence[int]) -> tuple[int, ...]:
    """Returns the other literals in an order in which each has as many values in common with those before it as can
    be."""

    def variables(place: int) -> frozenset[str]:
        return binds(seed[place])

    known = variables(first)
    rest = [place for place in places if place != first]
    ordered: list[int] = []
    while rest:
        best = max(rest, key=lambda place: (len(variables(place) & known), -place))
        rest.remove(best)
        ordered.append(best)
        known |= variables(best)
    return tuple(ordered)
