"""Programs with states: every engine against the reference, whatever way a stream arrives.

Compared are the derived events with all their derivations. States open and close, touch, nest, have no length, never
end, come in one record or two, and several hold for one key at once.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import get_args

import pytest

from cera.model.events.states import names_end
from cera.rules.rule import Semantics
from hypothesis_profiles import examples
from module_runs import run_by_definition
from properties.generator import FEATURES, Case, cases, seeded_case
from properties.holding import holds_for
from properties.local_runs import Variation, differences, disordered, in_order, some_variation
from properties.state_arrivals import as_it_happens
from properties.theories import rules_of

ACCEPTED = FEATURES - {"recursion"}
SEMANTICS: tuple[Semantics, ...] = get_args(Semantics)


@pytest.mark.parametrize(
    "programs", [pytest.param(examples(500), id="short"), pytest.param(8_000, id="long", marks=pytest.mark.long)]
)
def test_the_local_engine_agrees_with_the_reference_on_programs_with_states(programs: int) -> None:
    answered = 0
    for seed in range(programs):
        case = seeded_case(seed, ACCEPTED, with_states=True)
        program = replace(rules_of(case), semantics=SEMANTICS[seed % 2])
        expected = list(run_by_definition(program, case.events).derived)
        chance = random.Random(seed)
        variation = some_variation(chance)
        found = variation.answers(program, disordered(case.events, variation.max_delay, chance))
        assert not differences(found, expected), f"seed {seed}, {variation}{case}"
        answered += bool(expected)
    assert answered * 100 >= 40 * programs


@pytest.mark.parametrize(
    "programs", [pytest.param(examples(300), id="short"), pytest.param(8_000, id="long", marks=pytest.mark.long)]
)
def test_a_state_may_be_closed_when_it_ends(programs: int) -> None:
    closed = 0
    for seed in range(programs):
        case = seeded_case(seed, ACCEPTED, with_states=True)
        program = replace(rules_of(case), semantics=SEMANTICS[seed % 2])
        chance = random.Random(seed)
        variation = some_variation(chance)
        arriving = as_it_happens(case.events, variation.max_delay, chance)
        found = variation.answers(program, arriving)
        expected = list(run_by_definition(program, case.events).derived)
        assert not differences(found, expected), f"seed {seed}, {variation}{case}"
        assert all(names_end(event.label, event.qualifier) for event in variation.late), "only ends of no open state"
        closed += len(arriving) > len(case.events)
    assert closed * 100 >= 40 * programs


@holds_for(cases(ACCEPTED, with_states=True), short=100, long=3_000)
def test_a_program_with_states_in_its_smallest_form(case: Case) -> None:
    program = rules_of(case)
    found = Variation(random.Random(0)).answers(program, in_order(case.events))
    assert not differences(found, list(run_by_definition(program, case.events).derived))
