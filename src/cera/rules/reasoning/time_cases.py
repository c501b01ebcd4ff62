"""Times that satisfy a case: its difference bounds, with a choice wherever there are alternatives.

A condition that does not hold may be undefined: order and difference need points, `shorten` an interval that is long
enough. Where that can be, it is one of the alternatives, or nothing is said. A time so near to year 1 or 9999 that a
length written in the condition leads out of the calendar is not considered.
"""

from __future__ import annotations

from collections.abc import Sequence

from cera.model.expressions import expression as expressions
from cera.model.expressions.expression import (
    Arithmetic,
    Call,
    Comparison,
    DurationLiteral,
    Expression,
    Temporal,
    Within,
)
from cera.model.time.timers import SYNONYMS
from cera.rules.reasoning.cases import MAX_CASES, OPPOSITE, Case
from cera.rules.reasoning.difference_bounds import Constraint
from cera.rules.reasoning.time_constraints import (
    MAY_FAIL,
    Clause,
    TimeConstraint,
    TimeNetwork,
    clauses,
    compared_hull,
    related,
    strictly_before,
)
from cera.rules.reasoning.time_points import Stretch, constant_length, stretch_of


def no_times(network: TimeNetwork, case: Case, further: Sequence[Clause] = ()) -> bool:
    """Returns whether no times satisfy the case in the network, with further clauses; False also if there are too many
    choices to decide."""
    found = [*further, *(clause for condition in case.asserted for clause in clauses(condition))]
    found += [clause for condition in case.denied for clause in denied_clauses(condition)]
    if not found:
        return False
    return _Choices().closed(network, sorted(found, key=len))


class _Choices:
    def __init__(self) -> None:
        self._left = MAX_CASES

    def closed(self, network: TimeNetwork, waiting: Sequence[Clause]) -> bool:
        """Returns whether every choice of alternatives leads to a contradiction. Single ones come first."""
        certain = [constraint for clause in waiting if len(clause) == 1 for constraint in clause[0]]
        network = network.adding(certain)
        self._left -= 1
        if network.contradiction is not None:
            return True
        choices = [clause for clause in waiting if len(clause) > 1]
        if not choices or self._left <= 0:
            return False
        first, *rest = choices
        return all(self.closed(network, [(alternative,), *rest]) for alternative in first)


def denied_clauses(condition: Expression) -> tuple[Clause, ...]:
    """Returns clauses that all hold whenever the condition does not; none if nothing follows."""
    if not all(_always_happens(part) for part in expressions.walk(condition) if isinstance(part, Call)):
        return ()
    match condition:
        case Temporal():
            left, right = stretch_of(condition.left), stretch_of(condition.right)
            if left is None or right is None or not (_is_exact(left) and _is_exact(right)):
                return ()
            return (tuple((_reversed(bound),) for bound in related(condition.relation, left, right, condition)),)
        case Within():
            length = constant_length(condition.duration)
            stretches = [stretch for i in condition.intervals if (stretch := stretch_of(i)) is not None]
            if length is None or len(stretches) < len(condition.intervals):
                return ()
            return compared_hull(condition, stretches, ">", length)
        case Comparison():
            intervals = tuple((strictly_before(s.begin, s.end, condition),) for s in _needed_points(condition))
            opposite = Comparison(OPPOSITE[condition.operator], condition.left, condition.right, condition.span)
            return tuple((*clause, *intervals) for clause in clauses(opposite))
        case _:
            return ()


def _always_happens(call: Call) -> bool:
    if call.function not in SYNONYMS:
        return True
    return SYNONYMS[call.function] not in MAY_FAIL and isinstance(call.arguments[1], DurationLiteral)


def _is_exact(stretch: Stretch) -> bool:
    return all(edge.by.least == edge.by.most for edge in (stretch.begin, stretch.end))


def _reversed(bound: TimeConstraint) -> TimeConstraint:
    """Returns left - right > bound, on whole microseconds."""
    return Constraint(bound.right, bound.left, -bound.bound - 1, bound.reason)


def _needed_points(condition: Comparison) -> list[Stretch]:
    """Returns the intervals that have to be points for the comparison to be defined."""
    sides: list[Expression] = []
    if condition.operator not in ("=", "!="):
        sides += [condition.left, condition.right]
    for side in (condition.left, condition.right):
        if isinstance(side, Arithmetic):
            sides += [side.left, side.right]
    return [stretch for side in sides if (stretch := stretch_of(side)) is not None and not stretch.is_point]
