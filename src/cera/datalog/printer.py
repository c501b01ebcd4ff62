"""Programs as text, in the spelling of the paper with ASCII signs; `parse` reads the same program back."""

from __future__ import annotations

import re
from typing import assert_never

from cera.datalog.syntax import Anonymous, Argument, Atom, BodyPart, Not, Program, Rule, StageTerm
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import (
    And,
    Arithmetic,
    Call,
    Comparison,
    Expression,
    Literal,
    Negative,
    Or,
    Variable,
)
from cera.model.terms.term import format_scalar
from cera.model.terms.values import is_number

#: Longer rules are broken behind the commas of their bodies.
WIDTH = 110

OR, AND, NOT, COMPARISON, SUM, PRODUCT, UNARY, PRIMARY = range(8)
_LEVELS = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "mod": PRODUCT}

_NAME = re.compile(r"(?!(?:or|and|not)$)[A-Za-z_][A-Za-z0-9_]*", re.IGNORECASE)

_HYPHENATED = re.compile(r"[a-z][A-Za-z0-9_]*(-[A-Za-z][A-Za-z0-9_]*)+")


def print_program(program: Program) -> str:
    """One rule below the other, with a full stop each."""
    return "".join(f"{print_rule(rule)}\n" for rule in program.rules)


def print_rule(rule: Rule) -> str:
    head = print_atom(rule.head)
    if not rule.body:
        return f"{head}."
    parts = [print_part(part) for part in rule.body]
    line = f"{head} <- {', '.join(parts)}."
    return line if len(line) <= WIDTH else f"{head} <-\n    " + ",\n    ".join(parts) + "."


def print_part(part: BodyPart) -> str:
    match part:
        case Atom():
            return print_atom(part)
        case Not():
            return f"not {print_atom(part.atom)}"
        case _:
            return print_expression(part)


def print_atom(atom: Atom) -> str:
    arguments = [print_argument(argument) for argument in atom.arguments]
    match atom.stage:
        case None:
            pass
        case StageTerm():
            arguments.append(atom.stage.value)
        case int():
            arguments.append(str(atom.stage))
    return f"{print_name(atom.predicate)}({', '.join(arguments)})"


def print_name(name: str) -> str:
    """A name as it is if it is a word, else in quotes."""
    return name if _NAME.fullmatch(name) else format_scalar(name)


def print_argument(argument: Argument) -> str:
    return "_" if isinstance(argument, Anonymous) else print_expression(argument)


def print_expression(expression: Expression, least: int = OR) -> str:
    """The text of an expression, in parentheses if it holds together less tightly than `least`."""
    own = _level(expression)
    text = _text(expression, own)
    return f"({text})" if own < least else text


def _text(expression: Expression, own: int) -> str:
    match expression:
        case Literal():
            return format_scalar(expression.value)
        case Variable():
            owner, dot, attribute = expression.name.partition(".")
            spelled = attribute if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", attribute) else format_scalar(attribute)
            return f"{owner}{dot}{spelled}" if dot else owner
        case Negative(operand=Literal() as literal) if is_number(literal.value):
            return f"-({format_scalar(literal.value)})"  # -3 would be read as the number
        case Negative():
            return f"-{print_expression(expression.operand, PRIMARY)}"
        case Arithmetic():
            left, right = print_expression(expression.left, own), print_expression(expression.right, own + 1)
            return f"{left} {expression.operator} {right}"
        case Comparison():
            left, right = print_expression(expression.left, SUM), print_expression(expression.right, SUM)
            return f"{left} {expression.operator} {right}"
        case Call():
            return f"{_function(expression.function)}({', '.join(map(print_expression, expression.arguments))})"
        case expressions.Not():
            return f"not {print_expression(expression.operand, NOT)}"
        case And():
            return " and ".join(print_expression(operand, own + 1) for operand in expression.operands)
        case Or():
            return " or ".join(print_expression(operand, own + 1) for operand in expression.operands)
        case (
            expressions.DurationLiteral()
            | expressions.DateTime()
            | expressions.Periodic()
            | expressions.EventReference()
            | expressions.Aggregate()
            | expressions.Temporal()
            | expressions.Within()
        ):
            raise ValueError(f"Datalog_1S has no {type(expression).__name__}")
        case _:
            assert_never(expression)


def _function(name: str) -> str:
    return name if _HYPHENATED.fullmatch(name) else print_name(name)


def _level(expression: Expression) -> int:
    match expression:
        case Or():
            return OR
        case And():
            return AND
        case expressions.Not():
            return NOT
        case Comparison():
            return COMPARISON
        case Arithmetic():
            return _LEVELS[expression.operator]
        case Negative():
            return UNARY
        case Literal(value=int() | float() as value) if not isinstance(value, bool) and value < 0:
            return UNARY
        case _:
            return PRIMARY
