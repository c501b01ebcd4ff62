"""Expressions as Python source over local variables.

What is certain from the program and the classes of the values (comparisons, sums of numbers) is written as Python;
everything else, and every value of another class, is left to the evaluator W of the model. The two give the same
answers; the source is only faster.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import CodeType
from typing import Any

from cera.model.evaluation.evaluator import Evaluator
from cera.model.events.occurrence import Truth
from cera.model.expressions.expression import (
    And,
    Arithmetic,
    Comparison,
    Expression,
    Literal,
    Negative,
    Not,
    Or,
    Variable,
    variables,
)
from cera.model.terms.term import Term
from cera.model.terms.values import MAX_INTEGER, is_number
from cera.modules.tuples import EventTuple, cell_of, value_of

_OPERATORS = {"=": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}

#: The names that every written function may refer to.
_NAMES: Mapping[str, Any] = {
    "EventTuple": EventTuple,
    "Truth": Truth,
    "NUMBERS": frozenset((int, float)),
    "ORDERED": frozenset((int, float, str)),
    "COMPARED": frozenset((int, float, str, bool, Truth, EventTuple, Term)),
    "LIMIT": MAX_INTEGER,
    "EMPTY": frozenset(),
}


class FunctionWriter:
    """A writer of Python functions, with the values that their lines refer to."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.values: dict[str, Any] = dict(_NAMES)
        self._fresh = 0
        self._constants: dict[tuple[type, object], str] = {}
        self._functions: dict[tuple[str, ...], Any] = {}
        self._made: dict[str, Any] = {}

    def name(self, value: Any) -> str:
        """Returns a name for a value known before the function runs; equal texts, and equal integers, share one."""
        if value.__class__ not in (str, int):
            return self._new_name(value)
        name = self._constants.get((value.__class__, value))
        if name is None:
            name = self._constants[value.__class__, value] = self._new_name(value)
        return name

    def _new_name(self, value: Any) -> str:
        name = f"k{len(self.values)}"
        self.values[name] = value
        return name

    def fresh(self, prefix: str) -> str:
        """Returns a local variable that nobody else uses; `c`, `d`, `l`, `n`, `o`, `x` are those of `stage_source`."""
        self._fresh += 1
        return f"{prefix}{self._fresh}"

    def once(self, make: Callable[[], Any], *what: object) -> Any:
        """Returns the result of `make`, which is called once for everything with the same representation."""
        key = repr(what)
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def function(self, name: str, parameters: str, body: Sequence[str]) -> Any:
        """Returns a function with these lines; an existing one with the same lines if there is one."""
        known = self._functions.get((parameters, *body))
        if known is not None:
            return known
        source = "\n".join([f"def {name}({parameters}):", *(f"    {line}" for line in body or ["pass"])])
        exec(_code(source, name), self.values)  # made here from a checked program
        function = self._functions[parameters, *body] = self.values[name]
        function.source = source
        return function


@lru_cache(maxsize=4_096)
def _code(source: str, name: str) -> CodeType:
    """Compiles the source. Modules that differ in constants only have the same sources."""
    return compile(source, f"<{name} written for a program>", "exec")


class ExpressionSource:
    """Sources of expressions, given the local variable of every name in them (`X`, `X.Balance`)."""

    def __init__(self, writer: FunctionWriter, locals_: Mapping[str, str]) -> None:
        self.writer = writer
        self.locals = locals_

    def test(self, condition: Expression) -> str:
        """Returns the source of a test whether a condition holds."""
        match condition:
            case And():
                return "(" + " and ".join(self.test(operand) for operand in condition.operands) + ")"
            case Or():
                return "(" + " or ".join(self.test(operand) for operand in condition.operands) + ")"
            case Not():
                return f"(not {self.test(condition.operand)})"
            case Comparison():
                return self._comparison(condition)
            case _:
                return self._slow_test(condition)

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
                numeric = self._numeric(expression)
                slow = self._slow_value(expression)
                if numeric is None:
                    return slow
                guards, source = numeric
                return f"({source} if {' and '.join(guards)} and {source}.__class__ is int else {slow})"

    def may_be_missing(self, expression: Expression) -> bool:
        """Returns whether an argument can be without a value."""
        return not isinstance(expression, Literal) and not (
            isinstance(expression, Variable) and "." not in expression.name
        )

    def _comparison(self, condition: Comparison) -> str:
        operator = _OPERATORS[condition.operator]
        slow = self._slow_test(condition)
        left, right = condition.left, condition.right
        match left, right:
            case Variable(), Variable():
                one, other = self.locals[left.name], self.locals[right.name]
                classes = "COMPARED" if condition.operator in ("=", "!=") else "ORDERED"
                guard = f"{one}.__class__ is {other}.__class__ and {one}.__class__ in {classes}"
                return f"({one} {operator} {other} if {guard} else {slow})"
            case Variable(), Literal(value=str()):
                one = self.locals[left.name]
                return f"({one} {operator} {right.value!r} if {one}.__class__ is str else {slow})"
            case _:
                pass
        numbers = self._numeric(left), self._numeric(right)
        if numbers[0] is None or numbers[1] is None:
            return slow
        guards = " and ".join(numbers[0][0] + numbers[1][0]) or "True"
        return f"({numbers[0][1]} {operator} {numbers[1][1]} if {guards} else {slow})"

    def _numeric(self, expression: Expression) -> tuple[list[str], str] | None:
        """Returns the source of a number and its preconditions: the classes, and that integers keep to 64 bits."""
        match expression:
            case Literal() if is_number(expression.value):
                return [], repr(expression.value)
            case Variable():
                local = self.locals[expression.name]
                return [f"{local}.__class__ in NUMBERS"], local
            case Negative():
                inner = self._numeric(expression.operand)
                if inner is None:
                    return None
                result = self.writer.fresh("t")
                return [*inner[0], f"-LIMIT <= ({result} := -{inner[1]}) <= LIMIT"], result
            case Arithmetic(operator="+" | "-" | "*"):
                left, right = self._numeric(expression.left), self._numeric(expression.right)
                if left is None or right is None:
                    return None
                result = self.writer.fresh("t")
                computed = f"-LIMIT <= ({result} := {left[1]} {expression.operator} {right[1]}) <= LIMIT"
                return [*left[0], *right[0], computed], result
            case _:
                return None

    def _slow_test(self, condition: Expression) -> str:
        names = sorted(variables(condition))
        evaluator = self.writer.evaluator

        def holds(*cells: Any) -> bool:
            return evaluator.holds(condition, _environment(names, cells), {})

        return self._call(holds, names)

    def _slow_value(self, expression: Expression) -> str:
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
