"""From Lark's tree to expressions, and the walk over the tree that all transformers share.

There is one method for each rule of the grammar, by its name: it takes the place of the rule's text and what its parts
have become. A literal without a value (a number too large, a bad regular expression) is reported and replaced by a
harmless one, so that one reading finds them all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar, cast

from lark import Token, Tree

from cera.diagnostics import Diagnostic, Span
from cera.languages.text.items import Place
from cera.languages.text.literals import LiteralError, read_duration, read_number, read_string
from cera.languages.text.mistakes import Codes
from cera.languages.text.nodes import Identifier
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import (
    AGGREGATES,
    Aggregate,
    And,
    Arithmetic,
    ArithmeticOperator,
    Call,
    Comparison,
    ComparisonOperator,
    DurationLiteral,
    EventReference,
    Expression,
    Negative,
    Not,
    Or,
    Variable,
)
from cera.model.terms.term import MAX_DEPTH
from cera.model.terms.values import Scalar
from cera.model.time.durations import Duration

T = TypeVar("T")

_OPERATORS = {"==": "=", "<>": "!=", "≠": "!=", "≤": "<=", "≥": ">="}


class NestingError(Exception):
    """An item is nested too deeply at `tree`."""

    def __init__(self, tree: Tree[Token]) -> None:
        super().__init__(tree.data)
        self.tree = tree


class ExpressionTransformer:
    """`place` finds the source text of an offset in the parsed text, `codes` are those of the language."""

    #: The deepest nesting of an item: a pattern as deep as a term can be, and the rule around it.
    deepest = MAX_DEPTH + 20

    def __init__(self, place: Place, codes: Codes) -> None:
        self._place = place
        self._codes = codes
        self._problems: list[Diagnostic] = []
        self._too_large: dict[Span, LiteralError] = {}
        #: The digits of the numbers that were read, by their nodes, which are kept.
        self._digits: dict[int, tuple[expressions.Literal, str]] = {}

    def item(self, tree: Tree[Token]) -> tuple[Any, list[Diagnostic]]:
        """Returns the item of a tree, or None and what is wrong with it."""
        try:
            item = self.transform(tree)
        except NestingError as error:
            message = f"this is nested too deeply, in more than {self.deepest} levels"
            return None, [Diagnostic(self._codes.unexpected, "error", message, self._span_of(error.tree))]
        problems = [*self._problems, *(self._bad_literal(*each) for each in self._too_large.items())]
        return (None if problems else item), problems

    def transform(self, tree: Tree[Token]) -> Any:
        """Transforms the tree from the leaves up and without recursion, however deep the text is nested."""
        preorder: list[Any] = []
        pending: list[tuple[Any, int]] = [(tree, 1)]
        while pending:
            node, depth = pending.pop()
            preorder.append(node)
            if isinstance(node, Tree):
                if depth > self.deepest:
                    raise NestingError(node)
                pending += [(child, depth + 1) for child in node.children]
        done: list[Any] = []
        for node in reversed(preorder):
            if isinstance(node, Tree):
                first = len(done) - len(node.children)
                parts = done[first:]
                del done[first:]
                done.append(getattr(self, node.data)(self._span_of(node), *parts))
            else:
                done.append(node)
        return done.pop()

    def _span_of(self, node: Tree[Token] | Token) -> Span:
        if isinstance(node, Tree):
            return self._place(node.meta.start_pos, node.meta.end_pos)
        return self._place(cast(int, node.start_pos), cast(int, node.end_pos))

    def _read(self, reader: Callable[[str], T], token: Token, instead: T) -> T:
        try:
            return reader(token)
        except LiteralError as error:
            self._problems.append(self._bad_literal(self._span_of(token), error))
            return instead

    def _bad_literal(self, span: Span, error: LiteralError) -> Diagnostic:
        return Diagnostic(self._codes.bad_literal, "error", str(error), span, error.hint)

    def _string(self, token: Token) -> str:
        return self._read(read_string, token, "")

    def _duration(self, token: Token) -> Duration:
        return self._read(read_duration, token, Duration())

    def _number(self, token: Token) -> int | float:
        return self._read(read_number, token, 0.0)

    def _scalar(self, token: Token) -> Scalar:
        match token.type:
            case "TRUE" | "FALSE":
                return token.type == "TRUE"
            case "STRING":
                return self._string(token)
            case _:
                return self._number(token)

    def number(self, span: Span, token: Token) -> expressions.Literal:
        """Reads a number. Whether it is too large depends on a minus before it, so that is decided later."""
        try:
            found = expressions.Literal(read_number(token), span)
        except LiteralError as error:
            self._too_large[span] = error
            found = expressions.Literal(0, span)
        self._digits[id(found)] = found, str(token)
        return found

    def literal(self, span: Span, token: Token) -> expressions.Literal:
        return expressions.Literal(self._scalar(token), span)

    def duration(self, span: Span, token: Token) -> DurationLiteral:
        return DurationLiteral(self._duration(token), span)

    def reference(self, span: Span, token: Token) -> Expression:
        """Reads a name by itself, which is an event."""
        return EventReference(str(token), span)

    def attribute(self, span: Span, token: Token) -> Variable:
        """Reads `X.Balance`; an attribute that is not a plain name is quoted, X."max temp"."""
        owner, _, name = token.partition(".")
        if name.startswith('"'):
            first = cast(int, token.start_pos) + len(owner) + 1
            name = self._string(Token("STRING", name, start_pos=first, end_pos=token.end_pos))
        return Variable(f"{owner}.{name}", span)

    def parenthesised(self, span: Span, expression: Expression) -> Expression:
        return replace(expression, span=span)

    def negative(self, span: Span, _: Token, operand: Expression) -> Expression:
        """Reads `-3` as the number, and `-(3)` as the operator."""
        if id(operand) not in self._digits:
            return Negative(operand, span)
        number, digits = self._digits[id(operand)]
        if number.span is not None:
            self._too_large.pop(number.span, None)
        try:
            return expressions.Literal(read_number(f"-{digits}"), span)
        except LiteralError as error:
            self._too_large[span] = error
            return expressions.Literal(0, span)

    def arithmetic(self, span: Span, left: Expression, operator: Token, right: Expression) -> Arithmetic:
        return Arithmetic(cast(ArithmeticOperator, str(operator)), left, right, span)

    def call(self, span: Span, function: Token, *arguments: Expression | None) -> Call | Aggregate:
        """Reads `avg(var T)` as `avg(all var T)`."""
        given = tuple(argument for argument in arguments if argument is not None)
        if str(function) in AGGREGATES and len(given) == 1:
            return Aggregate(str(function), given[0], span=span)
        return Call(str(function), given, span)

    def comparison(self, span: Span, left: Expression, operator: Token, right: Expression) -> Comparison:
        canonical = _OPERATORS.get(operator, str(operator))
        return Comparison(cast(ComparisonOperator, canonical), left, right, span)

    def not_(self, span: Span, operand: Expression) -> Not:
        return Not(operand, span)

    def and_(self, span: Span, *operands: Expression) -> And:
        return And(operands, span)

    def or_(self, span: Span, *operands: Expression) -> Or:
        return Or(operands, span)

    def _identifier(self, token: Token) -> Identifier:
        return Identifier(str(token), self._span_of(token))

    def _label(self, token: Token) -> str:
        return self._string(token) if token.type == "STRING" else str(token)
