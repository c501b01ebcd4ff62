"""From Lark's tree of one item to the nodes of `syntax`, each with its place in the source."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from lark import Token, Tree

from cera.diagnostics import Diagnostic, Span
from cera.languages.epl.mistakes import CODES
from cera.languages.epl.syntax import (
    Action,
    AnyEvent,
    Basic,
    Conjunction,
    Context,
    Declaration,
    Disjunction,
    Event,
    First,
    Granularity,
    Head,
    Monitor,
    Negation,
    Prior,
    Relation,
    RelaxedSequence,
    Rule,
    Sequence,
    Sql,
    Star,
    System,
    Unit,
    Within,
    Write,
)
from cera.languages.expressions.transformer import ExpressionTransformer
from cera.languages.text.items import Place
from cera.languages.text.nodes import SHORT_KINDS, EventType, Field, Identifier, Kind, Partition
from cera.model.expressions.expression import Aggregate, Call, Expression, Literal, Variable

_KINDS: dict[str, Kind] = {spelling: kind for kind, short in SHORT_KINDS.items() for spelling in (kind, short)}

Item = Identifier | Declaration | Rule


def transform(tree: Tree[Token], place: Place) -> tuple[Item | None, list[Diagnostic]]:
    """Returns the item of a tree, or None and its errors."""
    return ItemTransformer(place, CODES).item(tree)


@dataclass(frozen=True)
class _File:
    path: str


class ItemTransformer(ExpressionTransformer):
    def beginning(self, _: Span, name: Token) -> Identifier:
        return self._identifier(name)

    def monitor(self, span: Span, *types: EventType) -> Monitor:
        return Monitor(types, span)

    def relation(self, span: Span, name: Token, *attributes: Token) -> Relation:
        return Relation(self._label(name), tuple(map(self._label, attributes)), span)

    def granularity(self, span: Span, unit: Token) -> Granularity:
        return Granularity(cast(Unit, str(unit)), span)

    def partition(self, span: Span, attribute: Token) -> Partition:
        return Partition(self._label(attribute), span)

    def change_type(self, span: Span, kind: Token, name: Token) -> EventType:
        return EventType(_KINDS[kind], self._label(name), span)

    def label_type(self, span: Span, name: Token) -> EventType:
        return EventType(None, self._label(name), span)

    def rule(
        self,
        span: Span,
        name: Identifier,
        event: Event,
        context: Context | None,
        head: Head | None,
        action: Action | None,
    ) -> Rule:
        return Rule(name, event, context or "unrestricted", head, action, span)

    def names(self, span: Span, *words: Token) -> Identifier:
        if len(words) > 1:
            message = f"the name of a rule is one word, and `{' '.join(words)}` are {len(words)}"
            hint = f"write `{''.join(words)}:`"
            self._problems.append(Diagnostic("EP001", "error", message, span, hint))
        return Identifier("".join(words), span)

    def context(self, _: Span, name: Token) -> Context:
        return cast(Context, str(name))

    def head(self, span: Span, label: Token, *fields: Field | None) -> Head:
        return Head(self._label(label), tuple(field for field in fields if field is not None), span)

    def field(self, span: Span, name: Token, expression: Expression) -> Field:
        return Field(self._label(name), expression, span)

    def unnamed_field(self, span: Span, expression: Expression) -> Field:
        """Reads `X.Owner` as `Owner: X.Owner`."""
        if not isinstance(expression, Variable):
            message, hint = "this field has no name", f"write for example `name: {span.text}`"
            self._problems.append(Diagnostic("EP001", "error", message, span, hint))
            return Field("", expression, span)
        return Field(expression.name.partition(".")[2], expression, span)

    def change(
        self, span: Span, kind: Token, name: Token, variable: Identifier | None, *conditions: Expression
    ) -> Basic:
        type_span = self._place(cast(int, kind.start_pos), cast(int, name.end_pos))
        return Basic(EventType(_KINDS[kind], self._label(name), type_span), variable, conditions, span)

    def labelled(self, span: Span, name: Token, variable: Identifier | None, *conditions: Expression) -> Basic:
        return Basic(EventType(None, self._label(name), self._span_of(name)), variable, conditions, span)

    def variable(self, span: Span, token: Token) -> Identifier:
        return Identifier(str(token), span)

    def any_event(self, span: Span) -> AnyEvent:
        return AnyEvent(span)

    def sequence(self, span: Span, *events: Event) -> Event:
        """Reads a sequence; one event in parentheses is the event itself."""
        return Sequence(events, span) if len(events) > 1 else replace(events[0], span=span)

    def relaxed(self, span: Span, *events: Event) -> Event:
        return RelaxedSequence(events, span) if len(events) > 1 else replace(events[0], span=span)

    def disjunction(self, span: Span, *events: Event) -> Event:
        return Disjunction(events, span) if len(events) > 1 else replace(events[0], span=span)

    def conjunction_of(self, span: Span, *events: Event) -> Conjunction:
        return Conjunction(events, span)

    def follows(self, span: Span, *events: Event) -> Prior:
        return Prior(events, span)

    def prior(self, span: Span, *events: Event) -> Prior:
        return Prior(events, span)

    def first(self, span: Span, event: Event) -> First:
        return First(event, span)

    def negation(self, span: Span, event: Event) -> Negation:
        return Negation(event, span)

    def star(self, span: Span, event: Event) -> Star:
        return Star(event, span)

    def within(self, span: Span, event: Event, duration: Token) -> Within:
        return Within(event, self._duration(duration), span)

    def write(self, span: Span, file: _File | None, text: Token, *arguments: Expression) -> Write:
        return Write(self._string(text), arguments, None if file is None else file.path, span)

    def file(self, _: Span, path: Token) -> _File:
        return _File(self._string(path))

    def sql(self, span: Span, command: Token, *arguments: Expression) -> Sql:
        return Sql(self._string(command), arguments, span)

    def system(self, span: Span, command: Token, *arguments: Expression) -> System:
        return System(self._string(command), arguments, span)

    def reference(self, span: Span, token: Token) -> Expression:
        """Rejects a word that is neither a string nor an attribute: `Type = Savings`, `X = Y`."""
        message = f"`{token}` is not a value"
        hint = f'a string is written in quotes, "{token}"; a variable stands with an attribute, as in X.Accno'
        self._problems.append(Diagnostic("EP004", "error", message, span, hint))
        return Literal(0, span)

    def call(self, span: Span, function: Token, *arguments: Expression | None) -> Call | Aggregate:
        return Call(str(function), tuple(argument for argument in arguments if argument is not None), span)
