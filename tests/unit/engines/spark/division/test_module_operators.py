"""Modules as operators of a stream: how they are divided, layered, and told of."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark")

from cera.engines.spark.division.operators import Operator, may_repeat, operators
from cera.engines.spark.division.routing import Router
from cera.model.events.occurrence import json_occurrence, occurrence
from cera.program import load
from cera.testing import event

HEADS = "as fall(area: X.area)"
MODULE = "begin Sinks monitor temp; {} Fall: (temp(X), temp(Y, Y.v < X.v)) {}. end."
BELOW = "DETECT temp{ area{ var A }, v{ 1 } } ON event s: smoke{{ area{{ var A }} }} END"
ABOVE = "DETECT alarm{ area{ var A } } ON event f: fall{{ area{{ var A }} }} END"


def operators_of(*texts: str, buckets: int = 16) -> tuple[Operator, ...]:
    return operators(load(list(texts)).layers, buckets=buckets)


def test_a_module_is_told_of_with_what_divides_it() -> None:
    divided, whole = MODULE.format("partition by area;", HEADS), MODULE.format("", HEADS)
    assert [operator.description() for operator in operators_of(divided)] == ["module Sinks, partitioned by area"]
    assert [operator.description() for operator in operators_of(divided, buckets=1)] == ["module Sinks in one piece"]
    [operator] = operators_of(whole)
    assert (operator.description(), operator.buckets) == ("module Sinks in one piece", 1)


def test_rules_and_modules_that_see_each_others_events_are_layers() -> None:
    made = operators_of(MODULE.format("partition by area;", HEADS), ABOVE, BELOW)
    assert [(operator.layer, sorted(operator.parts)) for operator in made] == [
        (1, ["temp"]),
        (2, ["Sinks.Fall"]),
        (3, ["alarm"]),
    ]


def test_events_are_told_apart_by_the_attribute_that_divides_them() -> None:
    assert not may_repeat(operators_of(MODULE.format("partition by area;", HEADS)))
    assert may_repeat(operators_of(MODULE.format("partition by area;", "as fall(v: X.v)")))
    assert not may_repeat(operators_of(MODULE.format("", "as fall(v: X.v)")))


@pytest.mark.parametrize("value", [1, "a", 2.5, True, {"x": 1, "y": 2}])
def test_the_same_value_has_the_same_bucket_whatever_the_event_looks_like(value: object) -> None:
    router = Router(operators_of("begin M monitor temp, update(T); partition by area; Any: temp(X). end.", buckets=100))
    flat = json_occurrence(0, 0, "temp", {"area": value})
    deep = json_occurrence(0, 0, "temp", {"area": value, "more": [1, 2]})
    row = {"area": value}
    change = {"change": {"operation": "update", "table": "T", "old": {"area": 9}, "new": row}}
    found = [router.destinations(each) for each in (flat, deep, json_occurrence(0, 0, "change", change["change"]))]
    assert found[0] == found[1] == found[2]
    assert len(found[0]) == 1


def test_events_without_the_attribute_go_where_they_are_counted_and_others_nowhere() -> None:
    router = Router(operators_of(MODULE.format("partition by area;", HEADS)))
    assert [to.bucket for to in router.destinations(occurrence(event("temp{v{1}}", 1)))] == [0]
    assert not router.destinations(occurrence(event("smoke{area{1}}", 1)))
