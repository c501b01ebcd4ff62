"""Predicate elimination for absences: what comes too late to be there is not waited for (the fourth heuristic).

    h ← B, r, not q in w      →      h ← B, r, if every q ends before every r with the same values,
                                         and no q in w could

The answer has the same time as before, which is that of its window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cera.constraints.subsumption.atoms import Name, extended, flat_pattern
from cera.optimizer.semantic.orders import Order
from cera.rules.reasoning.difference_bounds import Constraint
from cera.rules.reasoning.impossibility import is_impossible
from cera.rules.reasoning.time_constraints import TimeConstraint
from cera.rules.reasoning.time_points import TimePoint
from cera.rules.rule import Accumulation, Branch

LAW = "predicate elimination"

#: What stands for the event that is absent; no identifier of a rule has a space.
_ABSENT = "the absent one"


def without_certain_absences(
    branch: Branch, orders: Sequence[Order]
) -> tuple[Branch, tuple[tuple[Accumulation, Order], ...]]:
    """Returns a branch without the absences that are certain, and each of those with its reason."""
    gone: list[tuple[Accumulation, Order]] = []
    for absence in branch.absences:
        reason = next((order for order in orders if _excludes(order, absence, branch)), None)
        if reason is not None:
            gone.append((absence, reason))
    left = tuple(each for each in branch.absences if all(each is not other for other, _ in gone))
    return (replace(branch, absences=left) if gone else branch), tuple(gone)


def _excludes(order: Order, absence: Accumulation, branch: Branch) -> bool:
    """Returns whether an order leaves no time for what is absent: some event of the branch comes after all such."""
    absent = flat_pattern(absence.pattern)
    if absent is None or absence.containment != "inside" or absence.opening is not None:
        return False
    first = extended(order.first, absent, {})
    if first is None:
        return False
    common = order.first.variables & order.last.variables
    # a variable that only the absence has may have any value, not that of the last event
    if any(isinstance(value := first[name], Name) and value.name not in branch.bound_variables for name in common):
        return False
    known = {name: first[name] for name in common}
    for query in branch.events:
        special = flat_pattern(query.pattern) if query.kind == "event" else None
        if special is None or extended(order.last, special, known) is None:
            continue
        times: list[TimeConstraint] = [
            Constraint(TimePoint(absence.window, "begin"), TimePoint(_ABSENT, "begin"), 0),
            Constraint(TimePoint(_ABSENT, "begin"), TimePoint(_ABSENT, "end"), 0),
            Constraint(TimePoint(_ABSENT, "end"), TimePoint(absence.window, "end"), 0),
            Constraint(TimePoint(_ABSENT, "end"), TimePoint(query.identifier, "end"), -order.least),
        ]
        if is_impossible(branch, (), times) and not is_impossible(branch):
            return True
    return False
