"""`explain` names the rule that serves another one with what it joins."""

from __future__ import annotations

import pytest

from cera.explain.program import explain, text
from cera.program import load

SALE = "sale(item(I), price(P)) <- event o: offer(item(I)) and event s: sold(item(I), price(P)) and o before s."
DEAR = "dear(item(I)) <- event o: offer(item(I)) and event s: sold(item(I), price(P)) and o before s"


def test_a_rule_says_which_one_serves_it() -> None:
    explanation = explain(load(f"unbounded: {SALE} {DEAR} and P > 100.").rules)
    assert [rule.get("served_by") for rule in explanation["rules"]] == [None, "sale"]
    assert "  served by: sale, which joins the same events and asks for less of them" in text(explanation)
    assert "serve-joins" in explanation["plan"]["passes"]


@pytest.mark.parametrize("more", ["o meets s", "{o, s} within 10 sec", "P = 100", "P > 100 and P < 200 and P != 150"])
def test_a_rule_is_not_served_if_it_knows_more_of_times_or_sorts_out_most_events(more: str) -> None:
    """Its own join forgets sooner, or has few events."""
    assert "served by" not in text(explain(load(f"unbounded: {SALE} {DEAR} and {more}.").rules))
