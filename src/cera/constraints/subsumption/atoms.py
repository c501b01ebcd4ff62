"""Atoms of constraints and patterns of rules in one form, and which of them are instances of others.

    bid(auctionID(A), itemID(7))        auctionID ↦ A, itemID ↦ 7

An atom that has an attribute twice has no such form: its values could be told apart only by the events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from cera.constraints.names import ANONYMOUS
from cera.model.events.event import STATE_ID
from cera.model.events.states import is_ending, is_opening, state_label
from cera.model.expressions.atoms import Atom
from cera.model.expressions.expression import Expression, Variable
from cera.model.expressions.expression import Literal as Constant
from cera.model.matching.patterns import Pattern, ScalarPattern, TermPattern, VariablePattern
from cera.model.terms.term import value_key
from cera.model.terms.values import Scalar

#: The labels on the way to a value, which of how many values there it is.
Place = tuple[tuple[str, ...], int, int]


@dataclass(frozen=True)
class Name:
    """A variable."""

    name: str


@dataclass(frozen=True)
class Fixed:
    """A constant; equal values are the same constant, whatever their notation."""

    value: Scalar = field(compare=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fixed) and value_key(self.value) == value_key(other.value)

    def __hash__(self) -> int:
        return hash(value_key(self.value))


Value = Name | Fixed
Substitution = Mapping[str, Value]


@dataclass(frozen=True)
class FlatAtom:
    """A label, and the values at places below it. `_` is left out where anything will do."""

    label: str
    kind: str
    places: tuple[tuple[Place, Value], ...]

    @cached_property
    def by_place(self) -> dict[Place, Value]:
        return dict(self.places)

    @property
    def variables(self) -> frozenset[str]:
        return frozenset(value.name for _, value in self.places if isinstance(value, Name))

    def renamed(self, substitution: Substitution) -> FlatAtom:
        return FlatAtom(
            self.label, self.kind, tuple((place, applied(value, substitution)) for place, value in self.places)
        )


def applied(value: Value, substitution: Substitution) -> Value:
    return substitution.get(value.name, value) if isinstance(value, Name) else value


def extended(general: FlatAtom, special: FlatAtom, known: Substitution) -> Substitution | None:
    """Returns the substitution θ, which extends a known one, with gθ = q for the attributes that g names.

    Whatever the atom q matches, gθ matches too: it names no attribute that q does not, and demands no other value.
    """
    if (general.label, general.kind) != (special.label, special.kind):
        return None
    found = dict(known)
    for place, value in general.places:
        other = special.by_place.get(place)
        if other is None:
            return None
        if isinstance(value, Fixed):
            if other != value:
                return None
        elif found.setdefault(value.name, other) != other:
            return None
    return found


def flat(atom: Atom, kind: str) -> FlatAtom | None:
    """Returns an atom of a constraint in this form; None if it has none."""
    return _checked(atom.label, kind, list(_places(atom, ())))


def _places(atom: Atom, path: tuple[str, ...]) -> Iterator[tuple[Place, Value] | None]:
    values = [each for each in atom.arguments if not isinstance(each, Atom)]
    if values and len(values) < len(atom.arguments):
        yield None
        return
    labels = [each.label for each in atom.arguments if isinstance(each, Atom)]
    if (not atom.arguments and path) or len(set(labels)) < len(labels):
        yield None
    for index, each in enumerate(atom.arguments):
        if isinstance(each, Atom):
            yield from _places(each, (*path, each.label))
        else:
            value = _value(each, (path, index))
            yield None if value is None else ((path, len(values), index), value)


def _value(expression: Expression, place: object) -> Value | None:
    match expression:
        case Variable():
            return Name(expression.name if expression.name != ANONYMOUS else f"{ANONYMOUS}{place}")
        case Constant():
            return Fixed(expression.value)
        case _:
            return None


def flat_pattern(pattern: Pattern) -> FlatAtom | None:
    """Returns a pattern of a rule in this form: an atom as the languages of atoms write it; None if it is another."""
    if not isinstance(pattern, TermPattern) or not isinstance(pattern.label, str):
        return None
    label, kind = pattern.label, "event"
    if is_opening(label) or is_ending(label):
        label, kind = state_label(label) or label, "state"
    children = [each for each in pattern.children if not (isinstance(each, TermPattern) and each.label == STATE_ID)]
    return _checked(label, kind, list(_pattern_places(pattern, tuple(children), ())))


def _pattern_places(
    pattern: TermPattern, children: tuple[Pattern, ...], path: tuple[str, ...]
) -> Iterator[tuple[Place, Value] | None]:
    if pattern.total:
        if pattern.ordered != (len(children) > 1):
            yield None
        for index, each in enumerate(children):
            value: Value | None = None
            if isinstance(each, VariablePattern) and each.pattern is None:
                value = Name(each.name)
            elif isinstance(each, ScalarPattern):
                value = Fixed(each.value)
            yield None if value is None else ((path, len(children), index), value)
        return
    labels = [each.label for each in children if isinstance(each, TermPattern)]
    if pattern.ordered or (path and not children) or len(set(labels)) < len(labels):
        yield None
    for each in children:
        if isinstance(each, TermPattern) and isinstance(each.label, str):
            yield from _pattern_places(each, each.children, (*path, each.label))
        else:
            yield None


def _checked(label: str, kind: str, places: list[tuple[Place, Value] | None]) -> FlatAtom | None:
    found = [each for each in places if each is not None]
    if len(found) < len(places) or len({place for place, _ in found}) < len(found):
        return None
    return FlatAtom(label, kind, tuple(found))
