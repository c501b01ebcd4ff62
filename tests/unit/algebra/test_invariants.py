"""What is checked after every pass."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cera.algebra.invariants import InvariantError, check_results, check_shape
from cera.algebra.operators import Construction, Expression, Join, Matching, Merging, RelativeTimers, Stream, Union
from cera.algebra.plan import Plan, Point
from cera.algebra.translation import translate
from cera.model.expressions.constructs import ConstructTerm
from cera.model.matching.patterns import TermPattern
from cera.model.time.durations import parse_duration
from cera.program import load
from conformance.asking import FIRE_RULES


def matching(identifier: str) -> Matching:
    return Matching(identifier, TermPattern("x", total=False), Stream())


def timer(identifier: str, anchor: str) -> RelativeTimers:
    return RelativeTimers(identifier, "extend", anchor, parse_duration("1 sec"))


def result(body: Expression, *identifiers: str) -> Plan:
    return Plan((Point("r", Construction("r", ConstructTerm("r"), Merging(identifiers, body)), result=True),))


def test_translated_plans_have_the_right_shape() -> None:
    check_shape(translate(load(FIRE_RULES).checked()))


def test_timers_are_joined_above_all_events() -> None:
    check_shape(result(Join(Join(matching("a"), matching("b")), timer("i", "a")), "a", "b", "i"))
    with pytest.raises(InvariantError, match="r joins windows or timers below a join of events"):
        check_shape(result(Join(Join(matching("a"), timer("i", "a")), matching("b")), "a", "b", "i"))


def test_a_result_constructs_events() -> None:
    with pytest.raises(InvariantError, match="r is a result and does not construct events"):
        check_shape(Plan((Point("r", matching("a"), result=True),)))


def test_a_point_holds_events_and_not_what_is_constructed() -> None:
    construction = Construction("r", ConstructTerm("r"), Merging(("a",), matching("a")))
    for expression in (construction, Merging(("a",), matching("a")), Union((matching("a"), matching("a"))), Stream()):
        with pytest.raises(InvariantError, match="M is no relation of events"):
            check_shape(Plan((Point("M", expression),)))


def test_the_results_stay_the_same() -> None:
    before = translate(load(FIRE_RULES).checked())
    check_results(before, before)
    for wrong in (
        replace(before, points=before.points[1:]),
        replace(before, points=before.points[::-1]),
        replace(before, points=tuple(replace(point, name=f"{point.name}2") for point in before.points)),
    ):
        with pytest.raises(InvariantError, match="the results are no longer the same"):
            check_results(wrong, before)
    with pytest.raises(InvariantError, match="the semantics"):
        check_results(replace(before, semantics="formal"), before)


def test_a_head_that_changed_is_noticed() -> None:
    before = result(matching("a"), "a")
    after = Plan((Point("r", Construction("r", ConstructTerm("s"), Merging(("a",), matching("a"))), result=True),))
    with pytest.raises(InvariantError, match="no longer the same"):
        check_results(after, before)
