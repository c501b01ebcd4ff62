"""Expressions as documents, in the spelling of a language."""

from __future__ import annotations

from collections.abc import Sequence

from cera.languages.text.formatting import Decorate, undecorated
from cera.languages.text.layout import SPACE, Document, Group, Indent, bracket, concat
from cera.model.expressions import printer
from cera.model.expressions.expression import (
    Aggregate,
    DateTime,
    Different,
    DurationLiteral,
    EventReference,
    InOneWindow,
    InState,
    Periodic,
    Temporal,
    Within,
)
from cera.model.expressions.printer import Special
from cera.model.time.durations import format_duration

#: Words that can mean something else where an expression begins; as identifiers they are put in parentheses.
_RESERVED = frozenset({"not", "all", "distinct", "optional"})


class ExpressionPrinter(printer.ExpressionPrinter[Document]):
    """`decorate` is given whatever can have a line of its own, so that the formatter can put comments beside it."""

    def __init__(self, decorate: Decorate = undecorated) -> None:
        self.decorate = decorate

    def _word(self, text: str) -> Document:
        return text

    def _parenthesised(self, inside: Document) -> Document:
        return concat("(", inside, ")")

    def _prefixed(self, sign: str, operand: Document) -> Document:
        return concat(sign, operand)

    def _infix(self, left: Document, operator: str, right: Document) -> Document:
        return Group(concat(left, f" {operator}", Indent(concat(SPACE, right))))

    def _chain(self, connective: str, operands: Sequence[Document]) -> Document:
        first, *others = operands
        return Group(concat(first, Indent(concat(*(concat(SPACE, f"{connective} ", other) for other in others)))))

    def _call(self, function: str, arguments: Sequence[Document]) -> Document:
        return bracket(f"{function}(", arguments, ")")

    def _special(self, expression: Special) -> Document:
        """Prints the expressions that most languages have. A language that has others overrides this."""
        match expression:
            case DurationLiteral():
                return format_duration(expression.duration)
            case EventReference(identifier=name):
                return f"({name})" if name in _RESERVED else name
            case Aggregate():
                return self._call(expression.function, [self.expression(expression.operand)])
            case DateTime() | Periodic() | Temporal() | Within() | InOneWindow() | InState() | Different():
                raise ValueError(f"the language has no {type(expression).__name__}")
