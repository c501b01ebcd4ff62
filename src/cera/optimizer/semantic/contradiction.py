"""Result by contradiction: a rule whose answers would violate a constraint has none (the first heuristic, R-04).

h ← B      →      nothing, if B and its residues cannot hold together
"""

from __future__ import annotations

from collections.abc import Sequence

from cera.optimizer.semantic.residues import Residue
from cera.rules.reasoning.impossibility import is_impossible
from cera.rules.rule import Branch

LAW = "result by contradiction"


def contradicting(branch: Branch, residues: Sequence[Residue]) -> tuple[Residue, ...]:
    """Returns the residues because of which a branch never matches, none of them superfluous; none if it may."""
    if not residues or not is_impossible(branch, [each.condition for each in residues]):
        return ()
    needed = list(residues)
    for each in residues:
        others = [other for other in needed if other is not each]
        if is_impossible(branch, [other.condition for other in others]):
            needed = others
    return tuple(needed)
