"""Expressions as Python source.

What is certain from the program and the classes of the values (comparisons, sums of numbers, relations of times) is
written as Python; everything else, and every value of another class, is left to the evaluator W of the model. The two
give the same answers; the source is only faster.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cera.model.expressions.expression import And, Comparison, Expression, Literal, Not, Or
from cera.model.expressions.meaning import PartialMeaning
from cera.model.terms.values import Scalar, is_number

#: The operators of comparisons as Python has them.
OPERATORS: Mapping[str, str] = {"=": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}

#: The names that the sources of expressions refer to.
EXPRESSION_NAMES: Mapping[str, Any] = {"NUMBERS": frozenset((int, float))}


class Source:
    """What is known of a value that can be written as Python."""


@dataclass(frozen=True)
class Constant(Source):
    value: Scalar


@dataclass(frozen=True)
class Cell(Source):
    """The source of the value of a variable, of whatever class."""

    source: str


@dataclass(frozen=True)
class Number(Source):
    """The source of a number, and the tests under which it is one, and exact."""

    guards: tuple[str, ...]
    source: str


class ExpressionWriter(PartialMeaning[str, Source | None]):
    """A writer of conditions. What runs them says where the value of a variable is, what else can be written as Python,
    and how the evaluator is called, to which everything else is left.
    """

    @abstractmethod
    def evaluated(self, condition: Expression) -> str:
        """Returns the source of a call of the evaluator, which says whether a condition holds."""

    def operand(self, condition: Expression) -> str:
        """Returns the source of a test that can stand beside others."""
        return self.beside(self.truth(condition))

    def beside(self, source: str) -> str:
        """Returns a source so that it can stand beside others."""
        return f"({source})"

    def other_truth(self, condition: Expression) -> str:
        return self.evaluated(condition)

    def other_value(self, expression: Expression) -> Source | None:
        return None

    def conjunction(self, condition: And, operands: Iterator[str]) -> str:
        return " and ".join(map(self.beside, operands))

    def disjunction(self, condition: Or, operands: Iterator[str]) -> str:
        return " or ".join(map(self.beside, operands))

    def negation(self, condition: Not, operand: str) -> str:
        return f"not {self.beside(operand)}"

    def comparison(self, condition: Comparison, left: Source | None, right: Source | None) -> str:
        one, other = number_of(left), number_of(right)
        if one is None or other is None:
            return self.evaluated(condition)
        return self.compared(condition, one.source, other.source, (*one.guards, *other.guards))

    def literal(self, literal: Literal) -> Constant:
        return Constant(literal.value)

    def compared(self, condition: Comparison, left: str, right: str, guards: Iterable[str]) -> str:
        """Returns the source of a comparison that is certain where all guards hold."""
        certain = f"{left} {OPERATORS[condition.operator]} {right}"
        return f"{certain} if {' and '.join(guards) or 'True'} else {self.evaluated(condition)}"


def number_of(source: Source | None) -> Number | None:
    """Returns the source of a number; None if it is left to the evaluator."""
    match source:
        case Number():
            return source
        case Constant(value=value) if is_number(value):
            return Number((), repr(value))
        case Cell(source=cell):
            return Number((f"{cell}.__class__ in NUMBERS",), cell)
        case _:
            return None
