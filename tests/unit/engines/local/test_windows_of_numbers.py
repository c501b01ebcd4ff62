"""What a window sums up, for numbers that are ordinary and for values that are not.

Ordinary numbers are summed up by written code, everything else by the definition; the reference engine says what both
must give.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from cera.engines.local import engine as local
from cera.engines.local.processor import RuleProcessor
from cera.model.events.event import DerivedEvent, in_output_order
from cera.model.events.occurrence import json_occurrence
from cera.model.terms.values import Scalar
from cera.model.time.interval import Interval
from cera.modules.driving import Driver
from cera.program import load
from cera.testing import SECOND
from hypothesis_profiles import examples
from module_runs import run_by_definition

PROGRAM = """
DETECT window{sum{sum(all var V)}, avg{avg(all var V)}, count{count(all var V)}}
ON and {
  event e: e{{k{{var K}}}},
  event i: from-start-backward[e, 5 sec],
  while i: collect e{{k{{var K}}, v{{var V}}}}
}
END
"""


def answers(values: Sequence[tuple[int, Scalar]], *, restarting: bool = False) -> list[DerivedEvent]:
    """The answers over events at some seconds, with what they report, as they come from JSON."""
    plan = local.plan_of(load(PROGRAM).checked())
    host = Driver(RuleProcessor(plan, max_duration=0))
    derived = []
    for second, value in values:
        if restarting:
            snapshot = host.snapshot()
            host = Driver(RuleProcessor(plan, max_duration=0))
            host.resume(snapshot)
        at = second * SECOND
        derived += host.push([json_occurrence(at, at, "e", {"k": "x", "v": value})])
    return in_output_order(one.result() for one in [*derived, *host.close()])


def expected(values: Sequence[tuple[int, Scalar]]) -> list[DerivedEvent]:
    events = [json_occurrence(s * SECOND, s * SECOND, "e", {"k": "x", "v": value}).event for s, value in values]
    assert all(event.interval == Interval(event.begin, event.begin) for event in events)
    return list(run_by_definition(load(PROGRAM).checked(), events).derived)


@pytest.mark.parametrize("restarting", [False, True])
@pytest.mark.parametrize(
    "values",
    [
        pytest.param([1, 2, 3, 4], id="integers"),
        pytest.param([0.1, 0.2, 0.3, 0.7, 0.1, 0.2], id="fractions, added from left to right"),
        pytest.param([1.5, 1, 2.5, 3], id="both"),
        pytest.param([0.5, 0.5, 1], id="sums that are whole"),
        pytest.param([2**62, 2**62, -(2**62), 1], id="an integer that leaves 64 bits on the way"),
        pytest.param([2**53, 1, 0.5, 1], id="a whole double beyond 53 bits"),
        pytest.param([1e308, 1e308, 1.5, 2], id="no longer finite"),
        pytest.param([1, "a", 2, "b", 3], id="strings among them"),
        pytest.param(["a", "b", "c"], id="strings alone"),
        pytest.param([1, True, 2, False, 3], id="truth values"),
        pytest.param([1, 2, 2**40, 3, 4, 5, 6, 7, 8, 9], id="ordinary again later"),
    ],
)
def test_a_window_sums_up_what_the_reference_engine_does(values: list[Scalar], restarting: bool) -> None:
    timed = list(enumerate(values))
    assert answers(timed, restarting=restarting) == expected(timed)


def test_a_window_of_numbers_has_an_answer_for_each_event_but_the_first() -> None:
    assert [str(one.event.term) for one in answers([(0, 1), (1, 2.5), (2, "a"), (3, 4)])] == [
        "window{avg{1}, count{1}, sum{1}}",
        "window{avg{1.75}, count{2}, sum{3.5}}",
        "window{avg{1.75}, count{3}, sum{3.5}}",
    ]


def test_random_values_at_random_times_sum_up_as_in_the_reference_engine() -> None:
    chance = random.Random(3)
    pool: list[Scalar] = [1, 2, 0.1, 0.7, -3, 2**24, 2**24 - 1, -(2**24), 10**17, 1e300, "a", True, 2**63 - 1]
    for _ in range(examples(60)):
        seconds = sorted(chance.randint(0, 12) for _ in range(8))
        timed = [(second, chance.choice(pool[: chance.choice((5, 13))])) for second in seconds]
        assert answers(timed, restarting=chance.random() < 0.3) == expected(timed)
