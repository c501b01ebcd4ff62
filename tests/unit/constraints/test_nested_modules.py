"""Modules in modules: what is said inside is about what their times have in common."""

from __future__ import annotations

import pytest

from conformance.constraints import SECOND, event, judged, state

OPEN_SHOP = "WHILE state: open(shop(S)) LET WHILE Range 1 min LET IN ANY CASE {} END END END"
APART = 'WHILE ["1970-01-01", "1970-01-01"] LET WHILE ["1970-01-03", "1970-01-03"] LET IN ANY CASE {} END END END'
DAY = [event("door", 0), state("open", 10, 100, shop=1), event("visit", 20, shop=1), event("door", 400)]


def test_a_visit_in_each_minute_is_demanded_only_in_minutes_in_which_the_shop_is_open() -> None:
    found = judged(OPEN_SHOP.format("exists >= 1 event: visit(shop(S))"), DAY).violations
    assert [each.at for each in found] == [120 * SECOND - 1]


@pytest.mark.parametrize(
    "said",
    ["exists >= 1 event: visit()", "event: visit()", "exists = 0 event: visit()", "exists <= 1 event: visit()"],
)
def test_windows_that_have_nothing_in_common_demand_nothing(said: str) -> None:
    assert not judged(APART.format(said), DAY).violations


def test_an_intersection_that_is_written_demands_something_also_where_there_is_none() -> None:
    text = "IF event i: visit(shop(S)) and event j: door() THEN while intersection{i, j}: exists >= 1 event: bell() END"
    assert len(judged(text, DAY).violations) == 2
