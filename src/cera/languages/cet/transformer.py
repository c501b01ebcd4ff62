"""From Lark's tree of one item to the nodes of `syntax`, each with its place in the source."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import cast

from lark import Token, Tree

from cera.diagnostics import Diagnostic, Span
from cera.instances.types import ConsumptionName, Delimiter, OperatorName, SelectionName
from cera.languages.cet.mistakes import CODES
from cera.languages.cet.modes import ModeChoice, read_modes
from cera.languages.cet.syntax import (
    Complex,
    Definition,
    EventDeclaration,
    Head,
    Item,
    Mode,
    Operand,
    TimeName,
    Timer,
)
from cera.languages.expressions.transformer import ExpressionTransformer
from cera.languages.text.items import Place
from cera.languages.text.nodes import EventType, Field, Identifier, Kind, Partition
from cera.model.expressions.expression import (
    Aggregate,
    And,
    Expression,
    Variable,
)
from cera.model.time.durations import Duration
from cera.modules.monitoring import PREFIXES

_KINDS = {spelling: cast(Kind, kind) for kind, short in PREFIXES.items() for spelling in (kind, short)}
_OPERATORS: dict[str, OperatorName] = {"∧": "and", "∨": "or", "¬": "not"}

#: Counts that are larger mean nothing, and are read without trouble.
_MOST_DIGITS = 9


def transform(tree: Tree[Token], place: Place) -> tuple[Item | None, list[Diagnostic]]:
    """Returns the item of a tree, or None and its errors."""
    return ItemTransformer(place, CODES).item(tree)


@dataclass(frozen=True)
class _Operator:
    name: OperatorName
    required: int | None
    span: Span


@dataclass(frozen=True)
class _PlacedDelimiter:
    """A delimiter with its place."""

    delimiter: Delimiter
    span: Span


@dataclass(frozen=True)
class _Alias:
    name: Identifier
    fields: tuple[Field, ...] | None = None


@dataclass(frozen=True)
class Where:
    condition: Expression
    span: Span


@dataclass(frozen=True)
class Limit:
    duration: Duration
    span: Span


class ItemTransformer(ExpressionTransformer):
    def event(self, span: Span, name: Token, *rest: Token | EventType | None) -> EventDeclaration:
        *attributes, type_ = rest
        own = self._identifier(name)
        primitive = type_ if isinstance(type_, EventType) else EventType(None, own.name, own.span)
        names = tuple(self._label(each) for each in attributes if isinstance(each, Token))
        return EventDeclaration(own, primitive, names, span)

    def partition(self, span: Span, attribute: Token) -> Partition:
        return Partition(self._label(attribute), span)

    def change_type(self, span: Span, kind: Token, name: Token) -> EventType:
        return EventType(_KINDS[kind], self._label(name), span)

    def label_type(self, span: Span, name: Token) -> EventType:
        return EventType(None, self._label(name), span)

    def definition(self, span: Span, name: Token, *rest: Mode | _PlacedDelimiter | Complex | Head | None) -> Definition:
        *modes, type_, head = rest
        assert isinstance(type_, Complex)
        assert head is None or isinstance(head, Head)
        own = self._identifier(name)
        for counted in modes:
            if isinstance(counted, _PlacedDelimiter):
                message = f"a delimiter counts the instances of a component, and `{own.name}` is defined here"
                hint = "it stands inside of the brackets: `;((2): E1, E2)`"
                self._problems.append(Diagnostic("CE005", "error", message, counted.span, hint))
        found = self._chosen(modes, component=False, operator=True, what="a definition")
        return Definition(own, _with_modes(type_, found), head, _up_to(span, type_ if head is None else head))

    def timer_definition(self, span: Span, name: Token, timer: Timer) -> Definition:
        return Definition(self._identifier(name), timer, None, _up_to(span, timer))

    def once(self, span: Span, after: Token, latest: Token | None, start: Token, stop: Token | None) -> Timer:
        return self._timer(span, after, latest, start, stop, repeats=False)

    def repeating(self, span: Span, after: Token, latest: Token | None, start: Token, stop: Token | None) -> Timer:
        return self._timer(span, after, latest, start, stop, repeats=True)

    def _timer(
        self, span: Span, after: Token, latest: Token | None, start: Token, stop: Token | None, *, repeats: bool
    ) -> Timer:
        end = None if stop is None else self._identifier(stop)
        return Timer(self._duration(after), self._identifier(start), repeats, end, latest is not None, span)

    def complex(self, span: Span, operator: _Operator, *rest: Operand | Where | Limit) -> Complex:
        wheres = [each for each in rest if isinstance(each, Where)]
        limits = [each for each in rest if isinstance(each, Limit)]
        self._only_one("where", [each.span for each in wheres], "connect the conditions by `and`")
        self._only_one("within", [each.span for each in limits], "keep one of the two")
        return Complex(
            operator.name,
            tuple(each for each in rest if isinstance(each, Operand)),
            required=operator.required,
            where=tuple(conjuncts(wheres[0].condition)) if wheres else (),
            within=limits[0].duration if limits else None,
            operator_span=operator.span,
            limit_span=limits[0].span if limits else None,
            span=span,
        )

    def _only_one(self, word: str, places: list[Span], hint: str) -> None:
        for place in places[1:]:
            self._problems.append(Diagnostic(self._codes.unexpected, "error", f"there are two `{word}`", place, hint))

    def operator(self, span: Span, token: Token) -> _Operator:
        return _Operator(_OPERATORS.get(token) or cast(OperatorName, str(token)), None, span)

    def required(self, span: Span, number: Token) -> _Operator:
        return _Operator("of", self._count(number, self._span_of(number)), span)

    def operand(self, span: Span, *rest: Mode | _PlacedDelimiter | Token | Complex | _Alias | None) -> Operand:
        *modes, type_, alias = rest
        nested = isinstance(type_, Complex)
        counts = [each for each in modes if isinstance(each, _PlacedDelimiter)]
        for again in counts[1:]:
            message = "there are two delimiters"
            self._problems.append(Diagnostic("CE005", "error", message, again.span, "keep one of the two"))
        what = "this type" if nested else f"`{type_}`"
        found = self._chosen(modes, component=True, operator=nested, what=what)
        return Operand(
            _with_modes(type_, found) if isinstance(type_, Complex) else self._identifier(cast(Token, type_)),
            cast(SelectionName, found.values.get("selection", "last")),
            cast(ConsumptionName, found.values.get("inside", "exclusive parameter")),
            cast(ConsumptionName, found.values.get("outside", "exclusive parameter")),
            counts[0].delimiter if counts else None,
            alias.name if isinstance(alias, _Alias) else None,
            alias.fields if isinstance(alias, _Alias) else None,
            tuple(each for each in modes if isinstance(each, Mode)),
            span,
        )

    def mode(self, span: Span, token: Token) -> Mode:
        return Mode(" ".join(token.split()), span)

    def delimiter(self, span: Span, token: Token) -> _PlacedDelimiter:
        least, dash, most = (part.strip() for part in token.partition("-"))
        place = self._span_of(token)
        lower = self._count(least, place) if least else 0
        upper = self._count(most, place) if most else None if dash else lower
        return _PlacedDelimiter(Delimiter(lower, upper), span)

    def alias(self, _: Span, name: Token) -> _Alias:
        return _Alias(self._identifier(name))

    def alias_with_fields(self, _: Span, name: Token, *fields: Field | None) -> _Alias:
        return _Alias(self._identifier(name), tuple(field for field in fields if field is not None))

    def where(self, span: Span, condition: Expression) -> Where:
        return Where(condition, span)

    def limit(self, span: Span, duration: Token) -> Limit:
        return Limit(self._duration(duration), span)

    def bare_head(self, span: Span, label: Token) -> Head:
        return Head(self._label(label), None, span)

    def head(self, span: Span, label: Token, *fields: Field | None) -> Head:
        return Head(self._label(label), tuple(field for field in fields if field is not None), span)

    def field(self, span: Span, name: Token, expression: Expression) -> Field:
        return Field(self._label(name), expression, span)

    def unnamed_field(self, span: Span, expression: Expression) -> Field:
        """Reads `E1.sensor` as `sensor: E1.sensor`, and `count(E1)` as `count: count(E1)`."""
        match expression:
            case Variable():
                return Field(expression.name.partition(".")[2], expression, span)
            case Aggregate():
                return Field(expression.function, expression, span)
            case _:
                message, hint = "this field has no name", f"write for example `name: {span.text}`"
                self._problems.append(Diagnostic(self._codes.unexpected, "error", message, span, hint))
                return Field("", expression, span)

    def _chosen(self, modes: Iterable[object], *, component: bool, operator: bool, what: str) -> ModeChoice:
        written = [mode for mode in modes if isinstance(mode, Mode)]
        found = read_modes(written, component=component, operator=operator, what=what)
        self._problems += found.problems
        return found

    def _count(self, text: str, place: Span) -> int:
        if len(text.lstrip("0")) > _MOST_DIGITS:
            self._problems.append(
                Diagnostic(self._codes.bad_literal, "error", "this number is too large for a count", place)
            )
            return 1
        return int(text)


def _with_modes(type_: Complex, found: ModeChoice) -> Complex:
    return replace(
        type_,
        overlapping=found.values.get("concurrency", "overlapping") == "overlapping",
        continuous=found.values.get("coupling") == "continuous",
        right_to_left=found.values.get("traversal") == "right-to-left",
        time=cast(TimeName, found.values.get("time", "end")),
    )


def conjuncts(condition: Expression) -> Iterable[Expression]:
    if isinstance(condition, And):
        for operand in condition.operands:
            yield from conjuncts(operand)
    else:
        yield condition


def _up_to(span: Span, last: Complex | Timer | Head) -> Span:
    """Returns the span without the semicolon: a comment before that is not inside of the definition."""
    return span if last.span is None else replace(span, end=last.span.end)
