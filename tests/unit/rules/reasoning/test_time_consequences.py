"""What follows about time from conditions with alternatives, whichever of them holds."""

from __future__ import annotations

import pytest

from cera.program import load
from cera.rules.reasoning.time_consequences import time_network
from cera.rules.reasoning.time_points import TimePoint
from unit.rules.programs import branch

SECOND = 1_000_000


def latest(condition: str) -> float | None:
    """How many seconds after the end of a the end of b can lie."""
    network = time_network(branch(f"and{{ event a: a{{{{}}}}, event b: b{{{{}}}} }} where {{ {condition} }}"))
    bound = network.bound(TimePoint("b", "end"), TimePoint("a", "end"))
    return None if bound is None else bound.value / SECOND


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("{a, b} within 5 sec or {a, b} within 1 min", 60),
        ("a equals b or {a, b} within 5 sec", 5),
        ("b before a or begin(b) - end(a) <= 3 sec and length(b) <= 4 sec", 7),
        ("(a equals b or a meets b and length(b) <= 9 sec) or end(b) = end(a) + 2 sec", 9),
        ("{a, b} within 5 sec or a before b", None),
        ("{a, b} within 5 sec or length(a) < 1 sec", None),
        ("{a, b} within 5 sec or 1 < 2", None),
        ("a before b and b before a or {a, b} within 5 sec", 5),
        ("a before b or {a, b} within 5 sec, {a, b} within 20 sec or {a, b} within 10 sec", 20),
    ],
)
def test_of_alternatives_the_loosest_bound_holds(condition: str, expected: float | None) -> None:
    assert latest(condition) == expected


def test_alternatives_that_contradict_themselves_say_nothing() -> None:
    assert latest("a before b and b before a or a before b and b before a") is None


def test_a_rule_whose_alternatives_are_all_bounded_remembers_nothing_for_good() -> None:
    """Which is why XC501 does not ask for a bound."""
    body = "ON and { event a: a{{}}, event b: b{{}} }"
    bounded = load(f"DETECT r{{}} {body} where {{ {{a, b}} within 5 sec or {{a, b}} within 1 min }} END")
    assert bounded.state_warnings == ()
    open_ended = load(f"DETECT r{{}} {body} where {{ {{a, b}} within 5 sec or a before b }} END")
    assert [warning.code for warning in open_ended.state_warnings] == ["XC501"]
