"""Whether a branch can match at all, and what holds in all its matches. Both are sound, and neither is complete."""

from __future__ import annotations

from collections.abc import Iterable

from cera.model.expressions.expression import Expression, Not
from cera.rules.reasoning.cases import no_case_holds, pattern_facts
from cera.rules.reasoning.difference_bounds import DifferenceBounds
from cera.rules.reasoning.time_cases import no_times
from cera.rules.reasoning.time_constraints import TimeConstraint, TimeNetwork, literal_constraints
from cera.rules.reasoning.value_constraints import no_values
from cera.rules.rule import Branch


def is_impossible(branch: Branch, conditions: Iterable[Expression] = (), times: Iterable[TimeConstraint] = ()) -> bool:
    """Returns whether no match of a branch satisfies further conditions and bounds on its times."""
    network: TimeNetwork = DifferenceBounds((*literal_constraints(branch), *times))
    if network.contradiction is not None:
        return True
    bound = branch.bound_variables
    every = (*pattern_facts(branch.positive_patterns()), *branch.conditions, *conditions)
    return no_case_holds(every, lambda case: no_values(case, bound) or no_times(network, case))


def implies(branch: Branch, condition: Expression, given: Iterable[Expression] = ()) -> bool:
    """Returns whether a condition holds in all matches of a branch that satisfy others."""
    return is_impossible(branch, (*given, Not(condition)))
