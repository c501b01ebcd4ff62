"""Violations as events: one for each, however often a body is violated in the same way."""

from __future__ import annotations

import pytest

from cera.program import load
from cera.running.choice import Engine
from cera.testing import event

CONSTRAINT = "CONSTRAINT c: IF event i: a(id(N)) and N > 1 THEN exists >= 1 event: c(id(N)) group-by {} END"


@pytest.mark.parametrize("engine", ["reference", "local"])
def test_two_events_that_violate_a_constraint_alike_are_one_violation_with_two_causes(engine: Engine) -> None:
    events = [event("a{id{2}}", 3, 6), event("a{id{2}}", 5, 6), event("c{id{1}}", 10)]
    [violation] = load(CONSTRAINT).run(events, engine=engine).derived
    assert [sorted(way.causes) for way in violation.derivations] == [["i"], ["i"]]
    assert {cause for way in violation.derivations for cause in way.causes.values()} == {*events[:2]}
