"""The kinds of data that the expressions of a case can be, where all of them are defined and the comparisons hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal as OneOf

from cera.model.evaluation.functions import FUNCTIONS
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import (
    And,
    Arithmetic,
    Call,
    Comparison,
    Different,
    Expression,
    InOneWindow,
    InState,
    Negative,
    Not,
    Or,
    Temporal,
    Within,
)
from cera.rules.reasoning.expression_kinds import DATA_KINDS, kind_of

ValueKind = OneOf["number", "string", "boolean", "term"]
Kinds = frozenset[ValueKind]

NUMBER: Kinds = frozenset(("number",))
STRING: Kinds = frozenset(("string",))
BOOLEAN: Kinds = frozenset(("boolean",))
_ORDERED = NUMBER | STRING
_ALL: Kinds = frozenset(("number", "string", "boolean", "term"))
_BY_NAME = {"number": NUMBER, "string": STRING, "boolean": BOOLEAN, "any": _ALL}


def defined_parts(expression: Expression) -> Iterator[Expression]:
    """Yields the parts that have a value wherever the expression has one; not the sides of a comparison."""
    yield expression
    if not isinstance(expression, Comparison | Temporal | Within | InOneWindow | InState | Different | Not | And | Or):
        for operand in expressions.operands(expression):
            yield from defined_parts(operand)


def is_data(expression: Expression) -> bool:
    return kind_of(expression) in DATA_KINDS


def possible_kinds(comparisons: Iterable[Comparison]) -> dict[str, Kinds]:
    """Returns the kinds that each expression can be, by its key `repr`; none for one that cannot be anything."""
    found: dict[str, Kinds] = {}

    def narrow(expression: Expression, to: Kinds) -> None:
        key = repr(expression)
        found[key] = found.get(key, _ALL) & to

    data: list[Comparison] = []
    for comparison in comparisons:
        for side in (comparison.left, comparison.right):
            for part in defined_parts(side):
                if is_data(part):
                    narrow(part, _BY_NAME[kind_of(part)])
                for operand, kinds in _taken(part):
                    narrow(operand, kinds)
        if comparison.operator != "!=" and is_data(comparison.left) and is_data(comparison.right):
            data.append(comparison)
    changed = True
    while changed:
        before = dict(found)
        for comparison in data:
            both = found[repr(comparison.left)] & found[repr(comparison.right)]
            if comparison.operator != "=":
                both &= _ORDERED
            narrow(comparison.left, both)
            narrow(comparison.right, both)
        changed = found != before
    return found


def _taken(expression: Expression) -> Iterator[tuple[Expression, Kinds]]:
    """Yields the kinds that the operands that are data must have for the expression to be defined."""
    match expression:
        case Arithmetic() | Negative():
            yield from ((operand, NUMBER) for operand in expressions.operands(expression) if is_data(operand))
        case Call() if (function := FUNCTIONS.get(expression.function)) is not None:  # others are an error of their own
            for index, argument in enumerate(expression.arguments):
                kind = function.parameter(index)
                if kind in ("number", "string", "boolean") and is_data(argument):
                    yield argument, _BY_NAME[kind]
        case _:
            pass
