"""Comparisons of what is calculated hold as the evaluator says, also past numbers of ordinary size."""

from __future__ import annotations

from itertools import product

import pytest

from cera.diagnostics import Source
from cera.model.events.event import Event
from cera.model.terms.json_terms import term_from_json
from cera.model.time.interval import point
from cera.program import load

VALUES = (0, 1, -3, 0.5, 6.0, 2**24, -(2**24) + 1, 2**62, 1e308, "6", True)
CONDITIONS = ("W > 2 * V", "W = V * V", "2 * V + 1.5 <= W - V", "V * V * V * W < 1", "W != V + V", "W / 2 > V")


@pytest.mark.parametrize("condition", CONDITIONS)
def test_both_engines_say_the_same(condition: str) -> None:
    program = load(Source("rules.slog", f"unbounded: found(v(V), w(W)) <- e(v(V), w(W)) and {condition}."))
    pairs = enumerate(product(VALUES, repeat=2))
    events = [Event(term_from_json({"e": {"v": v, "w": w}}), point(at)) for at, (v, w) in pairs]
    local, reference = (program.run(events, engine=engine) for engine in ("local", "reference"))
    assert [str(each.event) for each in local] == [str(each.event) for each in reference]
    assert local.undefined == reference.undefined
    assert len(local) > 0
