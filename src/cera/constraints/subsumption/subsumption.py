"""Which conjunctive queries follow from others: sound, and not complete (seed 002, section 9.4; ERR-86 to ERR-89).

    C subsumes D with θ:    on every stream, wherever D holds, Cθ does

Sets of substitutions are kept as they are, one by one; merging the values of each variable would lose which of them
belong together (ERR-89). The mapping of literals need not be injective: two identifiers may be one event (ERR-88).
Conditions are proved from all that D says, closed under difference bounds (ERR-87).

    literal of C              what D must have
    positive                  a positive literal of which it is a generalisation, in a time that its own covers
    count with all from 1     the same
    count with 0              an absence of which it is an instance, in the same time. The variables that the absence
                              shares with the rest of D stand for themselves (ERR-86)
    count with any number     nothing, if its groups have values
    condition                 a proof

A time from which a length leads out of the years 1 to 9999 is not considered, as everywhere in the prover. An absence
in a window at the edge of a stream is not judged by constraints, so that there D may hold and C have no say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import gcd

from cera.constraints.names import Names
from cera.constraints.numbers import ALL, compared, counts
from cera.constraints.queries import Apart, Directed, SentFrom, SpatialCondition
from cera.constraints.specification import Length, Limit, changed
from cera.constraints.subsumption.atoms import Fixed, FlatAtom, Name, Substitution, Value, extended
from cera.constraints.subsumption.conjunctive import ConjunctiveQuery, QueryLiteral, holds_in
from cera.model.expressions.expression import (
    Comparison,
    ComparisonOperator,
    EventReference,
    Expression,
    Variable,
    event_references,
    rebuild,
)
from cera.model.expressions.expression import Literal as Constant
from cera.model.time.periodic_windows import Period
from cera.rules.reasoning.cases import CONVERSE, Case, conjuncts
from cera.rules.reasoning.difference_bounds import DifferenceBounds
from cera.rules.reasoning.time_cases import no_times
from cera.rules.reasoning.time_constraints import TimeNetwork, conjunction
from cera.rules.reasoning.time_points import TimePoint
from cera.rules.reasoning.value_constraints import no_values


@dataclass(frozen=True)
class Match:
    """A substitution: values of variables, and for each identifier that of the other query.

    `covers` are the windows of the clock that only cover the one that they stand for: nothing may be said of their
    bounds.
    """

    values: Mapping[str, Value] = field(default_factory=dict)
    identifiers: Mapping[str, str] = field(default_factory=dict)
    covers: frozenset[str] = frozenset()


def covers(outer: Period, inner: Period) -> bool:
    """Returns whether every window of the inner kind lies in some window of the outer one (ERR-86: by alignment).

    The latest outer window that begins in time begins r before the inner one, for all r < slide that have the residue
    of the origins modulo both slides; it reaches far enough if r + length of the inner <= length of the outer.
    """
    step = gcd(outer.slide, inner.slide)
    first = (inner.origin - outer.origin) % step
    latest = first + (outer.slide - 1 - first) // step * step
    return latest + inner.length <= outer.length


def subsumptions(general: ConjunctiveQuery, special: ConjunctiveQuery) -> list[Match]:
    """Returns the substitutions with which a query subsumes another one; none if it does not.

    Their variables and identifiers need not be renamed apart: a substitution goes from one query to the other.
    """
    if not general.is_complete:
        return []
    search = _Search(general, special)
    found: list[Match] = []
    for match in search.matches():
        if match not in found:
            found.append(match)
    return found


class _Search:
    def __init__(self, general: ConjunctiveQuery, special: ConjunctiveQuery) -> None:
        self.general = general
        self.special = special
        self.network = _network(special)

    def matches(self) -> Iterator[Match]:
        needed = [*self.general.positive, *(each for each in self.general.counted if _needs_one(each))]
        others = [each for each in self.general.literals if each not in needed]
        for match in self._found(needed, Match()):
            if all(self._counted(each, match) for each in others) and self._conditions(match):
                yield match

    # Literals

    def _found(self, literals: list[QueryLiteral], match: Match) -> Iterator[Match]:
        if not literals:
            yield match
            return
        literal, rest = literals[0], literals[1:]
        for other in self.special.positive:
            values = extended(literal.atom, other.atom, match.values)
            if values is None:
                continue
            if literal.numbers is not None:  # what is counted over means nothing elsewhere
                values = {k: v for k, v in values.items() if k in match.values or k in literal.groups}
            identifiers = dict(match.identifiers)
            name = literal.identifier
            if name is not None:
                if other.identifier is None or identifiers.get(name, other.identifier) != other.identifier:
                    continue
                identifiers[name] = other.identifier
            for placed in self._placed(literal.time, other, Match(values, identifiers, match.covers)):
                yield from self._found(rest, placed)

    def _placed(self, time: str | None, other: QueryLiteral, match: Match) -> Iterator[Match]:
        """Yields the match in which a literal lies in its time, because another one does."""
        if time is None:
            yield match
            return
        for inside in sorted(holds_in(other, self.special)):
            known = match.identifiers.get(time)
            if known is not None and known != inside:
                continue
            outer, inner = self.general.windows.get(time), self.special.windows.get(inside)
            if (outer is None) != (inner is None) or (
                outer is not None and inner is not None and not covers(outer, inner)
            ):
                continue
            only = match.covers | {time} if outer != inner else match.covers
            yield Match(match.values, {**match.identifiers, time: inside}, only)
        if self._contained(time, other, match):
            yield match

    def _contained(self, time: str, other: QueryLiteral, match: Match) -> bool:
        """Returns whether an event lies in another one by their times, and is not the same (ERR-05)."""
        outer = match.identifiers.get(time)
        around = [each for each in self.special.positive if each.identifier == outer]
        if outer is None or not around or other.identifier is None or outer in holds_in(other, self.special):
            return False
        if other.atom.kind != "event" or around[0].atom.kind != "event" or self.network.contradiction is not None:
            return False
        begins = self.network.least(TimePoint(outer, "begin"), TimePoint(other.identifier, "begin"))
        ends = self.network.least(TimePoint(other.identifier, "end"), TimePoint(outer, "end"))
        if begins is None or ends is None or begins > 0 or ends > 0:
            return False
        return begins < 0 or ends < 0 or around[0].atom.label != other.atom.label

    def _counted(self, literal: QueryLiteral, match: Match) -> bool:
        """Returns whether a count holds because nothing is there, or whatever there is."""
        if literal.numbers is None or literal.identifier is not None or not literal.groups <= match.values.keys():
            return False
        if literal.numbers == ALL or 0 not in literal.numbers:
            return literal.numbers == ALL
        time = literal.time and match.identifiers.get(literal.time)
        if literal.time is not None and (time is None or literal.time in match.covers):
            return False
        bound = {name: value for name, value in match.values.items() if name in literal.groups}
        return any(
            absent.numbers == compared("=", 0)
            and absent.time == time
            and self._instance(literal.atom, bound, absent.atom)
            for absent in self.special.counted
        )

    def _instance(self, atom: FlatAtom, bound: Substitution, absent: FlatAtom) -> bool:
        """Returns whether whatever an atom matches, one that is absent matches as well."""
        if (atom.label, atom.kind) != (absent.label, absent.kind):
            return False
        own: dict[str, object] = {}
        for place, value in absent.places:
            if place not in atom.by_place:
                return False
            other = atom.by_place[place]
            is_free = isinstance(other, Name) and other.name not in bound
            found: object = ("free", other) if is_free else bound.get(other.name) if isinstance(other, Name) else other
            if isinstance(value, Fixed) or value.name in self.special.variables:
                if found != value:
                    return False
            elif own.setdefault(value.name, found) != found:
                return False
        return True

    # Conditions

    def _conditions(self, match: Match) -> bool:
        names = Names(match.identifiers, values_as_expressions(match.values))
        for condition in self.general.conditions:
            if (
                event_references(condition) & match.covers
                or not event_references(condition) <= match.identifiers.keys()
            ):
                return False
            if not is_proved(renamed(condition, names), self.special):
                return False
        return all(self._lies(each, match) for each in self.general.places)

    def _lies(self, condition: SpatialCondition, match: Match) -> bool:
        """Returns whether a condition on places follows from one of the special query."""
        return any(spatially_implies(each, condition, match.identifiers) for each in self.special.places)


def is_proved(condition: Expression, query: ConjunctiveQuery) -> bool:
    """Returns whether a condition holds wherever those of a query do."""
    asserted = tuple(conjuncts(query.conditions))
    if any(each == condition or weaker(condition, each) for each in asserted):
        return True
    case = Case(asserted, (condition,))
    return no_times(_network(query), case) or no_values(case, query.variables)


def _network(query: ConjunctiveQuery) -> TimeNetwork:
    return DifferenceBounds((*query.bounds, *(bound for each in query.conditions for bound in conjunction(each))))


def weaker(general: Expression, special: Expression) -> bool:
    """Returns whether a comparison follows from another one of the same two values, whatever kind they are.

    x < y    implies    x <= y,  x != y,  y > x,  y >= x,  y != x
    """
    if not isinstance(general, Comparison) or not isinstance(special, Comparison):
        return False
    sides, operator = (special.left, special.right), special.operator
    if (general.left, general.right) != sides:
        sides, operator = sides[::-1], CONVERSE[operator]
    return (general.left, general.right) == sides and general.operator in FOLLOWING[operator]


#: Which comparisons follow from one; not the order from equality, for there are values that have none.
FOLLOWING: dict[ComparisonOperator, tuple[ComparisonOperator, ...]] = {
    "=": ("=",),
    "<": ("<", "<=", "!="),
    ">": (">", ">=", "!="),
    "<=": ("<=",),
    ">=": (">=",),
    "!=": ("!=",),
}


def spatially_implies(special: SpatialCondition, general: SpatialCondition, names: Mapping[str, str]) -> bool:
    """Returns whether a condition on places follows from another one, which is about at least as many events.

    {i, j, k} apart-by max 50 m    implies    {i, j} apart-by max 100 m
    {i, j, k} sent from one place  implies    {i, j} sent from it
    j south-east of i              implies    j south of i,  and i north of j
    """
    match special, general:
        case Apart(), Apart():
            if not _among(general.identifiers, special.identifiers, names):
                return False
            if len(special.identifiers) > 2 and not isinstance(special.distance, Limit):
                return False
            if len(general.identifiers) != 2 and not isinstance(general.distance, Limit):
                return False
            mine, theirs = (counts(changed(each.distance, _millimetres)) for each in (general, special))
            return mine is not None and theirs is not None and theirs <= mine
        case SentFrom(), SentFrom():
            same = (special.relation, special.place) == (general.relation, general.place)
            return same and _among(general.identifiers, special.identifiers, names)
        case Directed(), Directed():
            left, right = names.get(general.left.identifier), names.get(general.right.identifier)
            ways = set(special.direction.split("-"))
            if (left, right) == (special.right.identifier, special.left.identifier):
                ways = {_OPPOSITE[way] for way in ways if way in ("north", "south")}
            elif (left, right) != (special.left.identifier, special.right.identifier):
                return False
            return {*general.direction.split("-")} <= ways
        case _:
            return False


#: East and west are not opposite on the globe, where half way round is west of both.
_OPPOSITE = {"north": "south", "south": "north"}


def _among(mine: tuple[EventReference, ...], theirs: tuple[EventReference, ...], names: Mapping[str, str]) -> bool:
    known = {each.identifier for each in theirs}
    found = {names.get(each.identifier) for each in mine}
    return len(found) == len(mine) and found <= known


def _millimetres(amount: object) -> int:
    assert isinstance(amount, Length)
    return amount.millimetres


def _needs_one(literal: QueryLiteral) -> bool:
    return literal.numbers is not None and literal.numbers.has_all_from(1) and 0 not in literal.numbers


def values_as_expressions(values: Mapping[str, Value]) -> dict[str, Expression]:
    return {
        name: Variable(value.name) if isinstance(value, Name) else Constant(value.value)
        for name, value in values.items()
    }


def renamed(expression: Expression, names: Names) -> Expression:
    """Returns an expression with other names for identifiers, and other expressions for variables."""
    match expression:
        case Variable():
            return names.variables.get(expression.name, expression)
        case EventReference():
            return EventReference(names.identifiers.get(expression.identifier, expression.identifier))
        case _:
            return rebuild(expression, lambda part: renamed(part, names))
