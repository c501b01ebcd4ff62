"""The driver runs the passes, lets them be switched off, and distrusts them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cera.algebra.operators import Merging, Reference
from cera.algebra.plan import Plan, Point
from cera.algebra.translation import translate
from cera.errors import UsageError
from cera.optimizer.driver import PASSES, OptimizerError, Pass, optimize, optimized
from cera.program import load
from conformance.asking import FIRE_RULES

PLAN = translate(load(FIRE_RULES).checked())


def test_the_passes_that_changed_something_are_named() -> None:
    assert optimized(PLAN).applied == ("push-selections", "share-subexpressions", "materialize")


@pytest.mark.parametrize("name", [each.name for each in PASSES])
def test_a_pass_can_be_switched_off(name: str) -> None:
    assert name not in optimized(PLAN, without=[name]).applied


def test_without_passes_a_plan_stays_what_it_is() -> None:
    assert optimize(PLAN, without=[each.name for each in PASSES]) is PLAN


def test_a_pass_that_is_not_there_cannot_be_switched_off() -> None:
    with pytest.raises(UsageError, match="there is no pass 'magic' of the optimizer; there are: push-selections"):
        optimize(PLAN, without=["magic"])


def losing_a_rule(plan: Plan) -> Plan:
    return replace(plan, points=plan.points[:-1])


def forgetting_to_construct(plan: Plan) -> Plan:
    return replace(plan, points=tuple(replace(point, result=False) for point in plan.points))


def using_what_is_not_there(plan: Plan) -> Plan:
    return replace(plan, points=(*plan.points, Point("M", Reference("nowhere"))))


def breaking_a_schema(plan: Plan) -> Plan:
    return replace(plan, points=(Point("M", Merging(("q",), plan.points[0].expression)),))


@pytest.mark.parametrize(
    "rewrite", [losing_a_rule, forgetting_to_construct, using_what_is_not_there, breaking_a_schema]
)
def test_a_pass_that_makes_a_wrong_plan_is_named_as_our_mistake(rewrite: object) -> None:
    assert callable(rewrite)
    with pytest.raises(OptimizerError, match=r"the pass 'bad' of the optimizer made a wrong plan: .*mistake in cera"):
        optimized(PLAN, passes=[*PASSES, Pass("bad", rewrite)])
