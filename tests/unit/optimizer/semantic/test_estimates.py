"""Estimated costs of rules, computed by hand from rates."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cera.algebra.operators import Join, Matching, walk
from cera.algebra.plan import Plan
from cera.engines.local.engine import plan_of
from cera.model.events.rates import LabelRates, Rates
from cera.optimizer.semantic.estimates import Figures, figures
from unit.optimizer.semantic.rewriting import program_of, rewritten

RATES = Rates(
    1000.0,
    {
        "often": LabelRates(100.0, {"k": 10.0, "v": 4.0}),
        "mid": LabelRates(10.0, {"k": 10.0}),
        "rare": LabelRates(0.1, {"k": 10.0}),
    },
    {"k": 60.0},
    {"often: v > 2": 0.25},
)


def _costs(rules: str, *constraints: str) -> Figures:
    rule = rewritten(rules, *constraints).rule if constraints else program_of(rules).rules[0]
    return figures(rule, program_of(rules), RATES)


def test_a_rule_about_single_events_remembers_nothing() -> None:
    found = _costs("h(k(K)) <- often(k(K), v(V)) and V > 2.")
    assert (found.state, found.latency) == (0, 0)
    assert found.work == 100 + 100 + 25  # looked at, tested, derived


def test_values_in_patterns_keep_one_of_as_many_as_there_are() -> None:
    assert _costs("h(k(K)) <- often(k(K), v(3)).").work == 100 + 25


def test_a_join_remembers_what_comes_while_it_is_kept() -> None:
    found = _costs("h(k(K)) <- i: often(k(K)) and j: rare(k(K)) and i before j and {i, j} within 5 sec.")
    assert found.state == pytest.approx(100 * 5)  # i; j comes last


def test_what_is_never_forgotten_adds_up_as_long_as_the_rates_are_for() -> None:
    assert _costs("h(k(K)) <- i: mid(k(K)) and j: rare(k(K)).").state == pytest.approx(10 * 1000 + 0.1 * 1000)


def test_a_window_of_the_clock_waits_for_half_its_length() -> None:
    found = _costs("Range 100 sec: h(k(K), n(count(V))) <- often(k(K), v(V)).")
    assert (found.state, found.latency) == (100 * 50, 50)


def test_an_absence_waits_for_its_window() -> None:
    found = _costs("h(k(K)) <- j: rare(k(K)) and w: from-end[j, 20 sec] and while w: not mid(k(K)).")
    assert found.latency == 20
    assert found.state == pytest.approx(10 * 20 + 0.1 * 20 / (1 + 10 * 20 / 10))


def test_an_event_that_closes_a_group_comes_after_half_the_time_that_its_value_is_in_use() -> None:
    rule = "Range 1000 sec: h(k(K), n(count(V))) <- often(k(K), v(V))."
    found = _costs(rule, "IF event i: often(k(K)) and event j: rare(k(K)) THEN i before j END")
    assert (found.state, found.latency) == (100 * 30, 30)
    assert found.work == pytest.approx(_costs(rule).work + 0.1)


def test_a_full_group_is_complete_at_once() -> None:
    rule = "Range 100 sec: h(k(K), n(count(V))) <- often(k(K), v(V))."
    most = "WHILE Range 100 sec LET IN ANY CASE exists <= {} event: often(k(K)) group-by {{K}} END END"
    found = _costs(rule, most.format(50))
    assert (found.state, found.latency) == (100 * 5, 0)  # 10 keys with 10 events a second each
    assert _costs(rule, most.format(5000)).latency == 50  # the window ends before


def test_joins_are_ordered_by_rates() -> None:
    program = program_of("h(k(K)) <- i: often(k(K)) and m: mid(k(K)) and j: rare(k(K)) and {i, m, j} within 10 sec.")
    assert _order(plan_of(program)) == ["i", "m", "j"]
    assert _order(plan_of(replace(program, rates=RATES))) == ["m", "j", "i"]
    plain = figures(program.rules[0], program, RATES, without=("order-joins",))
    ordered = figures(program.rules[0], program, RATES)
    assert ordered.state * 5 < plain.state
    assert ordered.work * 4 < plain.work


def _order(plan: Plan) -> list[str]:
    joins = [part for point in plan.points for part in walk(point.expression) if isinstance(part, Join)]
    return [part.identifier for part in walk(joins[0]) if isinstance(part, Matching)]
