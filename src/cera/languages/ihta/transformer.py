"""From Lark's tree of one item to the nodes of `syntax`, each with its place in the source.

What `b(j)` is depends on where it stands: beside an operator it is a time, alone it is an event query.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from lark import Token, Tree

from cera.automata.automaton import Constant, Declaration, EventQuery, Reference, Value
from cera.diagnostics import Diagnostic, Span
from cera.languages.ihta.mistakes import CODES
from cera.languages.ihta.pattern_queries import PatternQueryTransformer
from cera.languages.ihta.syntax import (
    NOW,
    Arrow,
    AutomatonText,
    Block,
    Header,
    Invariant,
    Item,
    LabelText,
    Names,
    Nested,
    Role,
    Schema,
    Use,
)
from cera.languages.text.items import Place
from cera.languages.text.nodes import Identifier
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import And, Call, Comparison, EventReference, Expression, Not, Or, Variable

#: A number that begins with a zero is a string: 007.
_CODE = re.compile("0[0-9]+")
#: The functions of constraints, whose argument is an identifier.
FUNCTIONS = ("b", "e", "finishedInstances", "allInstances")


def transform(tree: Tree[Token], place: Place) -> tuple[Item | None, list[Diagnostic]]:
    """Returns the item of a tree, or None and its errors."""
    return ItemTransformer(place, CODES).item(tree)


def transform_label(tree: Tree[Token], place: Place) -> tuple[LabelText | None, list[Diagnostic]]:
    """Returns the label of a tree, or None and its errors."""
    return ItemTransformer(place, CODES).item(tree)


@dataclass(frozen=True)
class _Word:
    name: str
    span: Span


@dataclass(frozen=True)
class _Called:
    label: str
    quoted: bool
    arguments: tuple[Any, ...]
    span: Span


@dataclass(frozen=True)
class _Declared:
    declaration: Declaration
    span: Span


@dataclass(frozen=True)
class _Named:
    identifier: Identifier
    part: Any
    span: Span


@dataclass(frozen=True)
class _Negated:
    part: Any
    span: Span


def _has_attributes(called: _Called) -> bool:
    return bool(called.arguments) and all(isinstance(each, _Called) for each in called.arguments)


class ItemTransformer(PatternQueryTransformer):
    def automaton(self, span: Span, *parts: Any) -> AutomatonText:
        *strict, header, block = parts
        return AutomatonText(header, block, bool(strict), span)

    def use(self, span: Span, path: Token) -> Use:
        return Use(self._string(path), span)

    def block(self, span: Span, *members: Any) -> Block:
        return Block(members, span=span)

    def opaque(self, span: Span, *members: Any) -> Block:
        return Block(members, is_opaque=True, span=span)

    def names(self, span: Span, *parts: Token) -> Names:
        names = tuple(self._identifier(part) for part in parts if part.type != "ROLE")
        return Names(self._roles(parts), names, span)

    def state(self, span: Span, *parts: Any) -> Nested:
        roles = [part for part in parts if isinstance(part, Token)]
        identifier, header, *block = [part for part in parts if not isinstance(part, Token)]
        return Nested(self._roles(roles), identifier, header, block[0] if block else None, span)

    def identifier(self, _: Span, name: Token) -> Identifier:
        return self._identifier(name)

    def _roles(self, parts: Any) -> tuple[Role, ...]:
        found = {str(part) for part in parts if part.type == "ROLE"}
        return tuple(role for role in cast("tuple[Role, ...]", ("start", "end")) if role in found)

    def header(self, span: Span, name: Token, *attributes: Any) -> Header:
        return Header(str(name), tuple(each for each in attributes if each is not None), span)

    def parameter(self, span: Span, name: Token, part: Any) -> tuple[str, Constant | Reference]:
        value = self._attribute_value(part)
        if isinstance(value, Declaration):
            self._misplaced("a state declares no variables", span, "write the variable without `*`")
            return str(name), Reference(value.variable)
        return str(name), value

    def enter(self, _: Span, __: Token) -> None:
        return None

    def place(self, _: Span, name: Token) -> Identifier:
        return self._identifier(name)

    def transition(self, span: Span, source: Identifier | None, target: Identifier, label: LabelText) -> Arrow:
        return Arrow(source, target, label, span)

    def invariant(self, span: Span, state: Identifier, condition: Any) -> Invariant:
        return Invariant(state, tuple(map(self._comparison, self._conjuncts(condition))), span)

    def schema(self, span: Span, *queries: Any) -> Schema:
        return Schema(tuple(map(self._query, queries)), span)

    # Labels

    def label(self, span: Span, part: Any) -> LabelText:
        query: EventQuery | None = None
        negated = False
        identifier: Identifier | None = None
        conditions: list[Expression] = []
        for each in self._conjuncts(part):
            if isinstance(each, Comparison):
                conditions.append(each)
                continue
            if query is not None:
                hint = "a label has one event query; a second event needs a second transition"
                self._misplaced("a label has one event query", each.span, hint)
            at = each
            if isinstance(at, _Negated):
                negated, at = True, at.part
            if isinstance(at, _Named):
                identifier, at = at.identifier, at.part
            if isinstance(at, _Negated) and identifier is None:
                self._misplaced("`not` stands twice", at.span, "write it once, or leave it out")
                continue
            if isinstance(at, _Negated):
                hint = "an event that does not happen has no name"
                self._misplaced("an identifier stands before an absent event", at.span, hint)
                continue
            query = self._query(at)
        if negated and identifier is not None:
            hint = "an event that does not happen has no name"
            self._misplaced("an identifier stands before an absent event", identifier.span, hint)
        return LabelText(query, negated, identifier, tuple(conditions), span)

    def _conjuncts(self, part: Any) -> Iterator[Any]:
        if isinstance(part, And):
            for each in part.operands:
                yield from self._conjuncts(each)
        elif isinstance(part, Or):
            hint = "what may happen in several ways is several transitions between the same states"
            self._misplaced("a label has no `or`", part.span, hint)
        else:
            yield part

    def _comparison(self, part: Any) -> Expression:
        if isinstance(part, Comparison):
            return part
        self._misplaced("expected a comparison", part.span, "write a bound on time: now - e(last) <= 1h")
        return expressions.Literal(True)

    def _query(self, part: Any) -> EventQuery:
        match part:
            case _Called():
                return EventQuery(part.label, tuple(self._attributes(part)), span=part.span)
            case _Word():
                return EventQuery(part.name, span=part.span)
            case Variable():
                return EventQuery(part.name, span=part.span)
            case EventQuery():
                return part
            case _:
                hint = "write an event such as bid(itemID(I)), or a constraint such as now - e(last) >= 30s"
                self._misplaced("expected an event or a comparison", part.span, hint)
                return EventQuery("")

    def _attributes(self, called: _Called) -> Iterator[tuple[tuple[str, ...], Value]]:
        for argument in called.arguments:
            if not isinstance(argument, _Called):
                hint = f"values stand in attributes: {called.label}(attribute(X))"
                self._misplaced("an event has attributes, found a value", argument.span, hint)
            elif len(argument.arguments) != 1 and not _has_attributes(argument):
                hint = f"write {argument.label}(X); several values are several attributes"
                self._misplaced("an attribute has one value", argument.span, hint)
            elif len(argument.arguments) == 1 and not isinstance(argument.arguments[0], _Called):
                yield (argument.label,), self._attribute_value(argument.arguments[0])
            else:
                for path, value in self._attributes(argument):
                    yield (argument.label, *path), value

    def _attribute_value(self, part: Any) -> Value:
        match part:
            case _Declared():
                return part.declaration
            case Variable():
                return Reference(part.name)
            case _Word():
                return Constant(part.name)
            case expressions.Literal():
                return Constant(part.value)
            case _:
                hint = "in an attribute stands a variable, one that is declared (X*), or a constant"
                self._misplaced("an attribute has one value", part.span, hint)
                return Constant("")

    # Parts of expressions

    def and_(self, span: Span, *parts: Any) -> And:
        return And(parts, span)

    def or_(self, span: Span, *parts: Any) -> Or:
        return Or(parts, span)

    def not_(self, span: Span, part: Any) -> Any:
        return Not(part, span) if isinstance(part, Comparison) else _Negated(part, span)

    def prefixed(self, span: Span, name: Token, part: Any) -> _Named:
        return _Named(self._identifier(name), part, span)

    def parenthesised(self, span: Span, part: Any) -> Any:
        return part

    def comparison(self, span: Span, left: Any, operator: Token, right: Any) -> Comparison:
        return super().comparison(span, self._value(left), operator, self._value(right))

    def arithmetic(self, span: Span, left: Any, operator: Token, right: Any) -> expressions.Arithmetic:
        return super().arithmetic(span, self._value(left), operator, self._value(right))

    def negative(self, span: Span, sign: Token, operand: Any) -> Expression:
        return super().negative(span, sign, self._value(operand))

    def number(self, span: Span, token: Token) -> expressions.Literal:
        return expressions.Literal(str(token), span) if _CODE.fullmatch(token) else super().number(span, token)

    def reference(self, span: Span, token: Token) -> _Word:  # type: ignore[override]
        return _Word(str(token), span)

    def variable(self, span: Span, token: Token) -> Variable:
        return Variable(str(token), span)

    def declared(self, span: Span, token: Token, memory: Token | None) -> _Declared:
        words = str(token).removesuffix("*").split()
        return _Declared(self._declaration(span, words[-1], memory, unique=len(words) > 1), span)

    def call(self, span: Span, label: Token, *arguments: Any) -> _Called:  # type: ignore[override]
        given = tuple(each for each in arguments if each is not None)
        return _Called(self._label(label), label.type == "STRING", given, span)

    def _value(self, part: Any) -> Expression:
        match part:
            case _Word() if part.name == NOW:
                return EventReference(NOW, part.span)
            case _Word():
                return expressions.Literal(part.name, part.span)
            case _Called() if part.label in FUNCTIONS:
                return self._function(part)
            case _Called() | _Declared() | _Named() | _Negated() | EventQuery():
                known = ", ".join(f"{name}(…)" for name in FUNCTIONS)
                self._misplaced(
                    "expected a value", part.span, f"in a constraint stand now, {known}, variables, numbers"
                )
                return expressions.Literal(0)
            case _:
                return cast(Expression, part)

    def _function(self, called: _Called) -> Expression:
        is_time = called.label in ("b", "e")
        example = "an event: e(this), e(last), e(j)" if is_time else f"a state with an identifier: {called.label}(b)"
        found: list[Expression] = []
        for part in called.arguments:
            if isinstance(part, _Word):
                found.append(EventReference(part.name, part.span))
            else:
                self._misplaced("expected an identifier", part.span, f"write {example}; they begin with a small letter")
        if len(called.arguments) != 1:
            self._misplaced(f"`{called.label}` has one argument", called.span, f"write {example}")
        return Call(called.label, tuple(found) or (EventReference("", called.span),), called.span)
