"""Aggregates and `all` in their places."""

from __future__ import annotations

import pytest

from unit.rules.programs import codes, marked, the


@pytest.mark.parametrize(
    "text",
    [
        "DETECT h{ var X } ON a{{ var X }} where { avg(all var X) > 3 } END",
        "DETECT h ON and{ event w: a, while w: not b{{ var Y }} where { var Y > max(all var Y) } } END",
        "DETECT h{ avg(all sum(all var X)) } ON a{{ var X }} END",
        "DETECT h{ all all x{ var X } } ON a{{ var X }} END",
        "DETECT h{ all optional all x{ var X } } ON a{{ var X }} END",
        "DETECT h{ var X } ON a{{ var X }} where { avg(var X) > 3 } END",
    ],
)
def test_XC407_an_aggregate_or_all_out_of_place(text: str) -> None:
    found = the("XC407", text)
    assert found.severity == "error"
    assert found.hint is not None


def test_XC407_points_at_the_inner_aggregate() -> None:
    assert marked(the("XC407", "DETECT h{ avg(all sum(all var X)) } ON a{{ var X }} END")) == "sum(all var X)"


@pytest.mark.parametrize(
    "head",
    [
        "h{ avg(all var X) }",
        "h{ avg(all var X) / max(all var X) }",
        "h{ all x{ var X, count(all var Y) } }",
        "h{ all x{ var X, all y{ var Y } } }",
        "h{ all x{ var X } order-by sum(all var Y) }",
        "h{ optional all x{ var X, var Y } }",
        "h{ sum(all seconds(length(e))) }",
    ],
)
def test_aggregates_and_all_inside_of_a_head_are_fine(head: str) -> None:
    assert codes(f"DETECT {head} ON event e: a{{{{ var X, var Y }}}} where {{ var X != var Y }} END") == []
