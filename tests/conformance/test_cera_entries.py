"""C-09 to C-11, C-21, C-22, C-25: what the rules of seed 000 answer."""

from __future__ import annotations

import pytest

from cera.model.events.event import Event
from cera.testing import assert_same_events, event
from conformance.asking import FIRE_RULES, ask, fire_stream, temp

RULES = dict(zip(("fire", "burnt_down", "avg_temp"), [f"{rule}END" for rule in FIRE_RULES.split("END")], strict=False))

FIRE = event('fire{area{"a"}}', 65, 80)
BURNT_DOWN = event('burnt_down{sensor{"s"}}', 70, 92)
AVERAGE = event('avg_temp{sensor{"s"}, value{40}}', 10, 80)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        pytest.param("fire", FIRE, id="C-09"),
        pytest.param("burnt_down", BURNT_DOWN, id="C-10"),
        pytest.param("avg_temp", AVERAGE, id="C-11"),
    ],
)
def test_each_rule_of_the_sensor_program_derives_exactly_one_event(rule: str, expected: Event) -> None:
    assert_same_events(ask(RULES[rule], *fire_stream()), [expected])


@pytest.mark.parametrize(
    ("now", "expected"),
    [(63, []), (68, []), (79, []), (80, [FIRE, AVERAGE]), (91, [FIRE, AVERAGE]), (92, [FIRE, AVERAGE, BURNT_DOWN])],
)
def test_C_21_events_are_known_at_their_end_and_not_before(now: float, expected: list[Event]) -> None:
    assert_same_events(ask(FIRE_RULES, *fire_stream(), until=now), expected)


def test_C_22_a_report_that_ends_with_the_timer_still_counts() -> None:
    assert_same_events(ask(RULES["burnt_down"], *fire_stream(), temp(20, 90, 92)), [])


def test_C_22_a_report_after_the_timer_comes_too_late() -> None:
    assert_same_events(ask(RULES["burnt_down"], *fire_stream(), temp(20, 92, 93)), [BURNT_DOWN])


WITHIN = "DETECT h{} ON and { event s: a{{}}, event t: b{{}} } where { {s, t} within 1 min } END"
BEFORE = "DETECT h{} ON and { event s: a{{}}, event t: b{{}} } where { s before t } END"
ABOVE = "DETECT h{} ON a{{ value{{ var T }} }} where { var T > 40 } END"


@pytest.mark.parametrize(("end", "holds"), [(60, True), (60.001, False), (60.000001, False)])
def test_C_25_within_includes_its_bound(end: float, holds: bool) -> None:
    assert bool(ask(WITHIN, event("a{}", 0), event("b{}", end))) == holds


@pytest.mark.parametrize(("begin", "holds"), [(5, False), (5.000001, True), (6, True), (4, False)])
def test_C_25_before_is_strict(begin: float, holds: bool) -> None:
    assert bool(ask(BEFORE, event("a{}", 0, 5), event("b{}", begin, 9))) == holds


@pytest.mark.parametrize(("value", "holds"), [("40", False), ("40.5", True), ("41", True), ('"50"', False)])
def test_C_25_greater_is_strict(value: str, holds: bool) -> None:
    assert bool(ask(ABOVE, event(f"a{{value{{{value}}}}}", 0))) == holds
