"""Predicate introduction: a group that has as many events as there can be is complete (the fifth heuristic, R-07).

    h ← i: q, w: window, i in w      →      h ← i: q, w: window, i in w, settled by n matches with the same K

    if in each window w there are at most n events that a more general atom finds with the same values of G, and of what
    G is in the rule, K are the variables; an answer has one value of each

A group with G whose values the rule leaves open is not bounded by n, since there may be several such groups.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cera.constraints.cardinalities.cardinality import Cardinality
from cera.constraints.cardinalities.laws import greatest
from cera.constraints.cardinalities.windows import transferred
from cera.constraints.subsumption.atoms import Name, extended, flat_pattern
from cera.optimizer.semantic.inputs import awaited_inputs
from cera.rules.rule import Branch, PeriodicWindow, Rule
from cera.rules.settlements import MostMatches

LAW = "predicate introduction"


def full_groups(
    rule: Rule, cardinalities: Sequence[Cardinality], longest: int | None
) -> Iterator[tuple[MostMatches, Cardinality]]:
    """Yields the bounds on the groups of a rule. `longest` is how long an event lasts, if that is known (ERR-77)."""
    inputs = awaited_inputs(rule)
    window = _only_window(rule.branches[0]) if len(rule.branches) == 1 else None
    if inputs is None or window is None or len(inputs.patterns) != 1:
        return
    atom = flat_pattern(inputs.patterns[0])
    if atom is None:
        return
    for fact in cardinalities:
        substitution = None if fact.given or not fact.numbers else extended(fact.atom, atom, {})
        if substitution is None:
            continue
        numbers = transferred(fact.numbers, fact.period, window.period, longest=longest)
        most = greatest(numbers) if numbers else None
        by = tuple(sorted({v.name for name in fact.group if isinstance(v := substitution[name], Name)}))
        if most and frozenset(by) <= inputs.fixed:
            yield MostMatches(most, by, f"{LAW}, constraint {', '.join(fact.because)}"), fact


def _only_window(branch: Branch) -> PeriodicWindow | None:
    """Returns the window of a branch that gathers one event over one kind of window, and has nothing else."""
    alone = len(branch.events) == len(branch.windows) == 1 and not branch.relative_timers and not branch.accumulations
    window = branch.windows[0] if alone else None
    return window if isinstance(window, PeriodicWindow) and not window.auxiliary else None
