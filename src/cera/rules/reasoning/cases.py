"""The cases in which conditions hold: each `or` makes one choice, each `not` stands before a single condition.

An expression either holds or does not (`cera.model.evaluation.evaluator`), so De Morgan's laws are exact; but
`not (x > 3)` is not `x <= 3`, because a comparison that is undefined does not hold either. Hence a case keeps what
it denies apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from cera.model.expressions.expression import And, Expression, Not, Or

#: So many cases are looked at; conditions with more are taken to be possible.
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
    """Whether every case of the conditions is impossible; False as well where there are too many to tell."""
    return _Search(impossible).closed(Case(), [(condition, True) for condition in conditions])


#: A condition and whether it is to hold.
_Wanted = tuple[Expression, bool]


class _Search:
    def __init__(self, impossible: Callable[[Case], bool]) -> None:
        self._impossible = impossible
        self._left = MAX_CASES

    def closed(self, case: Case, wanted: list[_Wanted]) -> bool:
        """Whether nothing satisfies the case together with what is wanted. Choices are put off to the end."""
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
