"""Substitutions under which a conjunction holds because others do: sound, and not complete.

a literal                      one of which it is a generalisation, in the same time or in one around it
a count                        one of the same events in the same time whose numbers are among its own; at least one
                               where there is one
a timer, a window, a hull      the same one
a condition                    a proof, and all that it needs to be decided
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from cera.constraints.binding import UnsafeError, plan
from cera.constraints.consequences.counting import counted, is_among, population, positive
from cera.constraints.consequences.facts import Facts, is_condition, is_place, needed_ends
from cera.constraints.consequences.impossibility import is_impossible
from cera.constraints.groups import binds
from cera.constraints.names import APART, Names, atom_variables, declared_identifier, used_identifiers, used_variables
from cera.constraints.numbers import ALL, numbers_of
from cera.constraints.queries import HullLiteral, Literal, Part, TimerLiteral, ValidityTime, WindowLiteral
from cera.constraints.subsumption.atoms import Name, Substitution, extended, flat
from cera.constraints.subsumption.subsumption import values_as_expressions
from cera.model.expressions.expression import EventReference, Variable

#: At most so many substitutions are looked at.
_MOST = 32


@dataclass(frozen=True)
class Theta:
    """θ: the values of variables and the identifiers of other things, by the names of the conjunction."""

    values: Substitution = field(default_factory=dict)
    identifiers: dict[str, str] = field(default_factory=dict)

    @cached_property
    def names(self) -> Names:
        return Names(self.identifiers, values_as_expressions(self.values))

    def literal(self, literal: Literal) -> Literal:
        """Returns a literal with these names; what is counted over has names of its own."""
        own = {name: Variable(f"{name}{APART}") for name in atom_variables(literal.atom) if name not in self.values}
        return Names(self.identifiers, {**self.names.variables, **own}).literal(literal)

    def naming(self, mine: EventReference | None, theirs: EventReference | None) -> Theta | None:
        """Returns θ with one more identifier; None if there is nothing that it could stand for."""
        if mine is None:
            return self
        if theirs is None:
            return None
        return Theta(self.values, {**self.identifiers, mine.identifier: theirs.identifier})


def matches(
    parts: Sequence[Part], facts: Facts, known: Theta | None = None, before: Sequence[Part] = ()
) -> list[Theta]:
    """Returns substitutions θ, which extend a known one, under which all parts hold wherever the facts do. `before` are
    the parts that have given the known names."""
    try:
        ordered = plan(parts, before).parts
    except UnsafeError:
        return []
    given = frozenset[str]().union(*(binds(p) for p in (*before, *parts) if isinstance(p, Literal) and p.count is None))
    found = _Matching(facts, given).found(ordered, known or Theta())
    return list(islice(found, _MOST))


@dataclass
class _Matching:
    facts: Facts
    #: The variables that literals without a count of the conjunction give values.
    given: frozenset[str]

    def found(self, parts: Sequence[Part], theta: Theta) -> Iterator[Theta]:
        if not parts:
            yield theta
            return
        for each in self._part(parts[0], theta):
            yield from self.found(parts[1:], each)

    def _part(self, part: Part, theta: Theta) -> Iterator[Theta]:
        match part:
            case Literal(count=None):
                yield from self._literal(part, theta)
            case Literal():
                yield from self._counted(part, theta)
            case TimerLiteral() | WindowLiteral() | HullLiteral():
                yield from self._interval(part, theta)
            case _:
                if self._knows(part, theta) and self._holds(part, theta):
                    yield theta

    def _knows(self, part: Part, theta: Theta) -> bool:
        return used_variables(part) <= theta.values.keys() and all(
            each.identifier in theta.identifiers for each in used_identifiers(part)
        )

    # Literals

    def _literal(self, part: Literal, theta: Theta) -> Iterator[Theta]:
        atom = flat(part.atom, part.kind or "event")
        if atom is None:
            return
        time = theta.literal(part).time
        for other in self.facts.parts:
            if not isinstance(other, Literal) or other.count is not None or (part.kind or "event") != other.kind:
                continue
            special = flat(other.atom, other.kind)
            values = None if special is None else extended(atom, special, theta.values)
            if values is None or not self._is_in(other, time):
                continue
            found = Theta(values, theta.identifiers).naming(part.identifier, other.identifier)
            if found is not None:
                yield found

    def _is_in(self, literal: Literal, time: ValidityTime | None) -> bool:
        """Returns whether what a literal of the facts finds lies in a time."""
        if time is None or time == literal.time:
            return True
        derived = APART in literal.atom.label
        return literal.kind != "state" and not derived and self.facts.placement.covers(time, literal.time)

    def _counted(self, part: Literal, theta: Theta) -> Iterator[Theta]:
        groups = part.group_by or ()
        occurring = not set(groups) <= self.given
        numbers = numbers_of(part)
        if part.kind == "relation":
            yield from self._same(part, theta)
            return
        if numbers == ALL and not occurring and part.identifier is None:
            yield theta
            return
        for other in counted(self.facts.parts):
            found = self._with_groups(part, other, theta)
            found = None if found is None else found.naming(part.identifier, other.identifier)
            if found is None or not self._counts_same(part, other, found):
                continue
            theirs = numbers_of(other)
            if numbers is None or theirs is None:
                if found.literal(part).count != other.count:
                    continue
            elif not theirs <= numbers:
                continue
            may_be_none = theirs is None or 0 in theirs
            if occurring and may_be_none and set(other.group_by or ()) <= self._bound_besides(other):
                continue  # a group whose variables have values may be empty, and others are those that occur
            yield found
        if numbers is not None and numbers.has_all_from(1):
            for one in positive(self.facts.parts):
                found = self._with_groups(part, one, theta)
                found = None if found is None else found.naming(part.identifier, one.identifier)
                if found is None:
                    continue
                bound = self.facts.all_bound
                what, special = population(found.literal(part), bound), population(one, bound)
                if what is not None and special is not None and is_among(special, what, self.facts.placement):
                    yield found

    def _with_groups(self, part: Literal, other: Literal, theta: Theta) -> Theta | None:
        """Returns θ with the values of the variables of groups, as far as they have none yet."""
        atom, special = flat(part.atom, part.kind or "event"), flat(other.atom, other.kind or "event")
        if atom is None or special is None:
            return None
        values = extended(atom, special, theta.values)
        if values is None:
            return None
        keep = set(part.group_by or ()) | theta.values.keys()
        return Theta({name: value for name, value in values.items() if name in keep}, theta.identifiers)

    def _bound_besides(self, literal: Literal) -> frozenset[str]:
        return frozenset[str]().union(*(binds(each) for each in self.facts.parts if each is not literal))

    def _counts_same(self, part: Literal, other: Literal, theta: Theta) -> bool:
        mapped = theta.literal(part)
        over = set(atom_variables(part.atom)) - set(part.group_by or ())
        if over & (theta.values.keys() - self.given):
            return False  # whether they have a value depends on the order in which counts are looked at
        own = frozenset(
            value.name for name, value in theta.values.items() if name in self.given and isinstance(value, Name)
        )
        others = self.facts.all_bound - self.facts.bound
        mine, theirs = population(mapped, own, others), population(other, self.facts.bound, others)
        return mine is not None and mine == theirs

    def _same(self, part: Literal, theta: Theta) -> Iterator[Theta]:
        if self._knows(part, theta) and theta.literal(part) in self.facts.parts:
            yield theta

    # Times

    def _interval(self, part: TimerLiteral | WindowLiteral | HullLiteral, theta: Theta) -> Iterator[Theta]:
        if not self._knows(part, theta):
            return
        for other in self.facts.parts:
            name = declared_identifier(other)
            if type(other) is not type(part):
                continue
            found = theta.naming(part.identifier, name)
            if found is not None and found.names.part(part) == other:
                yield found

    # Conditions

    def _holds(self, part: Part, theta: Theta) -> bool:
        mapped = theta.names.part(part)
        if mapped in self.facts.parts:
            return True
        if not is_condition(mapped) or set(needed_ends(mapped, self.facts.kinds)) - self.facts.ended:
            return False
        if is_place(mapped) and not any(map(is_place, self.facts.parts)):
            return False
        return is_impossible(self.facts.parts, denied=[mapped])  # type: ignore[list-item]
