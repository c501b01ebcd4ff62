"""What was expected, in words: `at least 3 hammerBeat`, and what was found."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from cera.constraints.queries import Literal, Part
from cera.constraints.specification import SOME, AllLimits, AnyLimit, Limit, Specification
from cera.diagnostics import Span
from cera.model.expressions.expression import ComparisonOperator, Variable

#: What was found: how many, or the values of variables as a text; None where the binding says it already.
Finding = int | str | None

_WORDS: dict[ComparisonOperator, str] = {
    "=": "exactly",
    "!=": "not exactly",
    "<": "fewer than",
    "<=": "at most",
    ">": "more than",
    ">=": "at least",
}


def number_text(specification: Specification) -> str:
    """Returns a cardinality in words: `no or at least 3`."""
    match specification:
        case Limit(operator="=", amount=0):
            return "no"
        case Limit():
            amount = specification.amount
            shown = amount.name if isinstance(amount, Variable) else str(amount)
            return f"{_WORDS[specification.operator]} {shown}"
        case AllLimits():
            return " and ".join(map(number_text, specification.parts))
        case AnyLimit():
            return " or ".join(map(number_text, specification.parts))
        case _:
            assert_never(specification)


def count_text(literal: Literal) -> str:
    """Returns what a counted literal demands: `at least 3 hammerBeat`."""
    return f"{number_text(SOME if literal.count is None else literal.count)} {literal_text(literal)}"


def literal_text(literal: Literal) -> str:
    return f"state {literal.atom.label}" if literal.kind == "state" else literal.atom.label


def condition_text(part: Part) -> str:
    """Returns a condition as it was written."""
    return type(part).__name__ if part.span is None else text_of(part.span)


def text_of(span: Span) -> str:
    """Returns what was written at a place, on one line."""
    return " ".join(span.text.split())


def findings_of(alternatives: Iterable[Finding]) -> Finding:
    """Returns what was found of all alternatives: a number if there is one, a text if there are several findings."""
    found = list(dict.fromkeys(each for each in alternatives if each is not None))
    return found[0] if len(found) == 1 else ", ".join(map(str, found)) or None
