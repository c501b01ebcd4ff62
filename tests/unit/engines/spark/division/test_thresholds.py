"""What is asked of single events before they are sent to an operator."""

from __future__ import annotations

import pytest

from cera.engines.spark.division.thresholds import Threshold, thresholds
from cera.program import load

FIRE = """
DETECT fire{ area{ var A } }
ON and { event s: smoke{{ area{{ var A }} }}, event t: temp{{ area{{ var A }}, value{{ var T }} }} }
where { s before t, {s, t} within 1 min, var T > 40 } END
"""
HIGH = Threshold(("value",), ">", 40)


def of(text: str, label: str = "temp") -> tuple[frozenset[Threshold], ...] | None:
    return thresholds(load(text).checked().rules, label)


def test_a_comparison_with_a_constant_is_a_threshold_of_the_event_that_has_the_value() -> None:
    assert of(FIRE) == (frozenset({HIGH}),)
    assert of(FIRE, "smoke") is None


def test_a_constant_may_stand_on_either_side() -> None:
    assert of(FIRE.replace("var T > 40", "40 < var T")) == (frozenset({HIGH}),)


def test_a_second_rule_that_takes_any_event_leaves_no_threshold() -> None:
    assert of(FIRE + "DETECT warm{ var T } ON temp{{ value{{ var T }} }} END") is None


def test_an_event_needs_to_fulfil_what_one_of_the_rules_asks() -> None:
    cold = "DETECT cold{ var T } ON event t: temp{{ value{{ var T }} }} where { var T < 0 } END"
    assert of(FIRE + cold) == (frozenset({HIGH}), frozenset({Threshold(("value",), "<", 0)}))


@pytest.mark.parametrize(
    "condition", ["var T > var U", "not (var T > 40)", "var T + 1 > 40", "var T > 40 or var U > 1"]
)
def test_other_conditions_are_no_thresholds(condition: str) -> None:
    text = "DETECT d{ var T } ON event t: temp{{ value{{ var T }}, unit{{ var U }} }} where { CONDITION } END"
    assert of(text.replace("CONDITION", condition)) is None


def test_what_must_be_absent_is_not_bound_by_the_conditions_of_the_rule() -> None:
    silent = """DETECT silent{ var S } ON and { event n: temp{{ sensor{{ var S }}, value{{ var T }} }},
    event w: from-end[event n, 12 sec], while w: not temp{{ sensor{{ var S }} }} } where { var T > 40 } END"""
    assert of(silent) is None
    low = silent.replace(
        "not temp{{ sensor{{ var S }} }}", "not temp{{ sensor{{ var S }}, value{{ var U }} }} where { var U < 5 }"
    )
    assert of(low) == (frozenset({HIGH}), frozenset({Threshold(("value",), "<", 5)}))
