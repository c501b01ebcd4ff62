"""Whether the times of a case can be: its difference bounds, with a choice wherever there are alternatives."""

from __future__ import annotations

from collections.abc import Sequence

from cera.rules.reasoning.cases import MAX_CASES, Case
from cera.rules.reasoning.time_constraints import Clause, TimeNetwork, clauses
from cera.rules.reasoning.time_denials import denied_clauses


def no_times(network: TimeNetwork, case: Case) -> bool:
    """Whether no times satisfy the case in the network; False as well where there are too many choices to tell."""
    found = [clause for condition in case.asserted for clause in clauses(condition)]
    found += [clause for condition in case.denied for clause in denied_clauses(condition)]
    if not found:
        return False
    return _Choices().closed(network, sorted(found, key=len))


class _Choices:
    def __init__(self) -> None:
        self._left = MAX_CASES

    def closed(self, network: TimeNetwork, waiting: Sequence[Clause]) -> bool:
        """Whether no choice of alternatives leaves the network without contradiction. Single ones come first."""
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
