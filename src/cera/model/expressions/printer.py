"""Expressions as text: how tightly each holds together, and so where parentheses are needed.

The walk is the same for every language and calculus. The words of the connectives and the form of a variable differ:
they are the `Spelling` of a language. The result, a text or a document that can be broken into lines, is up to the
subclass, and so are the expressions that few languages have.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, assert_never

from cera.model.expressions.expression import (
    Aggregate,
    And,
    Arithmetic,
    Call,
    Comparison,
    DateTime,
    Different,
    DurationLiteral,
    EventReference,
    Expression,
    InOneWindow,
    InState,
    Literal,
    Negative,
    Not,
    Or,
    Periodic,
    Temporal,
    Variable,
    Within,
)
from cera.model.terms.term import format_scalar
from cera.model.terms.values import is_number

#: How tightly an expression holds together; inside of a tighter one it needs parentheses.
OR, AND, NOT, COMPARISON, SUM, PRODUCT, UNARY, PRIMARY = range(8)

ARITHMETIC_LEVELS = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "mod": PRODUCT}

#: The expressions that not every language has.
Special = (
    DurationLiteral
    | DateTime
    | Periodic
    | EventReference
    | Aggregate
    | Temporal
    | Within
    | InOneWindow
    | InState
    | Different
)

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Written = TypeVar("Written")


def level_of(expression: Expression) -> int:
    """Returns how tightly the expression holds together."""
    match expression:
        case Or():
            return OR
        case And():
            return AND
        case Not():
            return NOT
        case Comparison() | Temporal() | Within() | InOneWindow() | InState() | Different():
            return COMPARISON
        case Arithmetic():
            return ARITHMETIC_LEVELS[expression.operator]
        case Negative():
            return UNARY
        case Literal(value=int() | float() as value) if value < 0:
            return UNARY
        case _:
            return PRIMARY


def dotted(name: str) -> str:
    """Returns a variable as `X.Balance`, with an attribute that is not a plain name in quotes: `X."max temp"`."""
    owner, dot, attribute = name.partition(".")
    return f"{owner}.{attribute if _PLAIN.fullmatch(attribute) else format_scalar(attribute)}" if dot else owner


@dataclass(frozen=True)
class Spelling:
    """The way in which a language writes variables, the names of functions, and the connectives of conditions."""

    variable: Callable[[str], str] = dotted
    function: Callable[[str], str] = str
    conjunction: str = "and"
    disjunction: str = "or"
    negation: str = "not"


class ExpressionPrinter(ABC, Generic[Written]):
    spelling = Spelling()

    def expression(self, expression: Expression, level: int = OR) -> Written:
        """Writes the expression, in parentheses if it holds together less tightly than `level`."""
        own = level_of(expression)
        written = self._bare(expression, own)
        return written if own >= level else self._parenthesised(written)

    def _bare(self, expression: Expression, own: int) -> Written:
        match expression:
            case Literal():
                return self._word(format_scalar(expression.value))
            case Variable():
                return self._word(self.spelling.variable(expression.name))
            case Negative(operand=Literal() as literal) if is_number(literal.value):
                return self._prefixed("-", self._parenthesised(self.expression(literal)))  # -3 would be the number
            case Negative():
                return self._prefixed("-", self.expression(expression.operand, PRIMARY))
            case Arithmetic():
                left, right = self.expression(expression.left, own), self.expression(expression.right, own + 1)
                return self._infix(left, expression.operator, right)
            case Comparison():
                left, right = self.expression(expression.left, SUM), self.expression(expression.right, SUM)
                return self._infix(left, expression.operator, right)
            case Call():
                arguments = [self.expression(argument) for argument in expression.arguments]
                return self._call(self.spelling.function(expression.function), arguments)
            case Not():
                return self._prefixed(f"{self.spelling.negation} ", self.expression(expression.operand, own))
            case And():
                operands = [self.expression(operand, own + 1) for operand in expression.operands]
                return self._chain(self.spelling.conjunction, operands)
            case Or():
                operands = [self.expression(operand, own + 1) for operand in expression.operands]
                return self._chain(self.spelling.disjunction, operands)
            case DurationLiteral() | DateTime() | Periodic() | EventReference() | Aggregate():
                return self._special(expression)
            case Temporal() | Within() | InOneWindow() | InState() | Different():
                return self._special(expression)
            case _:
                assert_never(expression)

    @abstractmethod
    def _word(self, text: str) -> Written: ...

    @abstractmethod
    def _parenthesised(self, inside: Written) -> Written: ...

    @abstractmethod
    def _prefixed(self, sign: str, operand: Written) -> Written: ...

    @abstractmethod
    def _infix(self, left: Written, operator: str, right: Written) -> Written: ...

    @abstractmethod
    def _chain(self, connective: str, operands: Sequence[Written]) -> Written: ...

    @abstractmethod
    def _call(self, function: str, arguments: Sequence[Written]) -> Written: ...

    @abstractmethod
    def _special(self, expression: Special) -> Written: ...
