"""The names in queries: identifiers and variables, which parts declare and use, and other names for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from cera.constraints import specification as specifications
from cera.constraints.queries import (
    AllQuantities,
    AnyQuantity,
    Apart,
    Combination,
    Conjunction,
    Directed,
    Disjunction,
    Gap,
    GapContent,
    HullLiteral,
    Literal,
    Membership,
    Part,
    Quantities,
    Quantity,
    Query,
    SentFrom,
    Spread,
    TimerLiteral,
    ValidityTime,
    WindowLiteral,
)
from cera.constraints.specification import Amount, Specification
from cera.diagnostics import Span
from cera.model.expressions import expression as expressions
from cera.model.expressions.atoms import Atom, Between
from cera.model.expressions.expression import Comparison, EventReference, Expression, Temporal, Variable, rebuild, walk

#: A variable that stands for any value.
ANONYMOUS = "_"
#: The sign in names that no text has.
APART = "'"
#: What `now` is called in the bounds of a window.
NOW = "now"


def atom_variables(atom: Atom) -> tuple[str, ...]:
    """Returns the variables of an atom, each once, in their order."""
    found: dict[str, None] = {}
    for argument in atom.arguments:
        if isinstance(argument, Atom):
            found |= dict.fromkeys(atom_variables(argument))
        elif isinstance(argument, Variable) and argument.name != ANONYMOUS:
            found[argument.name] = None
    return tuple(found)


def quantities_of(quantities: Quantities) -> Iterator[Quantity]:
    """Yields the quantities of a condition from left to right."""
    match quantities:
        case Quantity():
            yield quantities
        case AllQuantities() | AnyQuantity():
            for each in quantities.parts:
                yield from quantities_of(each)
        case _:
            assert_never(quantities)


def declared_identifier(part: Part) -> EventReference | None:
    """Returns the identifier that a part declares."""
    match part:
        case Literal() | TimerLiteral() | WindowLiteral() | HullLiteral():
            return part.identifier
        case _:
            return None


def time_identifiers(time: ValidityTime | None) -> tuple[EventReference, ...]:
    match time:
        case None:
            return ()
        case EventReference():
            return (time,)
        case Combination():
            return time.identifiers
        case _:
            assert_never(time)


def used_identifiers(part: Part) -> Iterator[EventReference]:
    """Yields the identifiers that a part uses, in the order of the text."""
    match part:
        case Literal():
            yield from time_identifiers(part.time)
        case Membership():
            yield from time_identifiers(part.time)
            yield part.identifier
        case TimerLiteral():
            if isinstance(part.anchor, EventReference):
                yield part.anchor
            else:
                yield from time_identifiers(part.anchor.time)
        case WindowLiteral():
            if isinstance(part.window, Between):
                yield from _references(part.window.begin)
                yield from _references(part.window.end)
        case HullLiteral():
            yield from part.combination.identifiers
        case Comparison() | Temporal():
            yield from _references(part)
        case Spread() | Gap() | GapContent() | SentFrom() | Apart():
            yield from part.identifiers
        case Directed():
            yield part.left
            yield part.right
        case _:
            assert_never(part)


def _references(expression: Expression) -> Iterator[EventReference]:
    return (each for each in walk(expression) if isinstance(each, EventReference) and each.identifier != NOW)


def used_variables(part: Part) -> frozenset[str]:
    """Returns the variables that occur in a part, wherever that is."""
    match part:
        case Literal():
            counted = frozenset() if part.count is None else specifications.variables(part.count)
            return frozenset(atom_variables(part.atom)) | counted | frozenset(part.group_by or ())
        case Membership():
            return frozenset() if part.count is None else specifications.variables(part.count)
        case TimerLiteral():
            return used_variables(part.anchor) if isinstance(part.anchor, Literal) else frozenset()
        case Comparison() | Temporal():
            return expressions.variables(part)
        case GapContent():
            return frozenset[str]().union(
                *(used_variables(q.literal) | specifications.variables(q.count) for q in quantities_of(part.quantities))
            )
        case WindowLiteral():
            if isinstance(part.window, Between):
                return expressions.variables(part.window.begin) | expressions.variables(part.window.end)
            return frozenset()
        case HullLiteral() | Spread() | Gap() | Directed() | SentFrom() | Apart():
            return frozenset()
        case _:
            assert_never(part)


@dataclass(frozen=True)
class Names:
    """Other names for identifiers and variables; a variable may also become a constant."""

    identifiers: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, Expression] = field(default_factory=dict)

    def query(self, query: Query) -> Query:
        """Returns a query with the names replaced."""
        if isinstance(query, Conjunction | Disjunction):
            return replace(query, queries=tuple(map(self.query, query.queries)))
        return self.part(query)

    def part(self, part: Part) -> Part:
        match part:
            case Literal():
                return self.literal(part)
            case Membership():
                return replace(
                    part,
                    identifier=self._id(part.identifier),
                    time=self._time(part.time),
                    count=self._count(part.count),
                )
            case TimerLiteral():
                anchor = part.anchor
                moved = self._id(anchor) if isinstance(anchor, EventReference) else self.literal(anchor)
                return replace(part, anchor=moved, identifier=self._optional(part.identifier))
            case WindowLiteral():
                window = part.window
                if isinstance(window, Between):
                    window = replace(window, begin=self._value(window.begin), end=self._value(window.end))
                return replace(part, window=window, identifier=self._optional(part.identifier))
            case HullLiteral():
                combined = replace(part.combination, identifiers=self._ids(part.combination.identifiers))
                return replace(part, identifier=self._id(part.identifier), combination=combined)
            case Comparison() | Temporal():
                found = self._value(part)
                assert isinstance(found, Comparison | Temporal)
                return found
            case GapContent():
                inside = self._quantities(part.quantities)
                return replace(part, identifiers=self._ids(part.identifiers), quantities=inside)
            case Spread() | Gap() | SentFrom() | Apart():
                return replace(part, identifiers=self._ids(part.identifiers))
            case Directed():
                return replace(part, left=self._id(part.left), right=self._id(part.right))
            case _:
                assert_never(part)

    def literal(self, literal: Literal) -> Literal:
        groups = literal.group_by
        if groups is not None:
            moved = [self.variables.get(each, Variable(each)) for each in groups]
            groups = tuple(dict.fromkeys(each.name for each in moved if isinstance(each, Variable)))
        return replace(
            literal,
            atom=self.atom(literal.atom),
            identifier=self._optional(literal.identifier),
            time=self._time(literal.time),
            count=self._count(literal.count),
            group_by=groups,
        )

    def atom(self, atom: Atom) -> Atom:
        return replace(
            atom, arguments=tuple(self.atom(a) if isinstance(a, Atom) else self._value(a) for a in atom.arguments)
        )

    def _value(self, expression: Expression) -> Expression:
        match expression:
            case Variable():
                found = self.variables.get(expression.name)
                return expression if found is None else _at(found, expression.span)
            case EventReference():
                return self._id(expression)
            case _:
                return rebuild(expression, self._value)

    def _id(self, reference: EventReference) -> EventReference:
        if reference.identifier == NOW:
            return reference
        return replace(reference, identifier=self.identifiers.get(reference.identifier, reference.identifier))

    def _ids(self, references: Iterable[EventReference]) -> tuple[EventReference, ...]:
        return tuple(map(self._id, references))

    def _optional(self, reference: EventReference | None) -> EventReference | None:
        return None if reference is None else self._id(reference)

    def _time(self, time: ValidityTime | None) -> ValidityTime | None:
        if isinstance(time, Combination):
            return replace(time, identifiers=self._ids(time.identifiers))
        return self._optional(time)

    def _count(self, count: Specification | None) -> Specification | None:
        return None if count is None else specifications.changed(count, self._amount)

    def _amount(self, amount: Amount) -> Amount:
        if not isinstance(amount, Variable):
            return amount
        found = self._value(amount)
        if isinstance(found, expressions.Literal) and isinstance(found.value, int):
            return found.value
        return found if isinstance(found, Variable) else amount

    def _quantities(self, quantities: Quantities) -> Quantities:
        match quantities:
            case Quantity():
                count = specifications.changed(quantities.count, self._amount)
                return replace(quantities, count=count, literal=self.literal(quantities.literal))
            case AllQuantities() | AnyQuantity():
                return replace(quantities, parts=tuple(map(self._quantities, quantities.parts)))
            case _:
                assert_never(quantities)


def _at(expression: Expression, span: Span | None) -> Expression:
    return replace(expression, span=span)


def fresh(name: str, taken: Iterable[str]) -> str:
    """Returns a name like this one that is not taken: `s`, `s2`, `s3`."""
    known = set(taken)
    if name not in known:
        return name
    number = 2
    while f"{name}{number}" in known:
        number += 1
    return f"{name}{number}"
