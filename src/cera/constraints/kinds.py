"""What labels without a prefix are: events, states, or relations.

A label is a relation if it is declared as one, and what a local definition derives in its scope. Otherwise it is what
its other uses say, and an event if there are none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from cera.constraints.constraint import (
    AllConstraints,
    AnyConstraint,
    Constraint,
    ConstraintSet,
    LocalDefinitions,
    Module,
    parts_of,
)
from cera.constraints.definitions import literals_of
from cera.constraints.queries import (
    AllQuantities,
    AnyQuantity,
    Conjunction,
    Disjunction,
    GapContent,
    Kind,
    Literal,
    Quantities,
    Quantity,
    Query,
    TimerLiteral,
)


def uses(tree: ConstraintSet) -> Iterator[tuple[Literal, frozenset[str]]]:
    """Yields the literals of a set in the order of the text, each with the labels that definitions around it derive."""
    return _uses(tree, frozenset())


def _uses(tree: ConstraintSet, local: frozenset[str]) -> Iterator[tuple[Literal, frozenset[str]]]:
    match tree:
        case Constraint():
            for part in (*parts_of(tree.body), *parts_of(tree.head)):
                yield from ((each, local) for each in literals_of(part))
        case Module():
            yield from ((each, local) for each in literals_of(tree.time))
            yield from _uses(tree.constraints, local)
        case LocalDefinitions():
            inner = local | {each.head.atom.label for each in tree.definitions}
            for definition in tree.definitions:
                for part in parts_of(definition.body):
                    yield from ((each, inner) for each in literals_of(part))
            yield from _uses(tree.constraints, inner)
        case AllConstraints() | AnyConstraint():
            for each in tree.parts:
                yield from _uses(each, local)
        case _:
            assert_never(tree)


def said_kinds(trees: Collection[ConstraintSet]) -> dict[str, dict[Kind, Literal]]:
    """Returns the kinds that labels have by their prefixes, each with its first use; not those of definitions."""
    found: dict[str, dict[Kind, Literal]] = {}
    for tree in trees:
        for literal, local in uses(tree):
            if literal.kind is not None and literal.atom.label not in local:
                found.setdefault(literal.atom.label, {}).setdefault(literal.kind, literal)
    return found


def resolved(
    tree: ConstraintSet, relations: Collection[str], said: Mapping[str, Mapping[Kind, object]]
) -> ConstraintSet:
    """Returns a set in which every literal has a kind."""
    known: dict[str, Kind] = {label: "state" for label, kinds in said.items() if tuple(kinds) == ("state",)}
    known |= dict.fromkeys(relations, "relation")
    return _resolved(tree, known)


def _resolved(tree: ConstraintSet, known: Mapping[str, Kind]) -> ConstraintSet:
    match tree:
        case Constraint():
            body = None if tree.body is None else _query(tree.body, known)
            return replace(tree, body=body, head=_query(tree.head, known))
        case Module():
            time = _query(tree.time, known)
            assert not isinstance(time, Conjunction | Disjunction)
            return replace(tree, time=time, constraints=_resolved(tree.constraints, known))  # type: ignore[arg-type]
        case LocalDefinitions():
            derived: dict[str, Kind] = {each.head.atom.label: each.head.kind or "event" for each in tree.definitions}
            inner = {**known, **derived}
            definitions = tuple(replace(each, body=_query(each.body, inner)) for each in tree.definitions)
            return replace(tree, definitions=definitions, constraints=_resolved(tree.constraints, inner))
        case AllConstraints() | AnyConstraint():
            return replace(tree, parts=tuple(_resolved(each, known) for each in tree.parts))
        case _:
            assert_never(tree)


def _query(query: Query, known: Mapping[str, Kind]) -> Query:
    match query:
        case Conjunction() | Disjunction():
            return replace(query, queries=tuple(_query(each, known) for each in query.queries))
        case Literal():
            return _literal(query, known)
        case TimerLiteral(anchor=Literal() as anchor):
            return replace(query, anchor=_literal(anchor, known))
        case GapContent():
            return replace(query, quantities=_quantities(query.quantities, known))
        case _:
            return query


def _literal(literal: Literal, known: Mapping[str, Kind]) -> Literal:
    if known.get(literal.atom.label) == "relation":
        return replace(literal, kind="relation")
    return literal if literal.kind is not None else replace(literal, kind=known.get(literal.atom.label, "event"))


def _quantities(quantities: Quantities, known: Mapping[str, Kind]) -> Quantities:
    match quantities:
        case Quantity():
            return replace(quantities, literal=_literal(quantities.literal, known))
        case AllQuantities() | AnyQuantity():
            return replace(quantities, parts=tuple(_quantities(each, known) for each in quantities.parts))
        case _:
            assert_never(quantities)


def named(trees: Collection[ConstraintSet]) -> list[ConstraintSet]:
    """Returns sets in which every constraint has a name: its own, or `c1`, `c2` by its number in the file."""
    number = 0

    def give(tree: ConstraintSet) -> ConstraintSet:
        nonlocal number
        match tree:
            case Constraint():
                number += 1
                return tree if tree.name is not None else replace(tree, name=f"c{number}")
            case Module() | LocalDefinitions():
                return replace(tree, constraints=give(tree.constraints))
            case AllConstraints() | AnyConstraint():
                return replace(tree, parts=tuple(give(each) for each in tree.parts))
            case _:
                assert_never(tree)

    return [give(tree) for tree in trees]
