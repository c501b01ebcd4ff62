"""Clauses as rules derive the violations that the definition of the clauses finds: the same events at the same times,
with the same causes.

Random constraints over random streams: the rules by their own definition, on the local engine with disorder, cuts and
restarts, and in micro-batches; on Spark many constraints side by side over one stream. It cannot catch what is wrong in
the definition, for which there are the entries of the papers (`tests/conformance/test_escl_entries.py`).
"""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from cera.engines.local import network
from cera.engines.reference.engine import run
from cera.engines.spark.division.operators import operators
from cera.model.events.event import Event
from cera.model.time.interval import Time
from cera.modules.layering import Layers
from cera.modules.module import Settings
from cera.modules.rules.module import rule_layers
from cera.rules.checks.check import check
from cera.rules.rule import RuleProgram
from conformance.constraints import diagnostics_of
from conformance.violations import Shown, first_shown, module_of, recorded, result_shown
from hypothesis_profiles import examples
from module_runs import run_layers, run_on_spark, side_by_side
from properties.clause_cases import Translated, constraint, random_case, stream, translated
from properties.local_runs import DELAYS, disordered, some_variation
from properties.streaming_runs import MicroBatches, random_cuts

LONG = pytest.mark.long


def meant(case: Translated, events: list[Event], until: Time | None = None) -> set[Shown]:
    """Returns the violations by the definition of the clauses."""
    return first_shown(run(side_by_side(case.module), events, Settings(until=until)).derived)


def by_definition(program: RuleProgram, events: list[Event], until: Time | None = None) -> set[Shown]:
    return first_shown(run(rule_layers(program), events, Settings(until=until)).derived)


@pytest.mark.parametrize("cases", [pytest.param(examples(80), id="short"), pytest.param(6_000, id="long", marks=LONG)])
def test_rules_mean_what_their_clauses_mean(cases: int) -> None:
    for seed in range(cases):
        choose = random.Random(seed)
        case, events = random_case(choose), recorded(stream(choose))
        until = choose.choice([None, None, choose.randint(1, 25) * 1_000_000])
        errors = [each for each in check(case.program) if each.severity == "error"]
        assert not errors, f"seed {seed}\n{case.text}\n{errors[0]}"
        found, expected = by_definition(case.program, events, until), meant(case, events, until)
        assert found == expected, f"seed {seed}\n{case.text}\n{events}"


@pytest.mark.parametrize("cases", [pytest.param(examples(80), id="short"), pytest.param(6_000, id="long", marks=LONG)])
def test_the_local_engine_derives_them_with_disorder_cuts_and_restarts(cases: int) -> None:
    for seed in range(cases):
        choose = random.Random(seed)
        case, events = random_case(choose), recorded(stream(choose))
        variation = some_variation(choose)
        found = variation.answers(case.program, disordered(events, variation.max_delay, choose))
        assert first_shown(found) == meant(case, events), f"seed {seed}\n{case.text}\n{events}"


@pytest.mark.parametrize("cases", [pytest.param(examples(40), id="short"), pytest.param(2_000, id="long", marks=LONG)])
def test_a_stream_in_micro_batches_derives_them(cases: int) -> None:
    for seed in range(cases):
        choose = random.Random(seed)
        case, events = random_case(choose), recorded(stream(choose))
        delay = choose.choice(DELAYS)
        batches = MicroBatches(operators(rule_layers(case.program), buckets=choose.choice((1, 2, 7))), delay)
        for batch in random_cuts(disordered(events, delay, choose), choose):
            batches.batch(batch)
        batches.batch([])
        decided = batches.watermark * 1000
        expected = {one for one in meant(case, events) if one[0] < decided}
        assert {*map(result_shown, batches.by_kind.derived)} == expected, f"seed {seed}\n{case.text}\n{events}"


@pytest.mark.parametrize("cases", [pytest.param(examples(40), id="short"), pytest.param(2_000, id="long", marks=LONG)])
def test_rules_and_what_goes_event_by_event_find_together_what_the_definition_does(cases: int) -> None:
    tried = 0
    for seed in range(10 * cases):
        choose = random.Random(seed)
        text, events = " and ".join(constraint(choose) for _ in range(3)), recorded(stream(choose))
        if tried == cases or any(each.severity == "error" for each in diagnostics_of(text)):
            continue
        tried += 1
        layers = side_by_side(module_of(text))
        expected = first_shown(run_layers(layers, events, "reference").derived)
        assert first_shown(run_layers(layers, events, "local").derived) == expected, f"seed {seed}\n{text}\n{events}"


#: Constraints on what is in a state that has no value in common with it.
LOOSE = (
    "IF event i: a(k(K), v(V)) and event j: b(k(K), v(W)) THEN V = W END",
    "IF event i: a(k(K), v(V)) and event j: a(k(K), v(W)) and i before j THEN V < W END",
    "IF event i: e(k(K), v(V)) and state j: r(k(K)) THEN V > 1 END",
    "IF event i: a(k(K), v(V)) and state j: r(k(K)) and event l: b(k(K)) THEN V > 1 END",
    "IF state i: r(k(K)) and state j: r(k(K)) and event l: b(k(K), v(V)) THEN V > 1 END",
)


@pytest.mark.parametrize("cases", [pytest.param(examples(8), id="short"), pytest.param(400, id="long", marks=LONG)])
@pytest.mark.parametrize("rule", LOOSE)
def test_what_is_in_states_with_other_values_is_kept_while_one_is_open(
    rule: str, cases: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network, "_ENDED", -9)  # it is looked often which of it is needed
    case = translated(f"WHILE state: s(k(S)) LET {rule} END")
    assert case is not None
    for seed in range(cases):
        choose = random.Random(seed)
        events = recorded(stream(choose) + stream(choose))
        variation = some_variation(choose)
        found = variation.answers(case.program, disordered(events, variation.max_delay, choose))
        assert first_shown(found) == meant(case, events), f"seed {seed}\n{case.text}\n{events}"


def together(cases: Iterable[Translated]) -> RuleProgram:
    return RuleProgram(tuple(rule for case in cases for rule in case.program.rules))


@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize(
    ("seed", "count"), [(1, 5), *(pytest.param(seed, 12, marks=LONG, id=f"long-{seed}") for seed in (1, 2, 3))]
)
def test_spark_derives_those_of_many_constraints_side_by_side(seed: int, count: int) -> None:
    choose = random.Random(seed)
    cases = [random_case(choose, f"m{number}") for number in range(count)]
    events = recorded(stream(choose) + stream(choose))
    found = first_shown(run_on_spark(together(cases), events).derived)
    layers: Layers = side_by_side(*(case.module for case in cases))
    expected = first_shown(run(layers, events, Settings()).derived)
    assert expected
    assert found == expected, "\n".join(case.text for case in cases)
