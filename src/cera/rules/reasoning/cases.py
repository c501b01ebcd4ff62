"""Conditions taken apart: constants, conjuncts, and the cases in which they hold.

In a case each `or` has made one choice, and each `not` stands before a single condition. An expression either holds or
does not (`cera.model.evaluation.evaluator`), so De Morgan's laws are exact; but `not (x > 3)` is not `x <= 3`, because
a comparison that is undefined does not hold either. Hence a case keeps what it denies apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from cera.model.evaluation.evaluator import Evaluator
from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import (
    Aggregate,
    And,
    Call,
    Comparison,
    ComparisonOperator,
    EventReference,
    Expression,
    Literal,
    Not,
    Or,
    Periodic,
    Variable,
)
from cera.model.matching.patterns import (
    OptionalPattern,
    Pattern,
    RegexPattern,
    ScalarPattern,
    VariablePattern,
    Without,
    parts,
)

#: At most this many cases are looked at; conditions with more are taken to be possible.
MAX_CASES = 256


@dataclass(frozen=True)
class Case:
    """Conditions without connectives: those that hold and those that do not."""

    asserted: tuple[Expression, ...] = ()
    denied: tuple[Expression, ...] = ()

    def asserting(self, condition: Expression) -> Case:
        return Case((*self.asserted, condition), self.denied)

    def denying(self, condition: Expression) -> Case:
        return Case(self.asserted, (*self.denied, condition))


def no_case_holds(conditions: Iterable[Expression], impossible: Callable[[Case], bool]) -> bool:
    """Returns whether every case of the conditions is impossible; False also if there are too many cases to decide."""
    return _Search(impossible).closed(Case(), [(condition, True) for condition in conditions])


#: A condition, and whether it has to hold.
_Wanted = tuple[Expression, bool]


class _Search:
    def __init__(self, impossible: Callable[[Case], bool]) -> None:
        self._impossible = impossible
        self._left = MAX_CASES

    def closed(self, case: Case, wanted: list[_Wanted]) -> bool:
        """Returns whether nothing satisfies the case together with the wanted conditions. Choices are put off to the
        end."""
        choices: list[list[_Wanted]] = []
        waiting = list(reversed(wanted))
        while waiting:
            condition, holds = waiting.pop()
            match condition:
                case Not():
                    waiting.append((condition.operand, not holds))
                case And() | Or():
                    parts = [(operand, holds) for operand in condition.operands]
                    if isinstance(condition, And) == holds:
                        waiting += reversed(parts)
                    else:
                        choices.append(parts)
                case _:
                    case = case.asserting(condition) if holds else case.denying(condition)
        if self._left <= 0:
            return False
        self._left -= 1
        if self._impossible(case):
            return True
        if not choices:
            return False
        first, *rest = choices
        later = [_one_of(parts) for parts in rest]
        return all(self.closed(case, [option, *later]) for option in first)


def _one_of(parts: list[_Wanted]) -> _Wanted:
    return Or(tuple(condition if holds else Not(condition) for condition, holds in parts)), True


def constant(expression: Expression) -> object:
    """Returns the value of an expression without variables and events; None if it has some, or is undefined."""
    return Evaluator().value(expression, {}, {}) if is_constant(expression) else None


def is_constant(expression: Expression) -> bool:
    return not any(
        isinstance(part, Variable | EventReference | Aggregate | Periodic) for part in expressions.walk(expression)
    )


def conjuncts(conditions: Iterable[Expression]) -> list[Expression]:
    """Returns the conditions with their outer conjunctions taken apart."""
    found: list[Expression] = []
    for condition in conditions:
        found += conjuncts(condition.operands) if isinstance(condition, And) else [condition]
    return found


#: x operator y ⟺ y converse x.
CONVERSE: Mapping[ComparisonOperator, ComparisonOperator] = MappingProxyType(
    {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
)

#: Where x and y can be compared: x operator y ⟺ not (x opposite y).
OPPOSITE: Mapping[ComparisonOperator, ComparisonOperator] = MappingProxyType(
    {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "="}
)


def pattern_facts(patterns: Iterable[Pattern]) -> Iterator[Expression]:
    """Yields conditions that hold wherever the patterns match: `var X -> 40` makes X equal to 40, `var X -> /a+/` a
    string that matches."""
    for pattern in patterns:
        match pattern:
            case Without() | OptionalPattern():
                continue
            case VariablePattern(pattern=ScalarPattern() as scalar):
                yield Comparison("=", Variable(pattern.name), Literal(scalar.value), pattern.span)
            case VariablePattern(pattern=RegexPattern() as regex):
                yield Call("matches", (Variable(pattern.name), Literal(regex.expression)), pattern.span)
            case _:
                pass
        yield from pattern_facts(parts(pattern))
