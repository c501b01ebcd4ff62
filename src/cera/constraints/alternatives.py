"""Queries as alternatives: a disjunction of conjunctions, without `each` and `any` (normalisation, steps 2 and 4).

    while any{i, j}: q         while i: q or while j: q
    while each{i, j}: q        while i: q and while j: q

Where a literal with `each` has an identifier, each of its copies has one of its own, and what is said of the identifier
is said of all of them: in Listing 7.4, that no bid lies between any of the three hammer beats and the sale.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product

from cera.constraints.names import Names, declared_identifier, fresh, used_identifiers
from cera.constraints.queries import Combination, Conjunction, Disjunction, Literal, Membership, Part, Query
from cera.diagnostics import Span
from cera.model.expressions.expression import EventReference

#: More alternatives than these are a mistake.
MOST = 256


class TooManyAlternativesError(Exception):
    """A query has more alternatives than can be looked at."""

    def __init__(self, span: Span | None) -> None:
        super().__init__(f"this has more than {MOST} alternatives")
        self.span = span


@dataclass(frozen=True)
class Alternative:
    """A conjunction, and the copies of the identifiers that literals with `each` have."""

    parts: tuple[Part, ...]
    copies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def alternatives(query: Query | None, taken: Iterable[str]) -> list[Alternative]:
    """Returns the alternatives of a query; new identifiers are none of those taken."""
    names = set(taken)
    found: list[Alternative] = []
    for parts in _disjuncts(query):
        for chosen in _chosen(parts):
            found.append(_copied(chosen, names))
            if len(found) > MOST:
                raise TooManyAlternativesError(None if query is None else query.span)
    return found


def _disjuncts(query: Query | None) -> list[tuple[Part, ...]]:
    match query:
        case None:
            return [()]
        case Disjunction():
            return [parts for each in query.queries for parts in _disjuncts(each)]
        case Conjunction():
            inner = [_disjuncts(each) for each in query.queries]
            number = 1
            for each in inner:
                number *= len(each)
                if number > MOST:
                    raise TooManyAlternativesError(query.span)
            return [tuple(part for parts in choice for part in parts) for choice in product(*inner)]
        case _:
            return [(query,)]


def _combined(part: Part, operator: str) -> Combination | None:
    if not isinstance(part, Literal | Membership) or not isinstance(part.time, Combination):
        return None
    return part.time if part.time.operator == operator else None


def _chosen(parts: tuple[Part, ...]) -> list[tuple[Part, ...]]:
    """Returns the conjunctions that a conjunction with `any` stands for."""
    choices: list[list[Part]] = []
    for part in parts:
        combined = _combined(part, "any")
        if combined is None or not isinstance(part, Literal | Membership):
            choices.append([part])
        else:
            choices.append([replace(part, time=each) for each in combined.identifiers])
    return [tuple(choice) for choice in product(*choices)]


def _copied(parts: tuple[Part, ...], taken: set[str]) -> Alternative:
    """Returns a conjunction in which literals with `each` are written once for each of its times."""
    copies: dict[str, tuple[str, ...]] = {}
    found: list[Part] = []
    for part in parts:
        combined = _combined(part, "each")
        if combined is None or not isinstance(part, Literal | Membership):
            found.append(part)
            continue
        identifier = declared_identifier(part)
        names: list[str] = []
        for number, time in enumerate(combined.identifiers):
            copy = replace(part, time=time)
            if identifier is not None and isinstance(copy, Literal):
                name = identifier.identifier if not number else fresh(identifier.identifier, taken)
                taken.add(name)
                names.append(name)
                copy = replace(copy, identifier=replace(identifier, identifier=name))
            found.append(copy)
        if identifier is not None:
            copies[identifier.identifier] = tuple(names)
    return Alternative(tuple(of_all_copies(found, copies)), copies)


def of_all_copies(parts: Iterable[Part], copies: Mapping[str, tuple[str, ...]]) -> list[Part]:
    """Returns parts with what they say of an identifier said of all its copies."""
    found: list[Part] = []
    for part in parts:
        used = list(dict.fromkeys(each.identifier for each in used_identifiers(part) if each.identifier in copies))
        if not used or (isinstance(declared_identifier(part), EventReference) and not isinstance(part, Literal)):
            found.append(part)
            continue
        for names in product(*(copies[each] for each in used)):
            found.append(Names(identifiers=dict(zip(used, names, strict=True))).part(part))
    return found
