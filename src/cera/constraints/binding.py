"""Substitutions of variables and identifiers, and the order in which the parts of a conjunction are looked at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from cera.constraints.groups import binds, counting_variable
from cera.constraints.names import declared_identifier, used_identifiers, used_variables
from cera.constraints.queries import GapContent, HullLiteral, Literal, Membership, Part, TimerLiteral, WindowLiteral
from cera.constraints.specification import NONE, variables
from cera.constraints.stream import Happening
from cera.constraints.times import ALWAYS_KNOWN, Item
from cera.model.expressions.expression import EventReference
from cera.model.terms.term import Value
from cera.model.time.interval import Time


@dataclass(frozen=True)
class Binding:
    """σ and τ: the values of variables, what identifiers stand for, and since when all of it is certain.

    `happenings` are the events and states that it rests on, `unnamed` those that the text has no identifier for.
    """

    values: Mapping[str, Value] = field(default_factory=dict)
    items: Mapping[str, Item] = field(default_factory=dict)
    at: Time = ALWAYS_KNOWN
    happenings: tuple[Happening, ...] = ()
    unnamed: tuple[Happening, ...] = ()

    def extended(
        self,
        values: Mapping[str, Value],
        identifier: EventReference | None = None,
        item: Item | None = None,
        at: Time = ALWAYS_KNOWN,
    ) -> Binding:
        items, found = self.items, () if item is None or item.happening is None else (item.happening,)
        if item is not None and identifier is not None:
            items = {**items, identifier.identifier: item}
        happenings = (*self.happenings, *found)
        unnamed = self.unnamed if is_written(identifier) else (*self.unnamed, *found)
        return Binding({**self.values, **values}, items, max(self.at, at), happenings, unnamed)

    def counted(self, members: Sequence[Happening], enough: int | None) -> Binding:
        """Returns the substitution, which rests on events or states that were counted, of which so many are enough."""
        happenings, unnamed = (*self.happenings, *members), (*self.unnamed, *members[:enough])
        return replace(self, happenings=happenings, unnamed=unnamed)


def is_written(identifier: EventReference | None) -> bool:
    """Returns whether an identifier stands in the text of a constraint, and was not made up for a normal form."""
    return identifier is not None and identifier.span is not None


@dataclass(frozen=True)
class Plan:
    """Parts in an order in which each has the values and the times that it needs."""

    parts: tuple[Part, ...]


class UnsafeError(Exception):
    """A part needs a variable or an identifier that nothing gives a value."""

    def __init__(self, part: Part) -> None:
        super().__init__("a part needs something that has no value")
        self.part = part


def plan(parts: Iterable[Part], before: Iterable[Part] = ()) -> Plan:
    """Returns a conjunction in an order in which it can be evaluated, after other parts. Raises UnsafeError."""
    known = {name for part in before for name in binds(part)}
    identifiers = {each.identifier for part in before if (each := declared_identifier(part)) is not None}
    rest = list(parts)
    ordered: list[Part] = []
    while rest:
        ready = [part for part in rest if _is_ready(part, known, identifiers, rest)]
        if not ready:  # others wait for the identifier of a count, which is counted over what they would give values
            ready = [part for part in rest if _is_ready(part, known, identifiers, [])]
        if not ready:
            raise UnsafeError(rest[0])
        chosen = min(ready, key=lambda part: (_rank(part), rest.index(part)))
        rest.remove(chosen)
        ordered.append(chosen)
        known |= binds(chosen)
        declared = declared_identifier(chosen)
        if declared is not None:
            identifiers.add(declared.identifier)
    return Plan(tuple(ordered))


def _rank(part: Part) -> int:
    match part:
        case TimerLiteral() | HullLiteral() | Membership():
            return 1
        case WindowLiteral():
            return 2
        case Literal():
            return 5 if part.count is not None else 4 if part.kind == "relation" else 3
        case GapContent():
            return 5
        case _:
            return 0


def _is_ready(part: Part, known: set[str], identifiers: set[str], rest: list[Part]) -> bool:
    """Returns whether a part has all that it needs. Counts wait for all that could give their groups values."""
    if not {each.identifier for each in used_identifiers(part)} <= identifiers:
        return False
    match part:
        case Literal() if part.count is not None:
            others = (each for each in rest if each is not part and _gives(each, absence=part.count == NONE))
            given = frozenset[str]().union(*map(binds, others))
            needed = variables(part.count) - counting_variable(part)
            return needed <= known | binds(part) and not (used_variables(part) & given - known)
        case Membership() if part.count is not None:
            return variables(part.count) <= known
        case Literal() | Membership() | TimerLiteral() | WindowLiteral() | HullLiteral():
            return True
        case GapContent():
            given = frozenset[str]().union(*(binds(each) for each in rest))
            return not (used_variables(part) & given - known)
        case _:
            return used_variables(part) <= known


def _gives(part: Part, *, absence: bool) -> bool:
    """Returns whether a count has to wait for a part; an absence also for other counts, whose groups give values."""
    return isinstance(part, Literal) and (part.count is None or (absence and part.count != NONE))
