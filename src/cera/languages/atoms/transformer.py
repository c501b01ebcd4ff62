"""From Lark's tree to atoms, windows, values and declarations, as the languages of atoms have them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from lark import Token

from cera.diagnostics import Diagnostic, Span
from cera.languages.atoms import parts as raw
from cera.languages.atoms.parts import Braces, Distinct, MisplacedError, Part, Term, Word
from cera.languages.atoms.syntax import Origin, Relation
from cera.languages.expressions.transformer import ExpressionTransformer
from cera.model.expressions import expression as expressions
from cera.model.expressions.atoms import Between, Now, Sliding, Unbounded
from cera.model.expressions.expression import Comparison, DateTime, Negative, Temporal, Variable, Within
from cera.rules.declarations import Attribute

T = TypeVar("T")

OPERATORS = {"≠": "!=", "≤": "<=", "≥": ">=", "==": "=", "<>": "!=", "·": "*", "×": "*"}

#: A number that begins with a zero is a string: 007.
_CODE = re.compile("0[0-9]+")
NOTHING: expressions.Expression = expressions.Literal(0)


class AtomTransformer(ExpressionTransformer):
    """Methods give `Part`s; what they are is decided where they stand."""

    # Declarations

    def origin(self, span: Span, text: Token) -> Origin:
        return Origin(self._string(text), span)

    def relation(
        self,
        span: Span,
        name: Token,
        attributes: tuple[Attribute, ...] | None,
        source: Token | None,
        refresh: Token | None,
        valid_from: str | None,
        versions_of: tuple[str, ...] | None,
    ) -> Relation:
        return Relation(
            self._label(name),
            attributes,
            None if source is None else self._string(source),
            None if refresh is None else self._duration(refresh),
            valid_from,
            versions_of or (),
            span,
        )

    def columns(self, _: Span, *names: str) -> tuple[str, ...]:
        return names

    def attributes(self, _: Span, *attributes: Attribute | None) -> tuple[Attribute, ...]:
        return tuple(each for each in attributes if each is not None)

    def attribute(self, span: Span, name: Token, kind: Token | None = None) -> Attribute:  # type: ignore[override]
        return Attribute(self._label(name), None if kind is None else str(kind), span=span)

    def column(self, _: Span, name: Token) -> str:
        return self._label(name)

    # Conditions and values

    def comparison(self, span: Span, left: Part, operator: Token, right: Part) -> Comparison:
        return super().comparison(span, self._value(left), operator, self._value(right))

    def temporal(self, span: Span, left: Part, relation: Token, right: Part) -> Temporal:
        return Temporal(str(relation), self._interval(left), self._interval(right), span)

    def within(self, span: Span, intervals: Part, duration: Part) -> Within:
        parts = intervals.parts if isinstance(intervals, Braces) else (intervals,)
        return Within(tuple(map(self._interval, parts)), self._value(duration), span)

    def arithmetic(self, span: Span, left: Part, operator: Token, right: Part) -> expressions.Arithmetic:
        sign = Token.new_borrow_pos(operator.type, OPERATORS.get(operator, str(operator)), operator)
        return super().arithmetic(span, self._value(left), sign, self._value(right))

    def negative(self, span: Span, sign: Token, operand: Part) -> expressions.Expression:
        number = self._value(operand)
        if isinstance(number, expressions.Literal) and isinstance(number.value, str):
            return Negative(number, span)
        return super().negative(span, sign, number)

    def number(self, span: Span, token: Token) -> expressions.Literal:
        if _CODE.fullmatch(token):
            return expressions.Literal(str(token), span)
        return super().number(span, token)

    def reference(self, span: Span, token: Token) -> Word:  # type: ignore[override]
        return Word(str(token), span)

    def variable(self, span: Span, token: Token) -> Variable:
        return Variable(str(token), span)

    def call(self, span: Span, label: Token, *arguments: Part | None) -> Term:  # type: ignore[override]
        given = tuple(each for each in arguments if each is not None)
        return Term(self._label(label), label.type == "STRING", given, span)

    def distinct(self, span: Span, _: Token, part: Part) -> Distinct:
        return Distinct(part, span)

    def datetime(self, span: Span, *texts: Token | None) -> DateTime:
        return DateTime(tuple(self._string(text) for text in texts if text is not None), span=span)

    # Windows and timers

    def unbounded(self, span: Span, _: Token) -> Unbounded:
        return Unbounded(span)

    def now(self, span: Span, _: Token) -> Now:
        return Now(span)

    def sliding(self, span: Span, length: Token, slide: Token | None) -> Sliding:
        return Sliding(self._duration(length), None if slide is None else self._duration(slide), span)

    def between(self, span: Span, begin: Part, end: Part) -> Between:
        return Between(self._value(begin), self._value(end), span)

    def braces(self, span: Span, *parts: Part) -> Braces:
        return Braces(parts, span)

    def group_by(self, _: Span, *variables: Token | None) -> tuple[str, ...]:
        return tuple(str(each) for each in variables if each is not None)

    # Parts that are what is expected, or a mistake

    def _value(self, part: Part) -> expressions.Expression:
        return self._tried(raw.value, part, NOTHING)

    def _interval(self, part: Part) -> expressions.Expression:
        return self._tried(raw.interval, part, NOTHING)

    def _tried(self, reader: Callable[[Any], T], part: Any, instead: T) -> T:
        try:
            return reader(part)
        except MisplacedError as error:
            self._misplaced(error)
            return instead

    def _misplaced(self, error: MisplacedError) -> None:
        self._problems.append(Diagnostic(self._codes.unexpected, "error", str(error), error.span, error.hint))
