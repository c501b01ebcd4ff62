"""From Lark's tree of one item to the nodes of `syntax`, each with its place in the source."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import cast

from lark import Token, Tree

from cera.diagnostics import Diagnostic, Span
from cera.languages.cet.syntax import Head
from cera.languages.cet.transformer import ItemTransformer, Limit, Where, conjuncts
from cera.languages.snoop.mistakes import CODES
from cera.languages.snoop.syntax import (
    Context,
    Definition,
    Event,
    Item,
    Kind,
    Mark,
    Operand,
    Operation,
    TypeName,
    levels,
)
from cera.languages.text.items import Place
from cera.languages.text.nodes import Identifier

#: The deepest nesting of operators, where a chain is a tree to the left.
MOST_LEVELS = 100


def transform(tree: Tree[Token], place: Place) -> tuple[Item | None, list[Diagnostic]]:
    """Returns the item of a tree, or None and its errors."""
    return DefinitionTransformer(place, CODES).item(tree)


@dataclass(frozen=True)
class _Part:
    """An operand, and the context that stands at its beginning."""

    operand: Operand
    context: Token | None
    span: Span


@dataclass(frozen=True)
class _OperandName:
    name: Identifier


class DefinitionTransformer(ItemTransformer):
    def named_event(self, span: Span, name: Token, event: Event, head: Head | None) -> Definition:
        if (found := levels(event)) > MOST_LEVELS:
            message = f"this has {found:,} operators in a row or one inside of the other; there can be {MOST_LEVELS}"
            hint = "give a part of it a definition of its own"
            self._problems.append(Diagnostic("SN001", "error", message, event.span, hint))
        return Definition(self._identifier(name), event, head, span)

    def argument(self, span: Span, part: _Part, *clauses: Where | Limit) -> Operand:
        event = self._governed(part)
        for clause in clauses:
            event = self._with_clause(event, clause)
        return replace(part.operand, event=event, span=span)

    def scope(self, span: Span, part: _Part, *clauses: Where | Limit) -> Event:
        """Reads a definition or a parenthesis."""
        event = self.argument(span, part, *clauses).event
        if part.operand.name is not None or part.operand.mark is not None:
            what = "a name" if part.operand.name is not None else "a sign of SAMOS"
            message, hint = f"{what} stands before an operand, and this is none", "leave it out, or write an operator"
            self._problems.append(Diagnostic("SN001", "error", message, part.span, hint))
        return event

    def _with_clause(self, event: Event, clause: Where | Limit) -> Event:
        word = "where" if isinstance(clause, Where) else "within"
        if isinstance(event, TypeName):
            message = f"`{word}` belongs to an operator, and `{event.name}` is an event by itself"
            hint = f"it stands after the operator: `E1 ; E2 {word} …`"
            self._problems.append(Diagnostic("SN005", "error", message, clause.span, hint))
            return event
        if isinstance(clause, Where):
            return replace(event, where=(*event.where, *conjuncts(clause.condition)))
        if event.within is not None:
            self._problems.append(Diagnostic("SN005", "error", "there are two `within`", clause.span, "keep one"))
        return replace(event, within=clause.duration, limit_span=clause.span)

    def either(self, span: Span, *parts: _Part) -> _Part:
        return self._chained("or", span, parts)

    def follows(self, span: Span, *parts: _Part) -> _Part:
        return self._chained(";", span, parts)

    def both(self, span: Span, *parts: _Part) -> _Part:
        return self._chained("and", span, parts)

    def _chained(self, kind: Kind, span: Span, parts: tuple[_Part, ...]) -> _Part:
        """Reads a chain: `E1 ; E2 ; E3` is (E1 ; E2) ; E3. A context before the first operand is that of the chain."""
        first, *others = parts
        left = first.operand
        for other in others:
            right = replace(other.operand, event=self._governed(other))
            place = _without(first.context, Span(span.source, span.start, other.span.end))
            left = Operand(Operation(kind, (left, right), span=place), span=place)
        return _Part(left, first.context, span)

    def _governed(self, part: _Part) -> Event:
        """Returns the event of the operand in the context that stands before it."""
        event, context = part.operand.event, part.context
        if context is None:
            return event
        name = cast(Context, re.sub(r"\s+", " ", context))
        place = self._span_of(context)
        if isinstance(event, TypeName):
            message = f"`{name}` is a context of operators, and `{event.name}` is an event by itself"
            hint = "it stands before the whole, or before an operator: `recent E1 ; (chronicle E2 ; E3)`"
            self._problems.append(Diagnostic("SN004", "error", message, place, hint))
        elif event.context is not None:
            message = f"two contexts govern this operator, `{name}` and `{event.context}`"
            self._problems.append(Diagnostic("SN004", "error", message, place, "keep one of the two"))
        else:
            return replace(event, context=name)
        return event

    def event_operand(
        self, span: Span, context: Token | None, called: _OperandName | None, mark: Token | None, event: Event
    ) -> _Part:
        sign: Mark | None = None if mark is None else "*" if mark == "*" else "last"
        name = None if called is None else called.name
        return _Part(Operand(event, name, sign, _without(context, span)), context, span)

    def times(self, span: Span, context: Token | None, called: _OperandName | None, _: Token, event: Event) -> _Part:
        name = None if called is None else called.name
        return _Part(Operand(event, name, "times", _without(context, span)), context, span)

    def called(self, _: Span, name: Token) -> _OperandName:
        return _OperandName(self._identifier(name))

    def named(self, span: Span, name: Token) -> TypeName:
        return TypeName(str(name), span)

    def group(self, span: Span, event: Event) -> Event:
        return replace(event, span=span)

    def absent(self, span: Span, inner: Operand, first: Operand, last: Operand) -> Operation:
        return Operation("not", (first, inner, last), span=span)

    def any_of(self, span: Span, number: Token, *operands: Operand) -> Operation:
        return Operation("any", operands, required=self._count(number, self._span_of(number)), span=span)

    def aperiodic(self, span: Span, operator: Token, *operands: Operand) -> Operation:
        return Operation(cast(Kind, str(operator)), operands, span=span)

    def periodically(
        self, span: Span, operator: Token, first: Operand, called: _OperandName | None, every: Token, last: Operand
    ) -> Operation:
        ticks = None if called is None else called.name
        return Operation(cast(Kind, str(operator)), (first, last), every=self._duration(every), ticks=ticks, span=span)


def _without(context: Token | None, span: Span) -> Span:
    """Returns the span without the context at its beginning."""
    if context is None:
        return span
    rest = span.text[len(context) :]
    return Span(span.source, span.end - len(rest.lstrip()), span.end)
