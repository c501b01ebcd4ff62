"""From Lark's tree of one item to the nodes of `syntax`, each with its place in the source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lark import Token, Tree

from cera.diagnostics import Diagnostic, Span
from cera.languages.text.items import Place
from cera.languages.text.mistakes import Codes
from cera.languages.xchangeeq.syntax import (
    AbsoluteTimerLiteral,
    CalendarsDirective,
    Conjunction,
    DetectHead,
    Disjunction,
    EventLiteral,
    Head,
    Identifier,
    Item,
    Query,
    RaiseHead,
    RelationDirective,
    RelationLiteral,
    RelativeTimerLiteral,
    RuleSyntax,
    SemanticsDirective,
    SourceDirective,
    StateLiteral,
    WhileLiteral,
)
from cera.languages.xchangeeq.term_transformer import TermTransformer, timer_query
from cera.model.expressions.constructs import Construct
from cera.model.expressions.expression import Expression
from cera.model.matching.patterns import Pattern, TermPattern
from cera.model.time.timers import SYNONYMS
from cera.rules.declarations import Attribute, RelationDeclaration, SourceLabel

CODES = Codes("XC001", "XC002", "XC004")

Conditions = tuple[Expression, ...]


def transform(tree: Tree[Token], place: Place) -> tuple[Item | None, list[Diagnostic]]:
    """Returns the item of a tree, or None and its errors."""
    return ItemTransformer(place, CODES).item(tree)


class ItemTransformer(TermTransformer):
    def rule(self, span: Span, head: Head, query: Query) -> RuleSyntax:
        return RuleSyntax(head, query, span)

    def detect_head(self, span: Span, construct: Construct) -> DetectHead:
        return DetectHead(construct, span)

    def raise_head(self, span: Span, recipient: str, transport: str | None, construct: Construct) -> RaiseHead:
        return RaiseHead(recipient, transport, construct, span)

    def raise_head_transport_first(self, span: Span, transport: str, recipient: str, head: Construct) -> RaiseHead:
        return RaiseHead(recipient, transport, head, span)

    def recipient(self, _: Span, token: Token) -> str:
        return self._string(token)

    def transport(self, _: Span, token: Token) -> str:
        return self._string(token)

    def semantics(self, span: Span, name: Token) -> SemanticsDirective:
        return SemanticsDirective(str(name), span)

    def source(self, span: Span, *sources: SourceLabel) -> SourceDirective:
        return SourceDirective(sources, span)

    def source_label(self, span: Span, label: Token, attributes: tuple[Attribute, ...] | None) -> SourceLabel:
        return SourceLabel(self._label(label), attributes, span)

    def attributes(self, _: Span, *attributes: Attribute) -> tuple[Attribute, ...]:
        return attributes

    def plain_attribute(self, span: Span, name: Token, kind: Token | None) -> Attribute:
        return Attribute(self._label(name), None if kind is None else str(kind), span=span)

    def nested_attribute(self, span: Span, name: Token, children: tuple[Attribute, ...]) -> Attribute:
        return Attribute(self._label(name), children=children, span=span)

    def calendars(self, span: Span, path: Token) -> CalendarsDirective:
        return CalendarsDirective(self._string(path), span)

    def relation(
        self,
        span: Span,
        named: SourceLabel,
        source: Token | None,
        refresh: Token | None,
        valid: tuple[str, ...] | None,
    ) -> RelationDirective:
        declared = RelationDeclaration(
            named.label,
            named.attributes,
            None if source is None else self._string(source),
            None if refresh is None else self._duration(refresh),
            None if valid is None else valid[0],
            () if valid is None else valid[1:],
            span,
        )
        return RelationDirective(declared, span)

    def valid_from(self, _: Span, *attributes: Token | None) -> tuple[str, ...]:
        """Returns the attribute with the times, and then those of the key, if there is one."""
        return tuple(self._label(attribute) for attribute in attributes if attribute is not None)

    def conjunction(self, span: Span, *parts: Any) -> Conjunction:
        return Conjunction(*_queries_and_conditions(parts), span)

    def disjunction(self, span: Span, *parts: Any) -> Disjunction:
        return Disjunction(*_queries_and_conditions(parts), span)

    def event_literal(
        self, span: Span, identifier: Identifier | None, pattern: Pattern, where: Conditions | None
    ) -> EventLiteral:
        return EventLiteral(identifier, pattern, where or (), span)

    def relation_literal(
        self, span: Span, identifier: Identifier | None, pattern: Pattern, where: Conditions | None
    ) -> RelationLiteral:
        return RelationLiteral(identifier, pattern, where or (), span)

    def state_literal(
        self, span: Span, identifier: Identifier | None, pattern: Pattern, where: Conditions | None
    ) -> StateLiteral:
        return StateLiteral(identifier, pattern, where or (), span)

    def absolute_literal(
        self, span: Span, identifier: Identifier | None, pattern: TermPattern, where: Conditions | None
    ) -> AbsoluteTimerLiteral:
        return AbsoluteTimerLiteral(identifier, timer_query(pattern), where or (), span)

    def relative_timer(
        self,
        span: Span,
        identifier: Identifier | None,
        kind: Token,
        anchor: Identifier,
        duration: Token,
        where: Conditions | None,
    ) -> RelativeTimerLiteral | Conjunction:
        """Reads a timer. Conditions after it are those of the conjunction that consists of it."""
        name = SYNONYMS[kind.removeprefix("timer:")]
        timer = RelativeTimerLiteral(identifier, name, anchor, self._duration(duration), span)
        return timer if where is None else Conjunction((timer,), where, span)

    def while_literal(
        self, span: Span, window: Identifier, kind: Token, pattern: Pattern, where: Conditions | None
    ) -> WhileLiteral:
        return WhileLiteral(window, kind.type == "NOT_EVENT", pattern, where or (), span)

    def while_state(
        self, span: Span, window: Identifier, kind: Token, pattern: Pattern, where: Conditions | None
    ) -> WhileLiteral:
        return WhileLiteral(window, kind.type == "NOT_EVENT", pattern, where or (), span, of_states=True)

    def identifier(self, span: Span, name: Token) -> Identifier:
        return Identifier(str(name), span)

    def where(self, _: Span, *conditions: Expression) -> Conditions:
        return conditions


def _queries_and_conditions(parts: Sequence[Any]) -> tuple[tuple[Query, ...], Conditions]:
    """Splits off the last part, the conditions after `where`, if there are any."""
    *queries, where = parts
    return tuple(queries), where or ()
