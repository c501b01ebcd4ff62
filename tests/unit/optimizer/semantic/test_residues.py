"""How constraints are found relevant for a rule."""

from __future__ import annotations

from cera.optimizer.semantic.residues import MOST_WAYS, ways
from conformance.constraints import clauses_of
from unit.optimizer.semantic.rewriting import laws, program_of, rewritten


def test_of_very_many_substitutions_only_some_are_tried() -> None:
    """Eight events of one label and six of the constraint have 262,144, and none but finding them takes long."""
    events = " and ".join(f"e{each}: p(k(K), v(V{each}))" for each in range(8))
    [clause] = clauses_of(
        f"IF {' and '.join(f'event e{each}: p(k(K), v(V{each}))' for each in range(6))} THEN V0 != 3 or V5 != 3 END"
    )
    [rule] = program_of(f"unbounded: h(k(K)) <- {events}.").rules
    assert len(list(ways(rule.branches[0], clause))) == MOST_WAYS
    few = "unbounded: h(k(K)) <- i: p(k(K), v(V)) and j: p(k(K), v(W)) and i before j and V < 2."
    assert laws(
        rewritten(few, "IF event i: p(k(K), v(V)) and event j: p(k(K), v(W)) and i before j THEN V > 2 END")
    ) == ["result by contradiction"]
