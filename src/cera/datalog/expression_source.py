"""Expressions of Datalog as Python source over local variables."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from cera.codegen.expressions import (
    EXPRESSION_NAMES,
    Cell,
    Constant,
    ExpressionWriter,
    Number,
    Source,
    number_of,
)
from cera.codegen.functions import FunctionWriter
from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.occurrence import Truth
from cera.model.expressions.expression import (
    Arithmetic,
    Comparison,
    Expression,
    Literal,
    Negative,
    Variable,
    variables,
)
from cera.model.terms.term import Term
from cera.model.terms.values import MAX_INTEGER
from cera.modules.tuples import EventTuple, cell_of, value_of

#: The names that every written function may refer to.
_NAMES: Mapping[str, Any] = {
    "EventTuple": EventTuple,
    "Truth": Truth,
    **EXPRESSION_NAMES,
    "ORDERED": frozenset((int, float, str)),
    "COMPARED": frozenset((int, float, str, bool, Truth, EventTuple, Term)),
    "LIMIT": MAX_INTEGER,
    "EMPTY": frozenset(),
}

#: A call of the evaluator.
_CALL = re.compile(r"\w+\([\w, ]*\)")


class RuleWriter(FunctionWriter):
    """A writer of the functions of a program, with the evaluator for what is not written as Python.

    The local variables `c`, `d`, `l`, `n`, `o`, `x` are those of `stage_source`.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        super().__init__(_NAMES)
        self.evaluator = evaluator


class ExpressionSource(ExpressionWriter):
    """Sources of expressions, given the local variable of every name in them (`X`, `X.Balance`)."""

    def __init__(self, writer: RuleWriter, locals_: Mapping[str, str]) -> None:
        self.writer = writer
        self.locals = locals_

    def beside(self, source: str) -> str:
        return source if _CALL.fullmatch(source) else f"({source})"

    def value(self, expression: Expression) -> Source | None:
        if isinstance(expression, Arithmetic) and expression.operator in ("/", "mod"):
            return None  # so that no names are given to its parts
        return super().value(expression)

    def variable(self, variable: Variable) -> Cell:
        return Cell(self.locals[variable.name])

    def cell(self, expression: Expression) -> str:
        """Returns the source of an argument of a fact; it is None where there is no value."""
        match expression:
            case Literal():
                return self.writer.name(cell_of(expression.value))
            case Variable() if "." not in expression.name:
                return self.locals[expression.name]
            case Variable():
                local = self.locals[expression.name]
                return f"({local} if {local}.__class__ is not bool else Truth({local}))"
            case _:
                number = number_of(self.value(expression))
                slow = self._evaluated_value(expression)
                if number is None:
                    return slow
                guards = " and ".join(number.guards)
                return f"({number.source} if {guards} and {number.source}.__class__ is int else {slow})"

    def may_be_missing(self, expression: Expression) -> bool:
        """Returns whether an argument can be without a value."""
        return not isinstance(expression, Literal) and not (
            isinstance(expression, Variable) and "." not in expression.name
        )

    def comparison(self, condition: Comparison, left: Source | None, right: Source | None) -> str:
        match left, right:
            case Cell(source=one), Cell(source=other):
                classes = "COMPARED" if condition.operator in ("=", "!=") else "ORDERED"
                guards = f"{one}.__class__ is {other}.__class__", f"{one}.__class__ in {classes}"
                return self.compared(condition, one, other, guards)
            case Cell(source=one), Constant(value=str() as text):
                return self.compared(condition, one, repr(text), (f"{one}.__class__ is str",))
            case _:
                return super().comparison(condition, left, right)

    def negative(self, expression: Negative, operand: Source | None) -> Number | None:
        number = number_of(operand)
        return None if number is None else self._limited(number.guards, f"-{number.source}")

    def arithmetic(self, expression: Arithmetic, left: Source | None, right: Source | None) -> Number | None:
        """Returns the source of a number, if the classes are right and integers keep to 64 bits."""
        one, other = number_of(left), number_of(right)
        if one is None or other is None:
            return None
        return self._limited((*one.guards, *other.guards), f"{one.source} {expression.operator} {other.source}")

    def _limited(self, guards: tuple[str, ...], source: str) -> Number:
        result = self.writer.fresh("t")
        return Number((*guards, f"-LIMIT <= ({result} := {source}) <= LIMIT"), result)

    def evaluated(self, condition: Expression) -> str:
        names = sorted(variables(condition))
        evaluator = self.writer.evaluator

        def holds(*cells: Any) -> bool:
            return evaluator.holds(condition, _environment(names, cells), {})

        return self._call(holds, names)

    def _evaluated_value(self, expression: Expression) -> str:
        names = sorted(variables(expression))
        evaluator = self.writer.evaluator

        def value(*cells: Any) -> Any:
            return cell_of(evaluator.value(expression, _environment(names, cells), {}))

        return self._call(value, names)

    def _call(self, function: Any, names: Sequence[str]) -> str:
        return f"{self.writer.name(function)}({', '.join(self.locals[name] for name in names)})"


def _environment(names: Sequence[str], cells: Sequence[Any]) -> dict[str, Any]:
    return {name: value_of(cell) for name, cell in zip(names, cells, strict=True) if cell is not None}


def attribute_source(cell: str, attribute: str) -> str:
    """Returns the source of `X.attribute`, given that of X; it is None where there is none."""
    if attribute == "evtime":
        found = f"{cell}.end"
    elif attribute == "Time":
        found = f"{cell}.attribute('Time')"
    else:
        found = f"{cell}.fields.get({attribute!r})"
    return f"{found} if {cell}.__class__ is EventTuple else None"
