"""Modules in modules: what is said inside is about what their times have in common."""

from __future__ import annotations

import pytest

from conformance.constraints import SECOND, event, judged, state

OPEN_SHOP = "WHILE state: open(shop(S)) LET WHILE Range 1 min LET IN ANY CASE {} END END END"
APART = 'WHILE ["1970-01-01", "1970-01-01"] LET WHILE ["1970-01-03", "1970-01-03"] LET IN ANY CASE {} END END END'
DAY = [event("door", 0), state("open", 10, 100, shop=1), event("visit", 20, shop=1), event("door", 400)]


def test_a_visit_in_each_minute_is_demanded_only_in_minutes_in_which_the_shop_is_open() -> None:
    found = judged(OPEN_SHOP.format("exists >= 1 event: visit(shop(S))"), DAY).violations
    assert [(each.at, each.window) for each in found] == [(100 * SECOND, (60 * SECOND, 100 * SECOND))]


def test_a_minute_without_a_visit_is_told_at_its_end_while_the_shop_is_open() -> None:
    day = [state("open", 0, None, shop=1), event("visit", 70, shop=1), event("door", 200)]
    found = judged(OPEN_SHOP.format("exists >= 1 event: visit(shop(S))"), day).violations
    assert [each.at for each in found] == [60 * SECOND - 1, 180 * SECOND - 1]


@pytest.mark.parametrize(("said", "number"), [("exists >= 1", 0), ("exists = 0", 1), ("exists <= 1", 0)])
def test_nothing_is_demanded_of_the_moment_in_which_a_shop_closes(said: str, number: int) -> None:
    day = [event("door", 0), state("open", 60, 120, shop=1), event("visit", 120, shop=1), event("door", 400)]
    found = judged(OPEN_SHOP.format(f"{said} event: visit(shop(S))"), day).violations
    assert sum(each.at >= 120 * SECOND for each in found) == number


def test_minutes_of_a_trip_are_told_when_the_trip_is_known() -> None:
    text = (
        "WHILE event: trip(shop(S)) LET WHILE Range 1 min LET IN ANY CASE exists >= 1 event: visit(shop(S)) END END END"
    )
    day = [event("door", 0), event("trip", 10, 150, shop=1), event("visit", 70, shop=1), event("door", 400)]
    found = judged(text, day).violations
    assert [(each.at, each.window) for each in found] == [
        (150 * SECOND, (10 * SECOND, 60 * SECOND - 1)),
        (150 * SECOND, (120 * SECOND, 150 * SECOND)),
    ]


@pytest.mark.parametrize(
    "said",
    ["exists >= 1 event: visit()", "event: visit()", "exists = 0 event: visit()", "exists <= 1 event: visit()"],
)
def test_windows_that_have_nothing_in_common_demand_nothing(said: str) -> None:
    assert not judged(APART.format(said), DAY).violations


def test_an_intersection_that_is_written_demands_something_also_where_there_is_none() -> None:
    text = "IF event i: visit(shop(S)) and event j: door() THEN while intersection{i, j}: exists >= 1 event: bell() END"
    assert len(judged(text, DAY).violations) == 2
