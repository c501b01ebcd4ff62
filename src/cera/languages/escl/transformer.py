"""From Lark's tree of one item to sets of constraints, each node with its place in the source."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, cast

from lark import Token, Tree

from cera.constraints.constraint import (
    AllConstraints,
    AnyConstraint,
    Constraint,
    ConstraintSet,
    Definition,
    LocalDefinitions,
    Module,
)
from cera.constraints.queries import (
    AllQuantities,
    AnyQuantity,
    Apart,
    Combination,
    CombinationOperator,
    Conjunction,
    Directed,
    Direction,
    Disjunction,
    Gap,
    GapContent,
    HullLiteral,
    Kind,
    Literal,
    Membership,
    Quantities,
    Quantity,
    Query,
    SentFrom,
    Spread,
    TimerLiteral,
    ValidityTime,
    WindowLiteral,
)
from cera.constraints.specification import (
    AllLimits,
    AnyLimit,
    Length,
    Limit,
    Specification,
    limits,
)
from cera.diagnostics import Diagnostic, Span
from cera.languages.atoms import parts as raw
from cera.languages.atoms.parts import MisplacedError, Negated, Part, Word
from cera.languages.atoms.transformer import OPERATORS, AtomTransformer
from cera.languages.escl.hints import misspelt
from cera.languages.escl.mistakes import CODES
from cera.languages.escl.syntax import Item
from cera.languages.text.items import Place
from cera.languages.text.literals import LiteralError
from cera.model.expressions.atoms import Atom, TimeNode
from cera.model.expressions.expression import Comparison, ComparisonOperator, EventReference, Temporal, Variable
from cera.model.time.durations import UNITS, canonical_units
from cera.model.time.timers import SYNONYMS

_MILLIMETRES = {"km": 1_000_000, "m": 1_000, "cm": 10, "mm": 1}
_LENGTH = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(km|cm|mm|m)")
_BOUNDS: dict[str, ComparisonOperator] = {"min": ">=", "max": "<=", "exact": "="}
_ORDER = "the order is `while time: exists >= 1 event i: p(X) group-by {X}`, of which all but the atom may be missing"
_CONDITIONS = (Comparison, Temporal, Spread, Gap, GapContent, Directed, SentFrom, Apart)


def transform(tree: Tree[Token], place: Place) -> tuple[Item | None, list[Diagnostic]]:
    """Returns the item of a tree, or None and its errors."""
    return ItemTransformer(place, CODES).item(tree)


@dataclass(frozen=True)
class _Declared:
    kind: Kind | None
    identifier: EventReference | None
    span: Span


@dataclass(frozen=True)
class _Named:
    declared: _Declared
    part: Any
    span: Span


@dataclass(frozen=True)
class _Timed:
    time: ValidityTime
    part: Any
    span: Span


@dataclass(frozen=True)
class _Counted:
    count: Specification
    part: Any
    group_by: tuple[str, ...] | None
    span: Span


@dataclass(frozen=True)
class _Timer(TimeNode):
    kind: str
    anchor: EventReference | Literal
    duration: Any
    span: Span


class ItemTransformer(AtomTransformer):
    """Methods give `Part`s, of which `_query` makes literals and conditions."""

    # Sets of constraints

    def any_constraint(self, span: Span, *parts: ConstraintSet) -> AnyConstraint:
        return AnyConstraint(parts, span)

    def all_constraints(self, span: Span, *parts: ConstraintSet) -> AllConstraints:
        return AllConstraints(parts, span)

    def grouped(self, span: Span, inside: ConstraintSet) -> ConstraintSet:
        return inside if isinstance(inside, Constraint | Module | LocalDefinitions) else replace(inside, span=span)

    def module(self, span: Span, declared: _Declared | None, part: Part, inside: ConstraintSet) -> Module:
        time = self._query(part if declared is None else self.prefixed(declared.span, declared, part))
        if isinstance(time, Membership):
            time = Literal(Atom(time.identifier.identifier, span=time.span), span=time.span)
        if isinstance(time, Literal) and time.atom == Atom("Range"):
            hint = "after `Range` stands a duration: `Range 3h Slide 1h`"
            self._misplaced(MisplacedError("expected a duration", part.span, hint))
        if not isinstance(time, Literal | TimerLiteral | WindowLiteral):
            hint = "write `WHILE state: p(X)`, `WHILE from-end[event: p(X), 1h]` or `WHILE Range 1h`"
            self._misplaced(MisplacedError("expected an event, a state, a timer or a window", part.span, hint))
            time = Literal(Atom(""))
        return Module(time, inside, span)

    def definitions(self, span: Span, *parts: Any) -> LocalDefinitions:
        *found, inside = parts
        return LocalDefinitions(tuple(found), inside, span)

    def definition(self, span: Span, declared: _Declared | None, part: Part, body: Part) -> Definition:
        atom = self._tried(raw.query_atom, part, Atom(""))
        kind = "event" if declared is None or declared.kind is None else declared.kind
        if declared is not None and declared.identifier is not None:
            hint = "an identifier is declared where the event is asked for: `IF event i: h(X) …`"
            self._misplaced(MisplacedError("what is derived has no identifier", declared.span, hint))
        return Definition(Literal(atom, kind, span=atom.span), self._query(body), span=span)

    def fact(self, span: Span, head: Part) -> Constraint:
        return Constraint(self._query(head), span=span)

    def rule(self, span: Span, body: Part, head: Part) -> Constraint:
        return Constraint(self._query(head), self._query(body), span=span)

    def named(self, span: Span, name: Token, constraint: Constraint) -> Constraint:
        return replace(constraint, name=self._label(name), span=span)

    # Queries

    def or_(self, span: Span, *parts: Part) -> Disjunction:  # type: ignore[override]
        return Disjunction(tuple(map(self._query, parts)), span)

    def and_(self, span: Span, *parts: Part) -> Conjunction:  # type: ignore[override]
        return Conjunction(tuple(map(self._query, parts)), span)

    def not_(self, span: Span, part: Part) -> Negated:  # type: ignore[override]
        return Negated(part, span)

    def parenthesised(self, span: Span, part: Any) -> Any:
        return part if isinstance(part, _CONDITIONS) else replace(part, span=span)

    def declared(self, span: Span, *tokens: Token | None) -> _Declared:
        kind = next((str(each) for each in tokens if each is not None and each.type == "KIND"), None)
        name = next((each for each in tokens if each is not None and each.type == "NAME"), None)
        return _Declared(cast("Kind | None", kind), None if name is None else self.identifier(span, name), span)

    def identifier(self, _: Span, name: Token) -> EventReference:
        return EventReference(str(name), self._span_of(name))

    def prefixed(self, span: Span, declared: _Declared, part: Part) -> _Named:
        return _Named(declared, part, span)

    def while_(self, span: Span, time: ValidityTime, part: Part) -> _Timed:
        return _Timed(time, part, span)

    def exists(self, span: Span, count: Specification, part: Part, group_by: tuple[str, ...] | None) -> _Counted:
        return _Counted(count, part, group_by, span)

    def combination(self, span: Span, operator: Token, identifiers: tuple[EventReference, ...]) -> Combination:
        return Combination(cast(CombinationOperator, str(operator)), identifiers, span)

    def braces(self, _: Span, *names: Token) -> tuple[EventReference, ...]:  # type: ignore[override]
        return tuple(self.identifier(self._span_of(name), name) for name in names)

    def timer(self, span: Span, kind: Token, declared: _Declared | None, part: Part, duration: Token) -> _Timer:
        anchor: Query = self._query(part if declared is None else self.prefixed(declared.span, declared, part))
        if isinstance(anchor, Membership) and anchor.span is not None:
            found: EventReference | Literal = anchor.identifier
        elif isinstance(anchor, Literal):
            found = anchor
        else:
            hint = "write `from-end[i, 1h]` or `from-end[event: p(X), 1h]`"
            self._misplaced(MisplacedError("a timer is relative to an event or a state", part.span, hint))
            found = EventReference("")
        return _Timer(SYNONYMS[kind.removeprefix("timer:")], found, self._duration(duration), span)

    # Conditions

    def temporal(self, span: Span, left: Part, relation: Token, right: Part) -> Temporal:
        return Temporal(str(relation), self._identified(left), self._identified(right), span)

    def directed(self, span: Span, left: Part, direction: Token, right: Part) -> Directed:
        way = cast(Direction, direction.split()[0])
        return Directed(self._identified(left), way, self._identified(right), span)

    def within(self, span: Span, identifiers: Any, duration: Specification) -> Spread:  # type: ignore[override]
        bounds = list(limits(duration))
        if any(isinstance(each.amount, Length) for each in bounds):
            hint = "a distance is written `{i, j} apart-by max 100 m`"
            self._misplaced(MisplacedError("`within` is about time, found a length", span, hint))
        return Spread(identifiers, _at_most_if_bare(duration), span)

    def apart_by(self, span: Span, identifiers: Any, apart: Any) -> Gap | GapContent | Apart:
        if isinstance(apart, Quantity | AllQuantities | AnyQuantity):
            return GapContent(identifiers, apart, span)
        kinds = {isinstance(each.amount, Length) for each in limits(apart)}
        if len(kinds) > 1:
            hint = "write two conditions, joined by `and` or `or`"
            self._misplaced(MisplacedError("times and lengths cannot be mixed", span, hint))
        return Apart(identifiers, apart, span) if True in kinds else Gap(identifiers, apart, span)

    def sent_from(self, span: Span, identifiers: Any, place: Token) -> SentFrom:
        if place.type == "STRING":
            return SentFrom(identifiers, "named", self._string(place), span)
        kind = "area" if "area" in place else "room"
        return SentFrom(identifiers, "same" if place.type == "SAME" else "neighbour", kind, span)

    # Specifications

    def any_limit(self, span: Span, *parts: Specification) -> AnyLimit:
        return AnyLimit(parts, span)

    def all_limits(self, span: Span, *parts: Specification) -> AllLimits:
        return AllLimits(parts, span)

    def limit(self, span: Span, operator: Token, amount: Token) -> Limit:
        if amount.type == "NAME":
            hint = f"a variable begins with a capital letter: `{amount[0].upper()}{amount[1:]}`"
            message = f"expected a number or a variable, found '{amount}'"
            self._misplaced(MisplacedError(message, self._span_of(amount), hint))
        return Limit(cast(ComparisonOperator, OPERATORS.get(operator, str(operator))), self._amount(amount), span=span)

    def measure(self, span: Span, bound: Token | None, amount: Token) -> Limit:
        operator = "=" if bound is None else _BOUNDS[bound]
        return Limit(operator, self._amount(amount), bound is None, span)

    def no(self, span: Span) -> Limit:
        return Limit("=", 0, span=span)

    def any_quantity(self, span: Span, *parts: Quantities) -> AnyQuantity:
        return AnyQuantity(parts, span)

    def all_quantities(self, span: Span, *parts: Quantities) -> AllQuantities:
        return AllQuantities(parts, span)

    def quantity(self, span: Span, count: Specification, declared: _Declared | None, part: Part) -> Quantity:
        atom = self._tried(raw.query_atom, part, Atom(""))
        if declared is None and isinstance(part, Word):
            message = f"expected a unit, or events that are counted, found '{part.name}'"
            self._misplaced(MisplacedError(message, part.span, _units(part.name)))
        kind = None if declared is None else declared.kind
        identifier = None if declared is None else declared.identifier
        return Quantity(count, Literal(atom, kind, identifier, span=part.span), span)

    def _amount(self, token: Token) -> Any:
        match token.type:
            case "DURATION":
                return self._duration(token)
            case "LENGTH":
                return self._read(_read_length, token, Length(0))
            case "NUMBER":
                number = self._number(token)
                if not isinstance(number, int):
                    self._misplaced(MisplacedError("expected a whole number", self._span_of(token)))
                return number if isinstance(number, int) else 0
            case _:
                return Variable(str(token), self._span_of(token))

    # Parts that are what is expected, or a mistake

    def _identified(self, part: Part) -> EventReference:
        if isinstance(part, Word) and "." not in part.name:
            return EventReference(part.name, part.span)
        self._misplaced(MisplacedError("expected an identifier", part.span, "write `i before j`"))
        return EventReference("", part.span)

    def _query(self, part: Any) -> Query:
        if isinstance(part, Conjunction | Disjunction | Literal | Membership | TimerLiteral | WindowLiteral):
            return part
        if isinstance(part, HullLiteral | Spread | Gap | GapContent | Directed | SentFrom | Apart):
            return part
        if isinstance(part, Comparison | Temporal):
            return part
        nothing: Query = Literal(Atom(""))
        return self._tried(_literal, part, nothing)


def _literal(part: Any) -> Query:
    """Returns the literal, timer or window that a part is, with all that stands before it."""
    span = part.span
    time: ValidityTime | None = None
    counted: _Counted | None = None
    negated = False
    declared: _Declared | None = None
    while True:
        match part:
            case _Timed() if time is None and counted is None and not negated and declared is None:
                time, part = part.time, part.part
            case _Counted() if counted is None and not negated and declared is None:
                counted, part = part, part.part
            case Negated() if counted is None and not negated and declared is None:
                negated, part = True, part.part
            case _Named() if declared is None:
                declared, part = part.declared, part.part
            case _Timed() | _Counted() | Negated() | _Named():
                raise MisplacedError("this cannot stand here", part.span, _ORDER)
            case _:
                break
    plain = time is None and counted is None and not negated
    kind = None if declared is None else declared.kind
    identifier = None if declared is None else declared.identifier
    count = None if counted is None else counted.count
    if isinstance(part, Word) and declared is None:
        if counted is not None and counted.group_by is not None:
            raise MisplacedError("what has an identifier already has no groups", part.span, _ORDER)
        return Membership(EventReference(part.name, part.span), time, count, negated, span)
    if isinstance(part, Conjunction | Disjunction):
        hint = "write it before each atom"
        raise MisplacedError("`while`, `exists`, `not` and identifiers belong to one atom", part.span, hint)
    if isinstance(part, _CONDITIONS):
        raise MisplacedError("a condition has neither a time nor a number, and is not negated", span, _ORDER)
    if isinstance(part, TimeNode | Combination):
        if not plain:
            hint = "before a timer or a window only its identifier may stand"
            raise MisplacedError("a timer or a window is neither counted nor negated", span, hint)
        return _interval(part, kind, identifier, span)
    group_by = None if counted is None else counted.group_by
    return Literal(raw.query_atom(part), kind, identifier, time, count, negated, group_by, span)


def _interval(part: Any, kind: Kind | None, identifier: EventReference | None, span: Span) -> Query:
    if isinstance(part, _Timer):
        return TimerLiteral(part.kind, part.anchor, part.duration, kind, identifier, span)
    if isinstance(part, Combination):
        if identifier is None or part.operator != "cover-all":
            hint = "before an atom stands `while each{i, j}:`; a time of its own is `event k: cover-all{i, j}`"
            raise MisplacedError("this time says nothing by itself", part.span, hint)
        return HullLiteral(identifier, part, span)
    if kind is not None:
        hint = "leave it out: `w: Range 1h`"
        raise MisplacedError(f"a window is neither an event nor a state, found '{kind}'", span, hint)
    return WindowLiteral(part, identifier, span)


def _at_most_if_bare(specification: Specification) -> Specification:
    """Reads `within 1 min` as at most that, where the paper has exactly that (ERR-58)."""
    match specification:
        case Limit():
            return replace(specification, operator="<=") if specification.bare else specification
        case AllLimits() | AnyLimit():
            return replace(specification, parts=tuple(map(_at_most_if_bare, specification.parts)))


def _units(word: str) -> str:
    """Returns what can stand after a number, instead of a word."""
    meant = misspelt(word, (*UNITS, *_MILLIMETRES))
    if meant is not None:
        return f"did you mean `{meant}`?"
    times, lengths = ", ".join(canonical_units()), ", ".join(_MILLIMETRES)
    return f"units of time are {times}, of length {lengths}; events are counted by `event: {word}()`"


def _read_length(text: str) -> Length:
    total = 0.0
    for number, unit in _LENGTH.findall(text):
        total += float(number) * _MILLIMETRES[unit]
    if total != round(total) or total > 1e15:
        raise LiteralError(f"the length {text} is not a whole number of millimetres")
    return Length(round(total))
