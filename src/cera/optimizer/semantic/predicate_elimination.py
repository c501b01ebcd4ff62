"""Predicate elimination: a condition that a constraint guarantees is not tested (the fourth heuristic).

    h ← B ∧ c      →      h ← B, if c follows from B and the residues of B

The residues are those of B without c, so that a constraint cannot justify its own premise (ERR-92). Conditions on times
stay: what is kept for how long follows from them. So do conditions that sort out events before they are joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cera.constraints.clause import Clause
from cera.model.expressions.expression import Expression, event_references
from cera.optimizer.semantic.residues import Residue, residues
from cera.optimizer.semantic.scan_reduction import alone, is_guaranteed
from cera.rules.reasoning.impossibility import implies
from cera.rules.rule import Branch

LAW = "predicate elimination"


def without_guaranteed(
    branch: Branch, clauses: Sequence[Clause]
) -> tuple[Branch, tuple[tuple[Expression, Residue], ...]]:
    """Returns a branch without the conditions that constraints guarantee, and each of those with its reason.

    They go one at a time, so that two do not vouch for each other.
    """
    gone: list[tuple[Expression, Residue]] = []
    for condition in branch.conditions:
        if event_references(condition):
            continue
        rest = replace(branch, conditions=tuple(each for each in branch.conditions if each is not condition))
        reason = next((each for each in residues(rest, clauses) if implies(rest, condition, [each.condition])), None)
        one = alone(condition, rest)
        if one is not None and not is_guaranteed(condition, one, clauses):
            continue
        if reason is not None and not implies(rest, condition):
            gone.append((condition, reason))
            branch = rest
    return branch, tuple(gone)
