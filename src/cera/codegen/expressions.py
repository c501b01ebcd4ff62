"""Expressions as Python source.

What is certain from the program and the classes of the values (comparisons, sums of numbers, relations of times) is
written as Python; everything else, and every value of another class, is left to the evaluator W of the model. The two
give the same answers; the source is only faster.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from cera.model.expressions.expression import And, Comparison, Expression, Literal, Not, Or, Variable
from cera.model.terms.values import is_number

#: The operators of comparisons as Python has them.
OPERATORS: Mapping[str, str] = {"=": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}

#: The names that the sources of expressions refer to.
EXPRESSION_NAMES: Mapping[str, Any] = {"NUMBERS": frozenset((int, float))}


class Number(NamedTuple):
    """The source of a number, and the tests under which it is one, and exact."""

    guards: tuple[str, ...]
    source: str


class ExpressionWriter(ABC):
    """A writer of conditions. What runs them says where the value of a variable is, what else can be written as Python,
    and how the evaluator is called.
    """

    @abstractmethod
    def value(self, variable: str) -> str:
        """Returns the source of the value of a variable."""

    @abstractmethod
    def evaluated(self, condition: Expression) -> str:
        """Returns the source of a call of the evaluator, which says whether a condition holds."""

    def condition(self, condition: Expression) -> str:
        """Returns the source of a test whether a condition holds."""
        match condition:
            case And():
                return " and ".join(map(self.operand, condition.operands))
            case Or():
                return " or ".join(map(self.operand, condition.operands))
            case Not():
                return f"not {self.operand(condition.operand)}"
            case Comparison():
                written = self.comparison(condition)
            case _:
                written = self.relation(condition)
        return written or self.evaluated(condition)

    def operand(self, condition: Expression) -> str:
        """Returns the source of a test that can stand beside others."""
        return f"({self.condition(condition)})"

    def relation(self, condition: Expression) -> str | None:
        """Returns the source of a condition that is not a comparison; None if it is left to the evaluator."""
        return None

    def comparison(self, condition: Comparison) -> str | None:
        """Returns the source of a comparison; None if it is left to the evaluator."""
        left, right = self.number(condition.left), self.number(condition.right)
        if left is None or right is None:
            return None
        return self.compared(condition, left.source, right.source, (*left.guards, *right.guards))

    def number(self, expression: Expression) -> Number | None:
        """Returns the source of a number; None if it is left to the evaluator."""
        match expression:
            case Literal() if is_number(expression.value):
                return Number((), repr(expression.value))
            case Variable():
                value = self.value(expression.name)
                return Number((f"{value}.__class__ in NUMBERS",), value)
            case _:
                return None

    def compared(self, condition: Comparison, left: str, right: str, guards: Iterable[str]) -> str:
        """Returns the source of a comparison that is certain where all guards hold."""
        certain = f"{left} {OPERATORS[condition.operator]} {right}"
        return f"{certain} if {' and '.join(guards) or 'True'} else {self.evaluated(condition)}"
